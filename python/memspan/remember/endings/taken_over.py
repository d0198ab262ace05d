"""What a memory that stays for others took over from them, and lets go of when they are forgotten.

Merging unites sources, tags and entities; each memory that ends notes what it was the first to bring (`gifts.py`). The
text of what stays is its own, so that it need not go with those that said the same. So does a derived memory that a
caller supersedes by a text, which gets its tags and entities, but not its sources.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from memspan.lifecycle.undo.journal import rewrite
from memspan.records import Record
from memspan.remember.input.tags import tagged
from memspan.remember.places import Place, places
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.store import StoreReader
from memspan.store.cold import ORIGINAL
from memspan.times import to_micros

from .endings import ended_by
from .gifts import FIELDS, Values, gifts, given_by, noting, offered_by, without

__all__ = ["given_back", "inherited", "let_go", "only_took_over", "stays"]

_ACTIONS: Final = ("merge", "supersede")


def inherited(reader: StoreReader, record: Record, new: Record) -> dict[str, list[str]] | None:
    """What a text of a caller's gets from the record that it supersedes and that is not a caller's either: it goes with
    the sources of that record, where this is derived, or with those from which it had it itself."""
    made = reader.made_tags(record.user, [record.id])
    gave = gifts(replace(new, tags=(), entities=()), new, [record], made).get(record.id, {})
    if not record.sources:
        own = _ended_for(reader, record.user, [record.id]).get(record.id, ())
        gave = {
            name: [one for one in values if any(one in given[name] for _, given in own)]
            for name, values in gave.items()
        }
    return {name: values for name, values in gave.items() if values} or None


def stays(
    reader: StoreReader,
    user: str,
    ids: Collection[str],
    reached: Collection[str],
    reach: Callable[[Collection[str]], Collection[str]],
) -> set[str]:
    """Those of the records that can be reached from some which need not go with these: no source of their own goes.

    Args:
        ids: what goes in any case; need not exist any more.
        reached: what goes with it, sources that were taken over included.
        reach: gives what goes with it where nothing follows from the sources of some.
    """
    named = reader.traces.enders(user, reached).intersection(reached)
    own = _own_sources(reader, user, named) if named else {}
    found = own.keys() - set(ids)
    while found:
        going = {*reach(found), *ids}
        if not (leaving := {id_ for id_ in found if id_ in going or own[id_] & going}):
            break
        found -= leaving
    return found


def only_took_over(reader: StoreReader, user: str, ids: Collection[str], source: str) -> set[str]:
    """Those of the records that have a source only because one that ended for them had it, or is it."""
    return {id_ for id_, own in _own_sources(reader, user, ids).items() if source not in own}


def let_go(change: Change, user: str, gone: Collection[str]) -> None:
    """Take from records that stay, and their older versions, what they took over from these, which are about to be
    erased or believed again, unless another one that ended for them has it, too. What others took over from them goes
    there as well."""
    writer = change.writer
    ids = _stay_for(writer, user, gone)
    if not ids:
        return
    ended = _ended_for(writer, user, ids)
    known = {one.id for each in ended.values() for one, _ in each} - set(gone)
    lost = _lost(ids, ended, gone)
    losing = {id_ for id_ in ids if any(lost[id_].values())}
    versions = _versions(writer, user, losing)
    lost |= {id_: lost[base] for id_, base in versions.items()}
    now = places(writer, user, sorted({*known, *ids, *versions}.difference(gone)))
    changed: dict[str, Record] = {}
    for id_ in sorted(now.keys() & {*losing, *versions}):
        changed[id_] = without(now[id_].record, lost[id_])
        rewrite(writer, now[id_].record, partial(without, values=lost[id_]))
    for id_ in sorted(ids):
        _bring_instead(ended.get(id_, ()), lost, lost[id_], gone, now, changed)
    _write(change, user, now, changed, lost)


def _own_sources(reader: StoreReader, user: str, ids: Collection[str]) -> dict[str, set[str]]:
    """By id, the sources that records had before they took over others, and their provenance; of those that took over
    any, and of their older versions."""
    ended = _ended_for(reader, user, ids)
    taken = {
        id_: sources
        for id_, each in ended.items()
        if (sources := set().union(*(gave["sources"] for _, gave in each)))
    }
    of = {id_: id_ for id_ in taken} | _versions(reader, user, taken)
    found: dict[str, set[str]] = {}
    for id_, place in places(reader, user, sorted(of), embeddings=False).items():
        own = set(place.record.sources) - taken[of[id_]]
        found[id_] = own if place.record.provenance is None else {*own, place.record.provenance}
    return found


def _versions(reader: StoreReader, user: str, ids: Collection[str]) -> dict[str, str]:
    """By the id of each older version, that of its record."""
    return reader.traces.bases(user, reader.traces.versions(user, ids)) if ids else {}


def given_back(reader: StoreReader, user: str, ids: Collection[str], left: Collection[str]) -> set[str]:
    """Those of the records that ended for one of others, which took something over from them."""
    found = _ended_for(reader, user, left) if left else {}
    return {one.id for each in found.values() for one, gave in each if any(gave.values())}.intersection(ids)


def _stay_for(reader: StoreReader, user: str, gone: Collection[str]) -> set[str]:
    """Ids of what took something over from these, from those, and so on, without these."""
    found: set[str] = set()
    frontier = set(gone)
    # What stays for thousands that brought nothing, as when it is pinned, is not looked at for each of them.
    while frontier and reader.traces.enders(user, frontier):
        near = places(reader, user, sorted(frontier), embeddings=False).values()
        givers = [place.record for place in near if any(given_by(place.record).values())]
        frontier = {id_ for record in givers for id_ in ended_by(record)[1]}.difference(gone, found)
        found |= frontier
    return found


def _ended_for(
    reader: StoreReader, user: str, ids: Collection[str]
) -> dict[str, list[tuple[Record, Values]]]:
    """By id, the records that ended for a record alone, without made tags, each with what it gave."""
    holders = reader.traces.ended_for(user, ids)
    found: dict[str, list[tuple[Record, Values]]] = {}
    for place in places(reader, user, sorted(holders), embeddings=False).values():
        action, by = ended_by(place.record)
        if action in _ACTIONS and len(by) == 1 and by[0] in ids:
            found.setdefault(by[0], []).append((place.record, given_by(place.record)))
    return found


def _lost(
    ids: Collection[str],
    ended: Mapping[str, Sequence[tuple[Record, Values]]],
    gone: Collection[str],
) -> dict[str, Values]:
    """What each lets go of. Looks again until nothing is new: what stays may have ended for another one later."""
    lost: dict[str, Values] = {id_: {name: set() for name in FIELDS} for id_ in ids}
    more = True
    while more:
        more = False
        for id_ in ids:
            leaving, kept = _leaving(ended.get(id_, ()), lost, gone), _kept(ended.get(id_, ()), lost, gone)
            for name in FIELDS:
                values = leaving[name] - kept[name]
                more = more or not values <= lost[id_][name]
                lost[id_][name] |= values
    return lost


def _leaving(
    ended: Iterable[tuple[Record, Values]], lost: Mapping[str, Values], gone: Collection[str]
) -> Values:
    """What was given by records that go, or that let go of it themselves."""
    found: Values = {name: set() for name in FIELDS}
    for record, gave in ended:
        for name, values in gave.items():
            if record.id in gone:
                found[name] |= values
            elif record.id in lost:
                found[name] |= values & lost[record.id][name]
    return found


def _kept(
    ended: Iterable[tuple[Record, Values]], lost: Mapping[str, Values], gone: Collection[str]
) -> Values:
    """What records that stay would have given."""
    found: Values = {name: set() for name in FIELDS}
    for record, _ in ended:
        if record.id not in gone:
            for name, values in offered_by(record).items():
                found[name] |= values - lost[record.id][name] if record.id in lost else values
    return found


def _bring_instead(
    ended: Iterable[tuple[Record, Values]],
    lost: Mapping[str, Values],
    losing: Values,
    gone: Collection[str],
    now: Mapping[str, Place],
    changed: dict[str, Record],
) -> None:
    """Let those that stay give what they have and others gave, and no longer what they have not any more."""
    every = list(ended)
    free = {name: values - losing[name] for name, values in _leaving(every, lost, gone).items()}
    for record, gave in every:
        if record.id in gone or record.id not in now:
            continue
        before = changed.get(record.id, now[record.id].record)
        offered = offered_by(before)
        gives = {name: gave[name] & offered[name] | offered[name] & free[name] for name in FIELDS}
        for name in FIELDS:
            free[name] -= offered[name]
        if gives != gave:
            changed[record.id] = replace(before, metadata=noting(before, gives))


def _write(
    change: Change,
    user: str,
    now: Mapping[str, Place],
    changed: Mapping[str, Record],
    lost: Mapping[str, Values],
) -> None:
    writer = change.writer
    live, cold = [], []
    for id_, record in changed.items():
        place = now[id_]
        if place.moved_at is None:
            live.append(tagged(record, place.made_tags))
        else:
            cold.append((record, place.moved_at))
    if live:
        write_records(change, live)
        writer.set_made_tags(user, {one.id: now[one.id].made_tags for one in live})
    for record, moved_at in cold:
        writer.cold.evict([record], moved_at, {record.id: now[record.id].made_tags})
    if writer.cold.empty:
        return
    # Wordings from before they were shortened.
    for id_, copy in writer.cold.fetch(user, list(lost), reason=ORIGINAL, embeddings=True).items():
        writer.cold.drop(user, [id_], ORIGINAL)
        writer.cold.keep_originals([without(copy.record, lost[id_])], to_micros(copy.moved_at))
