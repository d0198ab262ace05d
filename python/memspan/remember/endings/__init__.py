"""How records end, what keeps them from it, and what they said before."""
