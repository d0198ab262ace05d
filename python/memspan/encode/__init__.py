"""What is made of turns when they are written: tags so far."""
