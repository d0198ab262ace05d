"""What every part may use, and what knows nothing of memories."""
