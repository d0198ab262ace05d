"""What is made of turns: tags, statements, segments, summaries, procedures; `memspan.recipes` composes the stages."""
