"""The pure core: what a game is, how a match is judged, and how its log is proved."""
