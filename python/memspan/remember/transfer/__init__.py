"""Users as JSON Lines, out and in."""
