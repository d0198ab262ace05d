"""Pointers to files and pages: what they were, and whether they are still that."""
