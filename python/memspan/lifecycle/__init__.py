"""What becomes of memories after they were written: the update in sleep."""
