"""Which memories say the same, and which of them stays: pure functions over what the index found."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from heapq import merge
from itertools import chain, islice
from time import sleep
from typing import Any, Final

from memspan import _core
from memspan.arguments import as_kind, as_number, as_texts
from memspan.encode.kept_words import lost, numbers_in
from memspan.encode.values import Statement
from memspan.errors import invalid
from memspan.limits import MAX_TAGS
from memspan.records import Record
from memspan.remember.endings.life import given_end
from memspan.remember.input.fields import MAX_NAMES
from memspan.remember.input.tags import without_made
from memspan.reports.duplicates import Duplicate
from memspan.times import MAX_MICROS, to_micros

from .agreement import agree, has_names_of
from .candidates import Candidates
from .following import said
from .likeness import Likeness

__all__ = ["Merger", "Merging", "is_mergeable", "mergers", "united"]

_NEARLY_ALL: Final = 0.8
"""What share of the words of a memory that goes the one that stays must have, as for what a model merges."""
_HALF: Final = 0.5
"""What share of the words of the one that stays the other must have: it may say more, but not about something else."""


_DAY: Final = timedelta(days=1)
"""How far apart tellings of one event may put it: what is midnight here is another day elsewhere."""

_Numbers = dict[str, set[str]]
"""By id, the numbers in a text."""

_SORTED: Final = 128
"""Records that are sorted at a time."""

_IN_A_ROW: Final = 8
"""Memories that are looked at before other threads get the interpreter, a tenth of a millisecond: a nap takes as long
as four of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """When sleep takes memories to say the same, without asking a model.

    Their vectors must be near, and their words must agree: the same numbers, names and negations, and nearly all
    words of the one that goes in the one that stays (all, if it was told later), in the same order. "She has 2 dogs"
    and "She has 3 dogs" stay apart, however near, and so do "Ana owes Ben" and "Ben owes Ana".
    """

    least: float = 0.95
    """Cosine; above 0, at most 1."""
    kinds: tuple[str, ...] = ("semantic",)
    """What was said stays as it was said, unless `episodic` is named, too, for turns that were delivered twice: with
    equal text, speaker, session, provenance and metadata, and right after a turn of equal text and speaker. What is
    said again as the answer to something else, or where nobody can tell what it answers, never ends.
    `procedural` may be named; procedures that were learnt are told apart by their steps, whatever they say. Pointers to
    files are the same when their targets are, and what is in the vault is nobody's to read: these two kinds cannot be
    named."""
    within: timedelta = timedelta(minutes=1)
    """How far apart the deliveries of a turn are at most: what happened twice is two memories."""

    def __post_init__(self) -> None:
        least = as_number(self.least, "least", 0, 1)
        if least == 0:
            raise invalid("least", self.least, "above 0, at most 1")
        # Kept as JSON has it: the store knows with which settings memories were compared.
        object.__setattr__(self, "least", least)
        object.__setattr__(self, "kinds", tuple(as_texts(self.kinds, "kinds")))
        for kind in self.kinds:
            as_kind(kind, "kinds")
            if kind in ("resource", "vault"):
                raise invalid("kinds", kind, "episodic, semantic and procedural")
        within: Any = self.within
        if not isinstance(within, timedelta) or within < timedelta(0):
            raise invalid("within", within, "a timedelta that is not negative")


@dataclass(frozen=True, slots=True)
class Merger:
    """One memory stays for others that say the same."""

    kept: Record
    ending: tuple[Record, ...]


def is_mergeable(record: Record) -> bool:
    """Whether a memory may end: nobody pinned or holds it, and it is believed, without an end."""
    return _is_current(record) and not (record.pinned or record.held)


