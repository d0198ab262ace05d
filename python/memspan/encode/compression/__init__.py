"""Turns without the words that say little (LightMem 3.1)."""
