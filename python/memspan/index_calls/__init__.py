"""Parts of `memspan.Index`, one for each group of calls."""
