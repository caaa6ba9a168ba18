"""The commands of `replay`, one a module."""
