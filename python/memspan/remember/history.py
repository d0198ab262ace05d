"""Follow what a record said, what it replaced and what replaced it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from memspan.history import Belief, History
from memspan.records import Record
from memspan.times import from_micros, now_micros

from .endings import before_ending, ended_by
from .engine import Engine
from .fields import checked_name
from .life import is_expired
from .versions import original_of

__all__ = ["history"]


def history(engine: Engine, *, user: str, id: str) -> History | None:
    """See `Memory.history`."""
    checked_name(user, "user")
    engine.require_open()
    with engine.store.reading() as reader:
        asked = reader.fetch(user, [checked_name(id, "id")]).get(id)
        if asked is None:
            return None
        name = original_of(asked) or id
        if name != id:
            asked = reader.fetch(user, [name]).get(name, asked)
        versions = reader.traces.versions(user, [name])
        ended_for, ending = _links(reader.beliefs.endings(user), versions, name)
        replaced = _reached(name, lambda one: ended_for.get(one, ()))
        replacing = _reached(name, lambda one: ending.get(one, ()))
        records = reader.fetch(user, [*versions, *replaced, *replacing])
    readable = [
        record
        for record in records.values()
        # The vault is seen by who names a record of it; what has expired is as good as erased.
        if (record.kind != "vault" or asked.kind == "vault") and not _is_gone(record)
    ]
    own = [record for record in readable if record.id in versions]
    if not _is_gone(asked):
        own.append(asked)
    if not own:
        return None
    return History(
        id=name,
        versions=_beliefs(own),
        before=_beliefs(record for record in readable if record.id in replaced),
        after=_beliefs(record for record in readable if record.id in replacing),
    )


def _links(
    endings: Mapping[str, Iterable[str]], versions: Collection[str], name: str
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """What each record took the place of, and what took its place. Versions of the record stand for it."""
    ended_for: dict[str, set[str]] = defaultdict(set)
    ending: dict[str, set[str]] = defaultdict(set)
    for id_, by in endings.items():
        old = name if id_ in versions else id_
        for new in by:
            ended_for[new].add(old)
            ending[old].add(new)
    return ended_for, ending


def _reached(name: str, next_to: Callable[[str], Iterable[str]]) -> set[str]:
    """All that is reached from a record, step by step, without itself."""
    reached, frontier = {name}, [name]
    while frontier:
        for one in next_to(frontier.pop()):
            if one not in reached:
                reached.add(one)
                frontier.append(one)
    return reached - {name}


def _is_gone(record: Record) -> bool:
    return is_expired(record, from_micros(now_micros()))


def _beliefs(records: Iterable[Record]) -> tuple[Belief, ...]:
    beliefs = []
    for record in records:
        assert record.recorded_at is not None
        action, by = ended_by(record)
        beliefs.append(
            Belief(
                record=before_ending(record),
                since=record.recorded_at,
                until=record.retired_at,
                action=action,
                by=by,
            )
        )
    return tuple(sorted(beliefs, key=lambda belief: (belief.since, belief.record.id)))
