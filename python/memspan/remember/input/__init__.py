"""What callers hand in, checked field by field, as drafts of records."""
