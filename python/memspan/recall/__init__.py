"""Understanding a question by rules: when, what kind, who. No language model, no network."""
