"""Give records the end of their life."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Final

from memspan.errors import MemspanError
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import remove_if_nothing_is_left
from memspan.remember.writing.change import Change
from memspan.store import StoreReader
from memspan.store.lifetimes import UnsettledLifetime

from .life import end_of_life, given_end
from .lifetime_turns import Patience, at_work, begin, is_seen_to, take_over
from .restating import restate

__all__ = [
    "Loaded",
    "lifetimes_of",
    "set_lifetime",
    "settle_lifetimes",
    "shorten_derived",
    "shorten_loaded",
    "with_lifetimes",
]

_logger = logging.getLogger("memspan")

_Key = tuple[str, str]

_SOURCES: Final = attrgetter("sources")

_SLICE: Final = 256
"""Records of a transaction; other writers wait for it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came from a file so far. Each record of it says itself how long it lives; which ends are those of a kind is
    known only when the file's times to live are set."""

    keys: Collection[_Key]
    """(user, id) of its records."""
    ending: set[_Key] = field(default_factory=set)
    """Those that were here already and got another end."""


def lifetimes_of(reader: StoreReader, user: str) -> dict[str, float]:
    """Seconds by kind that hold for a user: its own, and those of everybody for other kinds."""
    ends = reader.lifetimes
    return {**ends.lifetimes(None), **ends.lifetimes(user)}


def with_lifetimes(
    reader: StoreReader, records: Sequence[Record], now: datetime, loaded: Loaded | None = None
) -> list[Record]:
    """Records that are about to be written, each with the end of its life: its own, or that of its kind, or, where it
    was derived from something that was given an end, not later than that.

    That a kind of sources has a lifetime says nothing about what was made of them: turns may go while facts stay. That
    a source was added with an end of its own does: what was said for an hour is not to be known for ever.

    No query where nothing has sources, nor a lifetime that the transaction's connection does not know yet.

    Args:
        loaded: the file that they come from, the sources in which are none that shorten their lives.
    """
    lifetimes: dict[str, dict[str, float]] = {}
    if not reader.lifetimes.none_set():
        lifetimes = {user: lifetimes_of(reader, user) for user in {record.user for record in records}}
    inherits = any(map(_SOURCES, records)) and (reader.lifetimes.any_expiring() or not reader.cold.empty)
    if not inherits and not lifetimes:
        return list(records)
    found = []
    for record in records:
        own = lifetimes.get(record.user, {})
        ends = [] if record.expires_at is None else [record.expires_at]
        if not ends and record.kind in own:
            ends.append(end_of_life(record.recorded_at or now, own[record.kind]))
        if inherits:
            come = () if loaded is None else loaded.keys
            sources = [id_ for id_ in record.sources if (record.user, id_) not in come]
            ends += _ends_of_sources(reader, record.user, sources, own)
        found.append(replace(record, expires_at=min(ends)) if ends else record)
    return found


def _ends_of_sources(
    reader: StoreReader, user: str, ids: Sequence[str], *lifetimes: Mapping[str, float]
) -> list[datetime]:
    """The ends that sources of a record were given themselves, wherever they lie.

    Args:
        lifetimes: seconds by kind that hold for the user, or held: an end that comes from one of them is no own one.
    """
    if not ids:
        return []
    sources = reader.fetch(user, ids)
    away = [id_ for id_ in ids if id_ not in sources]
    if away and not reader.cold.empty:
        sources |= {id_: copy.record for id_, copy in reader.cold.fetch(user, away).items()}
    return [
        source.expires_at
        for source in sources.values()
        if source.expires_at is not None and all(given_end(source, each) is not None for each in lifetimes)
    ]


def shorten_derived(
    change: Change,
    records: Sequence[Record],
    before: Mapping[_Key, Record],
    loaded: Loaded | None = None,
) -> None:
    """Let what was made of records live no longer than these, where they were given another end of their own and say
    what they said. No query otherwise.

    Args:
        records: as they were just written.
        before: as they were, by user and id.
        loaded: the file that they come from, at whose end `shorten_loaded` does it.
    """
    for record in records:
        key = record.user, record.id
        known = before.get(key)
        if known is None or known.expires_at == record.expires_at or known.text != record.text:
            continue
        if loaded is not None:
            loaded.ending.add(key)
        else:
            _shorten(change, record)


