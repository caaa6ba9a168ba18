"""Telling what a log says: history, words, output."""
