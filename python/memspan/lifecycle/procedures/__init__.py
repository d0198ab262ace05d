"""Procedures: sequences of actions that come back in the transcripts of agents."""

from .learning import Learned, learn
from .patterns import Mining, Pattern, find_patterns
from .transcript import Event, Transcript, transcripts_of

__all__ = ["Event", "Learned", "Mining", "Pattern", "Transcript", "find_patterns", "learn", "transcripts_of"]
