"""Tags that are made for records, and the hierarchy of tags."""
