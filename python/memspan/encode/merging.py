"""Statements that say the same in the same words, made one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from .clean import same_words
from .stage import Tools
from .values import Statement, Turn

__all__ = ["merge_same", "united_sources"]

_DAY: Final = 86_400.0


def merge_same(statements: Sequence[Statement], turns: Sequence[Turn], tools: Tools) -> tuple[Statement, ...]:
    """The statements in order, those of the same words and day as one: with the sources of all, and the first's text.

    Overlapping windows give such ones. Merely similar ones stay: "Ana likes tea" and "Ana likes coffee" are more
    similar than most paraphrases. O(characters).
    """
    merged: list[Statement] = []
    seen: dict[tuple[str, ...], list[int]] = {}
    for statement in statements:
        places = seen.setdefault(same_words(statement.text), [])
        for place in places:
            first = merged[place]
            if abs((statement.at - first.at).total_seconds()) <= _DAY:
                merged[place] = _joined(first, statement, turns)
                tools.note("merged", statement=first.text, sources=list(merged[place].sources))
                break
        else:
            places.append(len(merged))
            merged.append(statement)
    return tuple(merged)


def united_sources(parts: Iterable[Iterable[str]], turns: Sequence[Turn]) -> tuple[str, ...]:
    """The ids of all parts, each once, in the order of the turns; those of no turn last."""
    order = {turn.id: place for place, turn in enumerate(turns)}
    ids = dict.fromkeys(id_ for part in parts for id_ in part)
    return tuple(sorted(ids, key=lambda id_: order.get(id_, len(order))))


def _joined(first: Statement, second: Statement, turns: Sequence[Turn]) -> Statement:
    saliences = [one.salience for one in (first, second) if one.salience is not None]
    return replace(
        first,
        sources=united_sources((first.sources, second.sources), turns),
        entities=tuple(dict.fromkeys((*first.entities, *second.entities))),
        tags=tuple(dict.fromkeys((*first.tags, *second.tags))),
        salience=max(saliences, default=None),
    )
