"""Months and seasons that are names of people to the caller, unless what stands beside them says otherwise."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from memspan.recall.vocabulary import fold

from .lexicon import Token

__all__ = ["keep_names"]

_KINDS: Final = ("month", "season", "named")
_NUMBERS: Final = frozenset(["number", "year", "shortyear"])
_NO_PERSONS: Final = frozenset(["in", "last", "this", "next", "past", "early", "mid", "late"])
"""What stands before times and before no name: "in June" is no person, "before June" may be one."""
_HOLDING: Final = frozenset(["unit", "weekday", "half", "early", "mid", "late"])
"""What is of a time and of no person: "the last week of May"."""
_JOINTS: Final = frozenset(["comma", "and", "or"])
_MOST_WORDS: Final = 4
"""Of a name."""


def keep_names(tokens: list[Token], names: Collection[str], language: str) -> None:
    """Take what is a name back to a plain word. Linear, from the first to the last.

    "Christmas" is a word of names, such as the Christmas Market's, but no person; Noël and Natale are.
    """
    kinds = _KINDS[:2] if language == "en" else _KINDS
    accepted = -1
    """The latest of them that was a time."""
    for position, token in enumerate(tokens):
        if not (token.capital and token.kind in kinds):
            continue
        whole = _in_whole_name(tokens, position, names)
        if not whole and token.word not in names and fold(token.word) not in names:
            continue
        if not (whole or token.possessive) and (
            _placed(tokens, position) or _goes_on(tokens, accepted, position) or _ranges(tokens, position)
        ):
            accepted = position
        else:
            token.kind = "word"


def _in_whole_name(tokens: list[Token], at: int, names: Collection[str]) -> bool:
    """Whether it is a word of a name of several words that stands here in full: "April Smith"."""
    for first in range(max(0, at - _MOST_WORDS + 1), at + 1):
        words = [token.word for token in tokens[first : first + _MOST_WORDS]]
        for size in range(max(2, at - first + 1), len(words) + 1):
            name = " ".join(words[:size])
            if name in names or fold(name) in names:
                return True
    return False


def _kind(tokens: list[Token], at: int) -> str:
    return tokens[at].kind if 0 <= at < len(tokens) else ""


def _placed(tokens: list[Token], at: int) -> bool:
    """Whether a number stands beside it, or a word before it that no person has there."""
    before = _kind(tokens, at - 1)
    if before in _NO_PERSONS or before in _NUMBERS:
        return True
    if _kind(tokens, at - 2) in _NUMBERS or _kind(tokens, at + 1) in _NUMBERS:
        return True
    return before == "of" and _kind(tokens, at - 2) in _HOLDING


def _goes_on(tokens: list[Token], accepted: int, at: int) -> bool:
    """Whether a list or a range of times goes on with it: "in April, May and June", "from April to May"."""
    if not 0 <= accepted < at <= accepted + 3:
        return False
    between = [token.kind for token in tokens[accepted + 1 : at]]
    return bool(between) and all(
        kind in _JOINTS or kind in ("to", "dash", "until", "the") for kind in between
    )


def _ranges(tokens: list[Token], at: int) -> bool:
    """Whether a second month makes a range of it: "between April and May", but not "from April"."""
    opens = _kind(tokens, at - 1)
    joint = _kind(tokens, at + 1)
    if (opens, joint) not in (("between", "and"), ("from", "to"), ("from", "until"), ("from", "dash")):
        return False
    return _kind(tokens, at + 2) == "month" and tokens[at + 2].capital
