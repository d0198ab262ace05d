"""Tags of turns and their hierarchy, without a model and by one."""
