"""Token vectors of a store: made, kept, filled in."""
