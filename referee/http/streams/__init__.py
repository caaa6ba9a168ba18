"""The two live streams."""