def mergers(
    pairs: Sequence[Duplicate],
    records: Mapping[str, Record],
    merging: Merging,
    follows: Mapping[str, Hashable] | None = None,
    *,
    news: Container[str] | None = None,
    gone: Container[str] = (),
    lifetimes: Mapping[str, float] | None = None,
    days: Mapping[str, date] | None = None,
) -> list[Merger]:
    """Who stays for whom. Each memory ends once at most, and what stays for others does not end.

    The best wording stays: what is held or pinned first, then by fidelity, number of different words, and the latest;
    of one time by importance, then the one that was learnt first, as of turns. No memory ends for an earlier one of the
    same text: who lives in Porto, then in Braga, and then in Porto, lives in Porto. Nor does it for an earlier one that
    lacks a word of it, which may be the correction. What happened ends for nothing that
    happened more than a day before or after. And what its kind lets live longer ends for nothing that lives shorter: it
    would be gone too early. Every memory that ends is itself near the one that stays for it, so that a chain of small
    steps leads nowhere. O(pairs log pairs).

    Args:
        pairs: as the index found them.
        records: by id, with embeddings; pairs of others are left out.
        follows: what turns follow, as `followed` tells; those that are not in it stay apart.
        news: ids of those that were not compared before, of which one at least is in each merger's pairs; `None`: all.
        gone: ids of those that neither end nor stay, and are only there to tell what is near what.
        lifetimes: seconds by kind that hold for the user.
        days: by id, the day of what happened, as `days_of_events` tells.
    """
    likeness = Likeness(pairs, records, merging.least)
    order = _by_rank(records[id_] for id_ in likeness.ids if id_ not in gone)
    groups = {id_: _group(records[id_], follows or {}, lifetimes or {}, days or {}) for id_ in order}
    free = Candidates(likeness)
    for id_ in order:
        if is_mergeable(records[id_]):
            free.add(records[id_], groups[id_])
    ended: set[str] = set()
    chosen = []
    numbers: _Numbers = {}
    for number, id_ in enumerate(order):
        if number % _IN_A_ROW == 0:
            sleep(0)
        kept, group = records[id_], groups[id_]
        if group is None or id_ in ended or not _is_current(kept):
            continue
        # From here on it had its turn, and may stay for others.
        free.remove(kept, group)
        near = chain.from_iterable(free.near(kept, beside) for beside in _beside(group))
        ending = _ending(kept, near, merging, news, numbers, dated=id_ in (days or {}))
        if ending:
            chosen.append(Merger(kept, tuple(ending)))
            ended.update(record.id for record in ending)
            for record in ending:
                free.remove(record, group)
    return chosen


def _ending(
    kept: Record,
    near: Iterable[Sequence[Record]],
    merging: Merging,
    news: Container[str] | None,
    numbers: _Numbers,
    *,
    dated: bool,
) -> list[Record]:
    """What ends for a memory, of lists of those with the same text."""
    sources = set(kept.sources) - {kept.id}
    limited = kept.kind != "episodic" and not (kept.pinned or kept.held)
    all_new = news is None or kept.id in news
    life = _life(kept)
    ending: list[Record] = []
    for same in near:
        lost_later: dict[tuple[str, ...], bool] = {}
        for record in same:
            if not (all_new or record.id in (news or ())) or _life(record) > life:
                continue
            if dated and abs(record.at - kept.at) > _DAY:
                continue
            if record.text == kept.text and record.at > kept.at and kept.kind != "episodic":
                continue  # what is pinned or truer stays, and this is the latest all the same
            if kept.kind != "episodic" and _is_later(record, kept):
                # Whatever it says that the other does not may be what has changed.
                if record.entities not in lost_later:
                    lost_later[record.entities] = bool(lost([_statement(record)], kept.text, 1))
                if lost_later[record.entities]:
                    continue
            if not _same(kept, record, merging, numbers):
                if kept.kind != "episodic" and record.entities == same[0].entities:
                    break  # so it is with the others
                continue
            if limited:
                more = {*record.sources, record.id} - sources - {kept.id}
                # Sources that a record cannot hold would be lost, and with them what must be forgotten together.
                if len(sources) + len(more) > MAX_NAMES:
                    continue
                sources |= more
            ending.append(record)
    return ending


