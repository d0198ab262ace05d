"""Erase, with all that was made of what goes."""
