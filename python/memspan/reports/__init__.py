"""What calls hand out: records of what was done, and what is known of tags, jobs, runs, resources."""
