"""The HTTP face of the service: routes, tokens, problems and live streams."""
