"""Stepping through a match: the way, the lines of a dumb terminal, the full screen."""
