"""`UserMemory`: the calls of `Memory`, bound to one user."""
