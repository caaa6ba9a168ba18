"""The embedded store: a server of its own, and what keeps it."""
