"""The `memspan` command: one file per command, over the public Python names only."""