@survives_damage
def shorten_loaded(engine: Engine, loaded: Loaded) -> None:
    """Let what was made here of the records of a file live no longer than these. Belongs after its times to live."""
    if not loaded.ending:
        return
    ids: dict[str, list[str]] = {}
    for user, id_ in sorted(loaded.ending):
        ids.setdefault(user, []).append(id_)
    for user, own in ids.items():
        for start in range(0, len(own), _SLICE):
            with engine.changing() as change:
                for record in change.writer.fetch(user, own[start : start + _SLICE]).values():
                    _shorten(change, record, loaded.keys)


def _shorten(change: Change, record: Record, without: Collection[_Key] = ()) -> None:
    user = record.user
    end = given_end(record, lifetimes_of(change.writer, user))
    derived = [] if end is None else sorted(change.writer.traces.derived(user, [record.id]))
    derived = [id_ for id_ in derived if (user, id_) not in without]
    if not derived:
        return
    stored = change.writer.fetch(user, derived, embeddings=True).values()
    restate(change, [replace(one, expires_at=end) for one in stored if _outlives(one, end)])
    away = change.writer.cold.fetch(user, derived)
    change.writer.cold.set_ends(user, {id_: end for id_, copy in away.items() if _outlives(copy.record, end)})


def _outlives(record: Record, end: datetime | None) -> bool:
    return end is not None and (record.expires_at is None or record.expires_at > end)


def set_lifetime(engine: Engine, *, kind: str, seconds: float | None, user: str | None) -> int:
    """See `Memory.set_lifetime`; returns how many records got another end."""
    engine.require_open()
    patience = Patience(engine)
    with at_work(engine) as by:
        wanted = UnsettledLifetime(user, kind, seconds, by)
        # Ends that one which died gave count as ends of their own until it is done.
        before = _go_on(engine, by, kind)
        while (other := begin(engine, wanted)) is not None:
            if is_seen_to(other):
                patience.wait(other)
            else:
                before |= _go_on(engine, by, kind)
        return before.get((user, seconds), 0) + _set(engine, wanted)


def settle_lifetimes(engine: Engine) -> None:
    """Go on with the times to live that a process was setting when it died; one that is still at it is left alone.
    What hinders that is logged: the next opening goes on, or whoever sets one of that kind."""
    try:
        with at_work(engine) as by:
            _go_on(engine, by)
    except MemspanError as error:
        _logger.warning("%s: a time to live is not set for all records yet (%s)", engine.store.path, error)


def _go_on(engine: Engine, by: str, kind: str | None = None) -> dict[tuple[str | None, float | None], int]:
    """Set those of a kind, or of all, that were left; by whose they are and seconds, how many records got another
    end."""
    with engine.store.reading() as reader:
        unsettled = reader.lifetimes.unsettled()
    given = {}
    for left in unsettled:
        if kind in (None, left.kind) and not is_seen_to(left):
            taken = take_over(engine, left, by)
            if taken is not None:
                given[left.user, left.seconds] = _set(engine, taken)
    return given


def _set(engine: Engine, wanted: UnsettledLifetime) -> int:
    user, kind = wanted.user, wanted.kind
    with engine.store.reading() as reader:
        ids = {name: _of_kind(reader, name, kind) for name in _concerned(reader, user, kind)}
    changed = done = 0
    for name, own in ids.items():
        for start in range(0, len(own), _SLICE):
            piece = own[start : start + _SLICE]
            done += len(piece)
            changed += _restate(engine, name, piece, wanted._replace(done=done))
    changed += _settle(engine, wanted, ids)
    engine.note_unsaved(changed)
    return changed


