"""Who did what to a memory."""
