"""Invented turns and conversations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

from memspan.encode.values import Statement, Turn, Work

__all__ = ["START", "conversation", "statement", "turn", "turns", "work"]

START = datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc)
"""A Monday."""

_LINES = (
    "Hi Bo, how are you?",
    "I moved to Porto with my sister Ines last Friday!",
    "Wow, nice.",
    "My new job at the Cedar bakery starts on 2023-06-01.",
    "I bought two tickets for the Lisbon marathon on 2023-10-08.",
    "Good luck with that!",
    "My dog Rex broke a leg yesterday, poor old boy.",
    "Oh no! What did the vet say?",
    "The vet in Braga says Rex needs six weeks of rest.",
    "I read a book about beekeeping and now I want to keep bees.",
    "Thanks, bye!",
)


def turn(number: int, text: str, *, speaker: str | None = "Ana", at: datetime | None = None) -> Turn:
    """The turn `tN`, a minute after the one before."""
    return Turn(
        id=f"t{number}",
        text=text,
        at=at or START + timedelta(minutes=number),
        speaker=speaker,
        session="s1",
    )


def turns(*texts: str) -> tuple[Turn, ...]:
    """Turns `t0`, `t1`, ... of Ana and Bo in turn."""
    return tuple(turn(i, text, speaker="Bo" if i % 2 else "Ana") for i, text in enumerate(texts))


def conversation(count: int) -> tuple[Turn, ...]:
    """That many turns in which some things are told, and some nothing; no two turns are alike."""
    length = len(_LINES)
    return turns(*(f"{_LINES[i % length]} ({i})" if i >= length else _LINES[i] for i in range(count)))


def work(
    given: Sequence[Turn], *, history: Sequence[Turn] = (), statements: Sequence[Statement] = ()
) -> Work:
    """The work of one job of the user `ana`."""
    return Work(user="ana", turns=tuple(given), history=tuple(history), statements=tuple(statements))


def statement(text: str, *sources: str, **more: object) -> Statement:
    """A statement from those turns, by default from `t0`."""
    return Statement(**{"text": text, "at": START, "sources": sources or ("t0",), **more})  # type: ignore[arg-type]
