"""The games: one folder each, found by the catalogue, importing only the core."""
