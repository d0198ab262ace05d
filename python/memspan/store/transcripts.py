"""What a store tells about the transcripts of agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from memspan.records import Record
from memspan.times import Micros

__all__ = ["TranscriptReader", "TranscriptTurn"]


class TranscriptTurn(NamedTuple):
    """One turn of a session in which tools were called."""

    id: str
    session: str | None
    at: Micros
    speaker: str | None
    text: str
    """Its beginning."""
    metadata: Mapping[str, Any]
    """Empty for a turn that neither calls a tool nor holds a result."""


class TranscriptReader(Protocol):
    """Reads turns with actions, and the procedures that were made of them."""

    def turns(self, user: str, chars: int) -> list[TranscriptTurn]:
        """The turns of every session that has an action, in `record_order`, with so many characters of their texts:
        episodic ones without sources that are not expired and that are believed, or of which another one says the same:
        what was done was done. Reads the metadata of all of the user's, if one has an action."""

    def procedures(self, user: str) -> list[Record]:
        """All records of kind `procedural`, retired ones included, without embeddings, by id."""
