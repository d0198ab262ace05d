"""What is left to merge of one user: pairs that the index found, decided group by group."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from functools import partial
from time import sleep
from typing import Final

from memspan.base.cores import available_cores
from memspan.records import Record
from memspan.remember.damage import survives_damage
from memspan.remember.endings.lifetimes import lifetimes_of
from memspan.remember.engine import Engine
from memspan.reports.duplicates import Duplicate, Duplicates
from memspan.store.sqlite.statements import chunks
from memspan.times import Micros, from_micros

from .duplicates import Merger, Merging, mergers
from .following import followed
from .happened import days_of_events
from .last import Last, news_of
from .likeness import groups_of

__all__ = ["FIRST_PAIRS", "MOST_PAIRS", "MergingRound", "keep_round", "kept_round"]

MOST_PAIRS: Final = 1_000_000
"""Pairs of a round at most: some 250 MB while they are in hand."""
FIRST_PAIRS: Final = 200_000
"""Pairs of a user's first round. When more are found, the next round comes after these were merged, which are none
any more then."""
_KEPT_PAIRS: Final = MOST_PAIRS
_KEPT: Final = 64
"""Rounds, and pairs of them all, that are kept for next consolidations: who takes many users one after the other, for a
second each, would otherwise fill the memory with what all of them left."""
_MORE: Final = 10
"""By how much the next round is larger when nothing was merged in this one."""
_AT_ONCE: Final = 32
"""Records that are read before other threads get the interpreter."""
_DECIDED: Final = 64
"""Records that are decided about before somebody asks for the time, and more if a group has more."""


class MergingRound:
    """The pairs of one native search. Not thread-safe.

    What it holds of records is their ids, and the records themselves of what was decided and is yet to be done. Who
    carries that out looks again at what is stored.

    Args:
        last: where the last consolidation ended; a round goes on only from there.
        next: where the next one goes on from.
        most: pairs at most.
    """

    def __init__(
        self,
        engine: Engine,
        user: str,
        merging: Merging,
        *,
        last: Last,
        next: Last,
        most: int = FIRST_PAIRS,
    ) -> None:
        with engine.store.reading() as reader:
            self._news = news_of(reader, user, last, merging.kinds)
        found = _search(engine, user, merging, self._news, most)
        self.last: Final = last
        self.next: Final = next
        self.records: Final = found.records
        self.complete: Final = found.complete
        self.merged = 0
        """How many memories ended."""
        self._user = user
        self._merging = merging
        self._most = most
        self._groups = [group for group in groups_of(found.pairs) if self._has_news(group)]
        self._groups.reverse()
        self._left: list[Merger] = []

    @property
    def more(self) -> bool:
        """Whether something is left to do, or to decide."""
        return bool(self._groups or self._left)

    @property
    def pairs(self) -> int:
        """How many pairs are left to decide about."""
        return sum(map(len, self._groups))

    @property
    def next_most(self) -> int | None:
        """How many pairs the next round may have, if there has to be one to find the others."""
        if self.complete:
            return None
        if self.merged:
            return self._most
        return None if self._most >= MOST_PAIRS else min(_MORE * self._most, MOST_PAIRS)

    def decided(self, engine: Engine, gone: Container[str] = ()) -> list[Merger]:
        """What is to be done next; may be nothing. The caller takes off the list what was done.

        Args:
            gone: ids of records that neither end nor stay.
        """
        if self._left:
            left, self._left = self._left, []
            return left
        pairs: list[Duplicate] = []
        while self._groups and len(pairs) < _DECIDED:
            pairs += self._groups.pop()
        return _decide(engine, self._user, pairs, self._merging, self._news, gone)

    def _has_news(self, group: list[Duplicate]) -> bool:
        news = self._news
        return news is None or any(pair.first in news or pair.second in news for pair in group)

    @property
    def holds(self) -> set[str]:
        """Ids of the records that it has."""
        return {record.id for merger in self._left for record in (merger.kept, *merger.ending)}

    def put_back(self, left: list[Merger]) -> None:
        """Keep what was decided, and not done."""
        self._left = left


def keep_round(engine: Engine, user: str, rest: MergingRound) -> None:
    """Keep a round for the next consolidation of the user by the same handle, if nothing of theirs is forgotten, and
    too many others are not left behind."""
    kept = engine.unfinished
    kept.pop(user, None)
    kept[user] = rest
    room = _KEPT_PAIRS
    for place, (other, each) in enumerate(reversed(list(kept.items()))):
        room -= each.pairs
        if place and (room < 0 or place >= _KEPT):
            kept.pop(other, None)  # which another search finds again
    held = rest.holds
    with engine.store.reading() as reader:  # afterwards: who forgets more takes it out
        if not held <= reader.traces.present(user, held):
            engine.unfinished.pop(user, None)


def kept_round(engine: Engine, user: str, last: Last) -> MergingRound | None:
    """The round that was kept, if it goes on from there; whoever asks has it, and nobody else."""
    rest: MergingRound | None = engine.unfinished.pop(user, None)
    return rest if rest is not None and rest.last == last else None


@survives_damage
def _search(
    engine: Engine, user: str, merging: Merging, news: Mapping[str, Micros] | None, most: int
) -> Duplicates:
    if news is not None and not news:
        return Duplicates([], complete=True, records=0)
    return engine.current().duplicates(
        user=user,
        threshold=merging.least,
        kinds=merging.kinds,
        since=None if news is None else from_micros(min(news.values())),
        most=most,
        threads=min(2, available_cores()),
    )


@survives_damage
def _decide(
    engine: Engine,
    user: str,
    pairs: list[Duplicate],
    merging: Merging,
    news: Container[str] | None,
    gone: Container[str],
) -> list[Merger]:
    index = engine.current()
    ids = dict.fromkeys(id_ for pair in pairs for id_ in pair[:2])
    records: dict[str, Record] = {}
    with engine.store.reading() as reader:
        for piece in chunks(list(ids), _AT_ONCE):
            records.update(reader.fetch(user, piece, embeddings=True))
            sleep(0)
        follows = followed(index, partial(reader.fetch, user), user, records.values())
        lifetimes = lifetimes_of(reader, user)
        days = days_of_events(reader, user, records.values())
    found = mergers(pairs, records, merging, follows, news=news, gone=gone, lifetimes=lifetimes, days=days)
    return [Merger(_bare(one.kept), tuple(_bare(record) for record in one.ending)) for one in found]


def _bare(record: Record) -> Record:
    return replace(record, embedding=None)