def united(
    kept: Record, ending: Sequence[Record], made: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """The fields of the memory that stays which change, for `dataclasses.replace`; none of one that is pinned or held.

    Derived memories get the sources of all, and those that end among them: forgetting any of them erases what stays,
    which says the same. Turns have no sources; theirs is a source of its own.

    Args:
        made: by id, which of the tags were made. Those of memories that end stay with these: what stays has its own,
            and is to have no more that it seems to have been given.
    """
    if kept.pinned or kept.held:
        return {}
    parts = (kept, *ending)
    given = (kept, *(without_made(part, made or {}) for part in ending))
    known = [part.importance for part in parts if part.importance is not None]
    fields: dict[str, Any] = {
        "importance": max(known, default=None),
        "tags": tuple(dict.fromkeys(tag for part in given for tag in part.tags))[:MAX_TAGS],
        "entities": tuple(dict.fromkeys(name for part in parts for name in part.entities))[:MAX_NAMES],
    }
    if kept.kind != "episodic":
        fields["sources"] = _sources(kept, ending)
    return fields


def _is_current(record: Record) -> bool:
    return record.until is None and record.retired_at is None


def _by_rank(records: Iterable[Record]) -> list[str]:
    """Ids, the best wording first. Sorted in pieces: the whole would keep the interpreter for milliseconds."""
    ranks = iter(map(_rank, records))
    pieces = []
    while piece := list(islice(ranks, _SORTED)):
        pieces.append(sorted(piece))
        sleep(0)
    return [rank[-1] for rank in merge(*pieces)]


def _rank(record: Record) -> tuple[Any, ...]:
    wording = -record.fidelity, -len(set(_core.analyze(record.text, "english")))
    latest = 0 if record.kind == "episodic" else -to_micros(record.at)
    # What stays gets the greatest importance in any case.
    importance = -1.0 if record.importance is None else record.importance
    last = -importance, record.recorded_at or record.at, record.id
    return (not record.held, not record.pinned, -_life(record), *wording, latest, *last)


def _life(record: Record) -> int:
    return MAX_MICROS if record.expires_at is None else to_micros(record.expires_at)


def _is_later(record: Record, other: Record) -> bool:
    return (record.at, record.recorded_at or record.at) > (other.at, other.recorded_at or other.at)


def _group(
    record: Record,
    follows: Mapping[str, Hashable],
    lifetimes: Mapping[str, float],
    days: Mapping[str, date],
) -> Hashable:
    """Memories of different groups do not say the same; `None`: it stays apart."""
    end = given_end(record, lifetimes)
    if record.kind == "episodic":
        if record.id not in follows:
            return None
        return record.kind, end, said(record), follows[record.id]
    return record.kind, end, record.speaker, days.get(record.id)


def _beside(group: Hashable) -> Iterable[Hashable]:
    """The groups that a group's memories may say the same as: its own first, and of the days before and after."""
    yield group
    if isinstance(group, tuple) and isinstance(group[-1], date):
        *rest, day = group
        for beside in (-1, 1):
            with suppress(OverflowError):
                yield (*rest, day + beside * _DAY)


def _same(kept: Record, other: Record, merging: Merging, numbers: _Numbers) -> bool:
    """Whether one of the same group says the same."""
    if kept.kind == "episodic":
        return abs(kept.at - other.at) <= merging.within
    if kept.text == other.text:
        return True
    # Either would lose a number of the other. Readings of many days differ in nothing else, each from all others.
    if _numbers(kept, numbers) != _numbers(other, numbers):
        return False
    if not agree(kept.text, other.text) or not has_names_of(kept.text, other.text):
        return False
    one, two = _statement(kept), _statement(other)
    return not lost([two], kept.text, _NEARLY_ALL) and not lost([one], other.text, _HALF)


def _numbers(record: Record, known: _Numbers) -> set[str]:
    found = known.get(record.id)
    if found is None:
        found = known[record.id] = numbers_in([record.text])
    return found


def _sources(kept: Record, ending: Sequence[Record]) -> tuple[str, ...]:
    found = dict.fromkeys(kept.sources)
    for part in ending:
        found.update(dict.fromkeys((*part.sources, part.id)))
    found.pop(kept.id, None)
    return tuple(found)


def _statement(record: Record) -> Statement:
    return Statement(text=record.text, at=record.at, sources=record.sources, entities=record.entities)
