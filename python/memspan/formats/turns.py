"""The turn: one utterance of a conversation as a file tells it, before it becomes a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

__all__ = ["Turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn that a reader has checked: every field is within the limits of a record. Times are aware, in
    UTC.
    """

    user: str
    """Whose memory it goes into."""
    text: str
    """May be empty when there are images."""
    position: str
    """Where it stands, as `file:line` or `file: path inside the JSON`; for error messages."""
    id: str | None = None
    """Unique within the user; `None` when the file has none and one is to be generated."""
    speaker: str | None = None
    at: datetime | None = None
    """When it was said; `None` when the file does not tell."""
    until: datetime | None = None
    session: str | None = None
    session_names: tuple[str, ...] = ()
    """Of a conversation that the file gives no name: that of its session, then those that this had in earlier files,
    when the conversation was shorter; one object for all of its turns."""
    images: tuple[str, ...] = ()
    """The captions of the turn's images."""
    kind: str = "episodic"
    """One of `memspan.records.KINDS`."""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; `turn_id` is the data set's own id of the turn."""
