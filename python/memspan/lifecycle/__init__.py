"""What becomes of memories after they were written: sleep and its update, ends and what undoes them, room."""
