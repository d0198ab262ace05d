"""The update in sleep: memories are put in order offline (LightMem 3.3)."""
