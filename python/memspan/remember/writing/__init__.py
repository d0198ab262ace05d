"""From drafts to records that are stored and indexed, in one transaction."""
