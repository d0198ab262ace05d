"""`Dialogue`: the turns in which answers are looked for, as many as a model takes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from memspan.recall.context.tokens import estimate_tokens

from .together import split_list
from .values import Statement, Turn

__all__ = ["Asked", "Dialogue"]

_ANSWER: Final = 200
"""Tokens of an answer, rather more than less."""

Asked = tuple[Statement, str]
"""A statement with the question that stands for it."""


class Dialogue(NamedTuple):
    """Questions, and the turns that they are asked about."""

    asked: tuple[Asked, ...]
    turns: tuple[Turn, ...]
    history: tuple[Turn, ...]
    """Turns before them, which no answer can name."""

    def length(self) -> int:
        """Characters of the turns, which are most of a prompt."""
        return sum(len(turn.text) for turn in (*self.history, *self.turns))

    def numbered(self) -> list[str]:
        """What tells which turns and questions the numbers in a prompt stand for."""
        texts = (text for one, question in self.asked for text in (one.text, question))
        return [*(turn.id for turn in self.turns), *texts]

    def smaller(self) -> tuple[Dialogue, ...]:
        """What to ask in its place when it does not fit: about the turns near the sources where the turns are what is
        long, else fewer questions; nothing when it is one question about one turn."""
        shown = (*self.history, *self.turns)
        halves = split_list(self.asked)
        sources = {id_ for one, _ in self.asked for id_ in one.sources}.intersection(
            turn.id for turn in shown
        )
        count = len(shown) // 2
        if halves is not None:
            tokens = sum(estimate_tokens(turn.text) for turn in shown)
            if count < len(sources) or tokens <= _ANSWER * len(self.asked):
                return tuple(self._replace(asked=half) for half in halves)
        near = _nearest(shown, sources, count)
        own = {turn.id for turn in self.turns}
        turns = tuple(turn for turn in near if turn.id in own)
        history = tuple(turn for turn in near if turn.id not in own)
        return (self._replace(turns=turns, history=history),) if turns else ()


def _nearest(turns: Sequence[Turn], ids: Collection[str], count: int) -> list[Turn]:
    """So many of the turns, in order, those of the ids and their neighbours first. O(n log n)."""
    far = len(turns)
    distances = [far] * far
    for places in (range(far), reversed(range(far))):
        last = far
        for place in places:
            last = 0 if turns[place].id in ids else last + 1
            distances[place] = min(distances[place], last)
    chosen = sorted(range(far), key=lambda place: (distances[place], place))[:count]
    return [turns[place] for place in sorted(chosen)]
