"""The service over HTTP: routes, tokens, problems, metrics, logging, the server itself."""
