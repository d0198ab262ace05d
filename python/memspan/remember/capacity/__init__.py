"""How much there may be in memory, and what becomes of the rest."""
