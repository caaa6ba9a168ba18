"""Connections to Redis: addresses, pipelines, clusters."""
