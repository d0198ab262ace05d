"""The calls of `Memory`, one file for each group of them."""
