"""The log of matches: one protocol, and Redis Streams behind it."""
