"""What each kind of question changes in a plan: a table."""

from __future__ import annotations

from typing import Final, NamedTuple

from .kind_rules import KindName
from .plan import ViewWeights

__all__ = ["SETTINGS", "Setting"]

_EVEN: Final = ViewWeights()


class Setting(NamedTuple):
    """The depth and the shape of a retrieval."""

    k: int
    sessions: int
    smoothing: float
    spread: bool
    weights: ViewWeights
    reason: str


# The answer to a lookup often stands beside what matches it, in the next turn; the turn that dates an event is the
# match itself, so that smoothing only blurs it.
SETTINGS: Final[dict[KindName, Setting]] = {
    "lookup": Setting(10, 1, 0.3, False, _EVEN, "one place, and what stands beside it"),
    "when": Setting(10, 1, 0.0, False, _EVEN, "the turn itself, without its neighbours"),
    "yes_no": Setting(10, 2, 0.3, False, _EVEN, "what speaks for it and what against it"),
    "update": Setting(10, 3, 0.2, True, _EVEN, "earlier and later states, from several sessions"),
    "assistant": Setting(10, 1, 0.3, False, _EVEN, "one earlier answer"),
    "preference": Setting(
        20,
        4,
        0.1,
        False,
        ViewWeights(semantic=1.0, lexical=0.7),
        "stated preferences rarely share words with it",
    ),
    "list": Setting(30, 8, 0.2, True, _EVEN, "every mention, from many sessions"),
    "order": Setting(30, 8, 0.0, True, _EVEN, "every step, from many sessions"),
    "summary": Setting(40, 10, 0.3, True, _EVEN, "all of it, from many sessions"),
}
