"""Benchmarks: every figure is a ratio against a ceiling that is measured in the same run."""
