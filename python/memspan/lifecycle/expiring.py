"""Erase what has outlived its time. Searches do not find it any more from the moment on at which it expires."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memspan.errors import StoreError
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import erase_within
from memspan.remember.forgetting.scope import Scope, anywhere
from memspan.remember.forgetting.unlearning import unlearn
from memspan.remember.tagging.dropping_relations import unrelate_within
from memspan.remember.writing.change import Change
from memspan.store import StoreReader
from memspan.times import Micros, now_micros

__all__ = ["Expired", "expired_ids", "sweep"]

_logger = logging.getLogger("memspan")
_SLICE: Final = 256
"""Records of a transaction; other writers wait for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """What a sweep erased."""

    records: int = 0
    """With the versions that went with them."""
    users: int = 0
    finished: bool = True
    """`False`: the time was over first. What was erased may have left bytes in the files until the next sweep."""


def expired_ids(engine: Engine, user: str | None, now: Micros | None = None) -> dict[str, list[str]]:
    """What a sweep would erase now, by user, each once; see `sweep`."""
    engine.require_open()
    found: dict[str, dict[str, None]] = defaultdict(dict)
    moment = _now(now)
    with engine.store.reading() as reader:
        everything = reader.count(user) if user is not None else reader.count()
        due = reader.lifetimes.expired(user, moment, everything)
        if not reader.cold.empty:
            due = [*due, *reader.cold.expired_ids(moment, user)]
        for name, id_ in due:
            found[name][id_] = None
        return {name: list(ids | dict.fromkeys(_versions(reader, name, ids))) for name, ids in found.items()}


def sweep(
    engine: Engine,
    user: str | None = None,
    now: Micros | None = None,
    in_time: Callable[[], bool] = lambda: True,
) -> Expired:
    """Erase the records of a user, or of all, whose life is over, in memory and in the cold tier, with their versions
    and the originals of what was compressed, and the bytes of them all.

    Records that are held stay until they are released, those that are pinned until they are unpinned, and so do their
    originals. What was made of a record stays, unless it expires itself: a recipe's memories live as long as their
    kind, and not longer than a turn that was given an end of its own. What encode jobs kept on the way, which may say
    what it said, goes; and so does a job itself with the last of its turns and of what came of it.

    In slices of 256 records. Interrupted, it goes on when it is called again. Without expired records it costs a look
    into an index; otherwise time linear in the size of the database, as `forget` does: of one user, only where files
    were not rewritten in the ten minutes before. Bytes that cannot be erased yet, as another process reads an older
    state, are by the next sweep, after one of all users by the next open, too; the log says so.

    Args:
        now: instead of the time of the clock.
        in_time: is asked before each slice, and before the files are rewritten, whether to go on.
    """
    engine.require_open()
    moment = _now(now)
    erased, users = 0, set[str]()
    while True:
        with engine.store.reading() as reader:
            due = reader.lifetimes.expired(user, moment, _SLICE)
        if not due:
            break
        if not in_time():
            _note_erased(engine, erased)
            return Expired(records=erased, users=len(users), finished=False)
        count, names = _erase_slice(engine, user, moment)
        erased += count
        users |= names
        if not count:
            break
    cold, finished = _erase_cold(engine, user, moment, in_time)
    users |= cold.keys()
    erased += cold.total()
    _note_erased(engine, erased)
    # Who takes users one after the other rewrites the files once, not for each of them.
    if finished and _is_unwiped(engine, patient=user is not None):
        finished = in_time()
        if finished:
            _wipe(engine)
    return Expired(records=erased, users=len(users), finished=finished)


def _note_erased(engine: Engine, count: int) -> None:
    if count:
        engine.note_unsaved()


def _is_unwiped(engine: Engine, *, patient: bool) -> bool:
    """Whether the files may hold bytes of what was erased: by this sweep, or by one before, of any process, whose time
    was over first."""
    with engine.store.reading() as reader:
        return reader.erasure_pending(patient=patient)


def _wipe(engine: Engine) -> None:
    try:
        engine.store.erase()
    except StoreError as error:
        # Somebody who reads for long, as for a backup, is no reason to leave all else of sleep undone every time.
        _logger.warning("%s", error)


@survives_damage
def _erase_slice(engine: Engine, user: str | None, now: Micros) -> tuple[int, set[str]]:
    ids: dict[str, list[str]] = defaultdict(list)
    erased = 0
    with engine.changing() as change:
        # Asked again: whoever pinned or renewed a record meanwhile came first.
        for name, id_ in change.writer.lifetimes.expired(user, now, _SLICE):
            ids[name].append(id_)
        for name, own in ids.items():
            erased += _erase(change, name, own)
        if ids:
            engine.snapshots.delete(change.writer)
            change.writer.request_erasure(later=user is not None)
    for name in ids:
        engine.forget_words(name)
    return erased, set(ids)


def _erase_cold(
    engine: Engine, user: str | None, now: Micros, in_time: Callable[[], bool]
) -> tuple[Counter[str], bool]:
    """What lies in the cold tier expires, too, in slices; returns how much, by user, and whether that was all."""
    with engine.store.reading() as reader:
        due = [] if reader.cold.empty else reader.cold.expired(now, user)
    erased: Counter[str] = Counter()
    for first in range(0, len(due), _SLICE):
        if not in_time():
            return erased, False
        erased.update(_erase_cold_slice(engine, due[first : first + _SLICE], now, later=user is not None))
    return erased, True


@survives_damage
def _erase_cold_slice(engine: Engine, keys: Sequence[int], now: Micros, *, later: bool) -> dict[str, int]:
    counts: dict[str, int] = {}
    with engine.changing() as change:
        erased = change.writer.cold.expire(keys, now)
        for user, copies in erased.items():
            for copy in copies:
                unlearn(change, user, copy)
            counts[user] = _erase(change, user, sorted({copy.id for copy in copies}))
        if erased:
            engine.snapshots.delete(change.writer)
            change.writer.request_erasure(later=later)
    # Whoever asked while they were in memory left their names there.
    for name in erased:
        engine.forget_words(name)
    return counts


def _versions(reader: StoreReader, user: str, ids: Iterable[str]) -> list[str]:
    """What these said before, and goes with them."""
    versions = anywhere(reader, user, reader.traces.versions(user, list(ids)))
    return sorted(id_ for id_, record in versions.items() if not (record.held or record.pinned))


def _erase(change: Change, user: str, ids: list[str]) -> int:
    writer, jobs = change.writer, change.writer.jobs
    doomed = sorted({*ids, *_versions(writer, user, ids)})
    # Jobs keep what they made of it, but not what they wrote down on the way.
    jobs.forget_results(set().union(*jobs.seeing(user, doomed).values()))
    ending = jobs.making(user, doomed).union(*jobs.seeing(user, doomed, own=True).values())
    erase_within(change, user, Scope(tuple(doomed), frozenset(), (), frozenset(ids)))
    # They name their session, and would be more with every day.
    for parent, child in jobs.drop_spent(ending):
        unrelate_within(change, user, parent, child)
    audited(change, "expire", user=user, ids=doomed, records=len(doomed))
    return len(doomed)


def _now(now: Micros | None) -> Micros:
    return now_micros() if now is None else now
