"""Encode jobs: how turns become records, whatever happens on the way."""
