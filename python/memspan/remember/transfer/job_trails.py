"""What jobs were shown and made, in exports: what came of a turn is forgotten with it wherever it was loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from memspan.errors import invalid
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.store import StoreReader
from memspan.store.jobs import Trail
from memspan.times import now_micros

__all__ = ["JOB_TYPE", "JobLine", "job_lines", "load_jobs", "parsed_job"]

JOB_TYPE: Final = "job"
"""The type of lines."""

_SLICE: Final = 256
"""Jobs of a transaction; other writers wait for it."""


class JobLine(NamedTuple):
    """What a line says of a job."""

    user: str
    trail: Trail


def job_lines(
    reader: StoreReader, user: str | None, *, cold: bool, without: Mapping[str, Set[str]]
) -> Iterator[dict[str, Any]]:
    """The jobs of a user, or of all, that memories came of, one JSON object each. What they name is in the export, too:
    with `cold` also what was evicted. By user, `without` has the ids of records that are left out."""
    for name in reader.users() if user is None else [user]:
        out = without[name] if cold else {*without[name], *reader.cold.ids(name)}
        for trail in reader.jobs.trails(name):
            kept = _restricted(trail, out)
            if kept is None:
                continue
            line: dict[str, Any] = {"type": JOB_TYPE, "user": name, "id": kept.id, "recipe": kept.recipe}
            if kept.session is not None:
                line["session"] = kept.session
            if not kept.done:
                line["done"] = False
            line["turns"] = list(kept.own)
            if kept.before:
                line["before"] = list(kept.before)
            yield {**line, "made": list(kept.made)}


def parsed_job(line: Mapping[str, Any], place: str) -> JobLine:
    """What a line says.

    Raises:
        InvalidArgumentError: names the place and field.
    """

    def named(field: str) -> str:
        return checked_name(line.get(field), f"{place}: {field}")

    done = line.get("done", True)
    if not isinstance(done, bool):
        raise invalid(f"{place}: done", done, "true or false")
    session = None if line.get("session") is None else named("session")
    own, before, made = (_ids(line, field, place) for field in ("turns", "before", "made"))
    known = set(own)
    before = [id_ for id_ in before if id_ not in known]
    return JobLine(named("user"), Trail(named("id"), named("recipe"), session, done, own, before, made))


def _ids(line: Mapping[str, Any], field: str, place: str) -> list[str]:
    values = line.get(field, [])
    if not isinstance(values, list):
        raise invalid(f"{place}: {field}", values, "a list of ids")
    names = (checked_name(value, f"{place}: {field}[{i}]") for i, value in enumerate(values))
    return list(dict.fromkeys(names))


def load_jobs(engine: Engine, lines: Sequence[JobLine]) -> None:
    """Let jobs be known here as far as their turns and what they made are here; called when all of that is."""
    for start in range(0, len(lines), _SLICE):
        with engine.store.writing() as writer:
            for user, trail in lines[start : start + _SLICE]:
                named = {*trail.own, *trail.before, *trail.made}
                here = writer.traces.present(user, named)
                kept = _restricted(trail, named - here)
                if kept is not None:
                    writer.jobs.follow_trail(user, kept, now_micros())


def _restricted(trail: Trail, out: Set[str]) -> Trail | None:
    """Without some ids; `None` when what is left connects nothing."""
    own, before, made = (
        [id_ for id_ in ids if id_ not in out] for ids in (trail.own, trail.before, trail.made)
    )
    return trail._replace(own=own, before=before, made=made) if (own or before) and made else None
