"""From memories to an answer with sources (SimpleMem A.3): what the model is shown, and what is made of its reply."""

from __future__ import annotations

from .result import NOT_ENOUGH, Answer, AnswerTimings
from .shown import Shown, shown_memories
from .stream import AnswerStream

__all__ = ["NOT_ENOUGH", "Answer", "AnswerStream", "AnswerTimings", "Shown", "shown_memories"]
