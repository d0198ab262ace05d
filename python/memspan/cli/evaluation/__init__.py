"""What `memspan eval` shows."""
