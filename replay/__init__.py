"""The audit command: reads a match from anywhere, judges it anew and shows it."""
