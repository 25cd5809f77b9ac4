"""Measurements: ratios to a baseline of the same run, never absolute promises."""
