"""What stages hand on: turns, windows of them, and the statements made from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from memspan.actions import Action, Outcome, actions_in, outcomes_in
from memspan.records import Record

__all__ = ["Statement", "Turn", "Window", "Work"]

_SHORTEST: Final = 1000
"""Characters of half a text: some 250 tokens, with which any model has room left for its instructions and an answer."""
_LAST_SPACE: Final = re.compile(r".*\s", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a conversation, as it is stored."""

    id: str
    text: str
    """With the captions of its images."""
    at: datetime
    """UTC."""
    speaker: str | None = None
    session: str | None = None
    actions: tuple[Action, ...] = ()
    """The tools that it calls; the calls stand in its text, too."""
    outcomes: tuple[Outcome, ...] = ()
    """What came of earlier calls, whose results it holds."""

    def halves(self) -> tuple[Turn, Turn] | None:
        """Two turns of this id, one with each half of the text; `None` when that is not long."""
        middle = len(self.text) // 2
        if middle < _SHORTEST:
            return None
        space = _LAST_SPACE.search(self.text, middle - _SHORTEST // 2, middle)
        cut = space.end() if space else middle
        return replace(self, text=self.text[:cut]), replace(self, text=self.text[cut:])

    @classmethod
    def of(cls, record: Record) -> Turn:
        """The turn that a stored record holds."""
        return cls(
            id=record.id,
            text=record.text,
            at=record.at,
            speaker=record.speaker,
            session=record.session,
            actions=actions_in(record.metadata),
            outcomes=outcomes_in(record.metadata),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Turns that a model sees at once; a topic segment is a window with a topic."""

    turns: tuple[Turn, ...]
    history: tuple[Turn, ...] = ()
    """Turns right before them, to understand them by; nothing is extracted from these."""
    topic: str | None = None

    def halves(self) -> tuple[Window, ...] | None:
        """Two windows for one that did not fit, or whose answer did not, the first being the history of the second.

        As it may be the prompt that is too long, none has more history than turns. One turn is left without history,
        and then with a half of its text; `None` when that is not long.
        """
        middle = len(self.turns) // 2
        if middle:
            first, second = self.turns[:middle], self.turns[middle:]
            history = (*self.history, *first)[-len(second) :]
            return (
                replace(self, turns=first, history=self.history[-middle:]),
                replace(self, turns=second, history=history),
            )
        if self.history:
            return (replace(self, history=()),)
        pieces = self.turns[0].halves() if self.turns else None
        return None if pieces is None else tuple(replace(self, turns=(piece,)) for piece in pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A self-contained statement made from turns; becomes a record."""

    text: str
    at: datetime
    """When what it says happened, or when it was said; UTC."""
    sources: tuple[str, ...]
    """Ids of the turns that it comes from; never empty."""
    kind: str = "semantic"
    until: datetime | None = None
    topic: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    salience: float | None = None
    """0-1; `None` when nobody judged it. Becomes the record's importance."""
    stage: str = "extract"
    """The stage that gave it its present wording."""
    details: tuple[str, ...] = ()
    """Texts of the statements that this one, an abstract, sums up. Those of the same work are records of their own; any
    other text becomes one with the abstract's sources."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """JSON-able; goes into the record's metadata beside `recipe`, `stage`, `model` and `prompt`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one encode job has before and after a stage. A stage returns a new one."""

    user: str
    turns: tuple[Turn, ...]
    """Of one session, in order."""
    history: tuple[Turn, ...] = ()
    """The last turns of the same session before them, oldest first."""
    windows: tuple[Window, ...] = ()
    """Empty until a stage cuts them."""
    statements: tuple[Statement, ...] = ()
    turn_tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the id of a turn: tags for its own record, beside those that a caller gave and in place of what an earlier run
    found; an empty tuple takes that back."""
    relations: tuple[tuple[str, str], ...] = ()
    """(parent, child) pairs of tags; one that would close a cycle is refused and logged when they are stored."""
