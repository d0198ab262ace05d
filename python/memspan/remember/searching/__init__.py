"""From a question to memories, contexts and answers."""
