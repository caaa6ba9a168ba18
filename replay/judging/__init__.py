"""Judging logs, one or many."""