def _concerned(reader: StoreReader, user: str | None, kind: str) -> list[str]:
    """Whose records another lifetime is for."""
    if user is not None:
        return [user]
    return [name for name in reader.users() if kind not in reader.lifetimes.lifetimes(name)]


def _of_kind(reader: StoreReader, user: str, kind: str) -> list[str]:
    """Ids of a user's records of a kind, in memory or in the cold tier."""
    ids = reader.lifetimes.of_kind(user, kind)
    return ids if reader.cold.empty else [*ids, *reader.cold.of_kind(user, kind)]


def _applied(reader: StoreReader, wanted: UnsettledLifetime) -> float | None:
    """What holds then: who loses a lifetime of their own comes under everybody's."""
    own = wanted.seconds is not None or wanted.user is None
    return wanted.seconds if own else reader.lifetimes.lifetimes(None).get(wanted.kind)


@survives_damage
def _restate(engine: Engine, name: str, ids: Sequence[str], wanted: UnsettledLifetime) -> int:
    with engine.changing() as change:
        change.writer.lifetimes.unsettle(wanted)
        return _give(change, name, ids, wanted.kind, _applied(change.writer, wanted))


@survives_damage
def _settle(engine: Engine, wanted: UnsettledLifetime, done: Mapping[str, Sequence[str]]) -> int:
    """Keep the lifetime for what comes, and give it to what came meanwhile. The last step: until then, the ends that
    records have are told from ends of their own by the lifetime that is kept."""
    user, kind, seconds = wanted.user, wanted.kind, wanted.seconds
    with engine.changing() as change:
        changed = 0
        applied = _applied(change.writer, wanted)
        for name in _concerned(change.writer, user, kind):
            new = sorted(set(_of_kind(change.writer, name, kind)).difference(done.get(name, ())))
            changed += _give(change, name, new, kind, applied)
        change.writer.lifetimes.set_lifetime(user, kind, seconds)
        change.writer.lifetimes.settle(wanted)
        audited(change, "lifetime", user=user, kind=kind, seconds=seconds)
        if seconds is None and user is not None:
            remove_if_nothing_is_left(change, user)
    return changed


def _give(change: Change, user: str, ids: Sequence[str], kind: str, seconds: float | None) -> int:
    before = lifetimes_of(change.writer, user)
    changed = []
    for record in change.writer.fetch(user, ids, embeddings=True).values():
        end = _new_end(change.writer, record, before, seconds)
        if record.kind == kind and end != record.expires_at:
            changed.append(replace(record, expires_at=end))
    restate(change, changed)
    return len(changed) + _give_cold(change, user, ids, kind, before, seconds)


def _give_cold(
    change: Change,
    user: str,
    ids: Sequence[str],
    kind: str,
    before: Mapping[str, float],
    after: float | None,
) -> int:
    cold = change.writer.cold
    if cold.empty:
        return 0
    ends = {}
    for id_, copy in cold.fetch(user, ids).items():
        end = _new_end(change.writer, copy.record, before, after)
        if copy.record.kind == kind and end != copy.record.expires_at:
            ends[id_] = end
    cold.set_ends(user, ends)
    return len(ends)


def _new_end(
    reader: StoreReader, record: Record, before: Mapping[str, float], after: float | None
) -> datetime | None:
    """Of a record whose kind gets another lifetime; an end of its own stays.

    Args:
        before: seconds by kind that held for the user.
    """
    if record.expires_at is not None and given_end(record, before) is not None:
        return record.expires_at
    assert record.recorded_at is not None
    end = None if after is None else end_of_life(record.recorded_at, after)
    if record.expires_at is None or (end is not None and end <= record.expires_at):
        return end
    # Its kind lived shorter than something that it was made of, so that nobody saw that this has an end.
    now = before if after is None else {**before, record.kind: after}
    return min(
        [
            *_ends_of_sources(reader, record.user, record.sources, before, now),
            *([] if end is None else [end]),
        ],
        default=None,
    )
