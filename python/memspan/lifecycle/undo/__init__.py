"""What runs changed, written down so that it can be taken back."""
