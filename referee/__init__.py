"""A referee for board and card games: the service, its games and its log."""
