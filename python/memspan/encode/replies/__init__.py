"""What the replies of models must look like, stage by stage."""
