"""Token embedders: late interaction."""
