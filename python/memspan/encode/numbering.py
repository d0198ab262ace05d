"""Numbers for what a model sees: it names turns and statements by them, never by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

from .values import Turn

__all__ = ["by_number", "pick", "scene_of", "turn_lines"]


class _Numbered(Protocol):
    @property
    def n(self) -> int: ...


T = TypeVar("T")
N = TypeVar("N", bound=_Numbered)

_PAUSE: Final = timedelta(hours=1)


def turn_lines(turns: Sequence[Turn], numbered: Sequence[Turn]) -> list[dict[str, Any]]:
    """Lines of prompt data for turns, in their order: `{"n", "at", "speaker", "text"}`.

    Those that are numbered, from 1, are the ones to work on; the others are context. The time is there for the first
    turn, after every pause of an hour, and on a new day, from which "tomorrow" is worked out: what a reader needs, and
    a third of the tokens.

    Args:
        turns: what is shown.
        numbered: some of them, in the same order.
    """
    numbers = {turn.id: number for number, turn in enumerate(numbered, 1)}
    lines = []
    shown: datetime | None = None
    for turn in turns:
        line: dict[str, Any] = {}
        if turn.id in numbers:
            line["n"] = numbers[turn.id]
        if shown is None or abs(turn.at - shown) >= _PAUSE or turn.at.date() != shown.date():
            line["at"] = _written(turn.at)
            shown = turn.at
        if turn.speaker:
            line["speaker"] = turn.speaker
        line["text"] = turn.text
        lines.append(line)
    return lines


def scene_of(turns: Sequence[Turn], topic: str | None = None) -> dict[str, Any]:
    """What a prompt says about the stretch as a whole: when it starts, on which day of the week, who takes part."""
    start = turns[0].at
    scene: dict[str, Any] = {
        "start": _written(start),
        "weekday": ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")[start.weekday()] + "day",
        "participants": list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker)),
    }
    if topic:
        scene["topic"] = topic
    return scene


def pick(items: Sequence[T], numbers: Iterable[int]) -> tuple[list[T], list[int]]:
    """The items of those numbers, each once and in their own order, and the numbers that no item has."""
    wanted = set(numbers)
    known = [item for number, item in enumerate(items, 1) if number in wanted]
    return known, sorted(number for number in wanted if not 1 <= number <= len(items))


def by_number(items: Sequence[N], count: int) -> dict[int, N]:
    """What a reply says about each of the numbers from 1 to `count`; of several about one the first.

    Where it names none of them, or counts all of them from 0, what stands first in it is about the first.
    """
    numbers = [item.n for item in items]
    if numbers in ([0] * count, list(range(count))) or (count == 1 and not any(numbers)):
        return dict(zip(range(1, count + 1), items, strict=False))
    return {item.n: item for item in reversed(items)}


def _written(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at.year >= 1000 else at.isoformat()
