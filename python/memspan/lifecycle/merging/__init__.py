"""Memories that say the same, made one."""
