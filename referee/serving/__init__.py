"""Serving: the HTTP server, its connections, its processes."""
