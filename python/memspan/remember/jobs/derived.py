"""Make records of the statements that a job's stages arrived at."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from memspan import _core
from memspan.encode.values import Statement
from memspan.errors import InvalidArgumentError
from memspan.limits import MAX_TAGS
from memspan.records import Record
from memspan.remember.input.checking import checked_record
from memspan.remember.input.fields import MAX_NAMES, checked_name
from memspan.remember.input.tags import checked_tag
from memspan.store.jobs import ClaimedJob, Step

__all__ = ["records_of", "relations_of", "turn_tags_of"]

_FIDELITY: Final = 0.9
_FIDELITY_OF_ABSTRACTS: Final = 0.7
_LOGGED_CHARS: Final = 1000
Drop = Callable[[str, Mapping[str, Any]], None]
"""Is told what was left out, for the job's log: the event, and its details."""


def records_of(
    job: ClaimedJob,
    statements: Sequence[Statement],
    known: Collection[str],
    models: Mapping[str, Step],
    drop: Drop,
) -> list[Record]:
    """The records of statements, without embeddings. A detail that is no statement itself becomes one before its
    abstract.

    The same job makes the same ids in every run, and in the order of the statements. Sources that are not among the
    turns which the job saw are left out, and so are statements without any, and fields that no record may have: what a
    model says can be wrong in every way, and a job must not fail on it again and again.

    Args:
        known: ids of the turns that the job saw.
        models: the last answer of a model by stage.
    """
    sound = [_with_known_sources(statement, known, drop) for statement in statements]
    below = _Below(job, sound)
    abstracts: dict[str, str] = {}
    records: list[Record | None] = []
    for position, statement in enumerate(sound):
        if statement is None:
            continue
        own = _id(job, position)
        details: list[str] = []
        for place, text in enumerate(statement.details):
            if below.has(text):
                if (found := below.take(text, statement, details)) is not None:
                    details.append(found)
                    abstracts[found] = own
                continue
            id_ = _id(job, position, place + 1)
            detail = replace(statement, text=text, details=())
            metadata = {**_metadata(job, detail, models), "abstract": own}
            record = _record(job, id_, detail, metadata, drop)
            if record is not None:
                records.append(record)
                details.append(id_)
        metadata = _metadata(job, statement, models)
        if details:
            metadata["details"] = details
        records.append(_record(job, own, statement, metadata, drop))
    return [
        replace(record, metadata={**record.metadata, "abstract": abstracts[record.id]})
        if record.id in abstracts
        else record
        for record in records
        if record is not None
    ]


class _Below:
    """The statements that abstracts name by their words. Several may have the same ones, at different times."""

    def __init__(self, job: ClaimedJob, statements: Sequence[Statement | None]) -> None:
        self._found: dict[str, list[tuple[str, Statement]]] = {}
        """Ids and statements by text, in order."""
        self._taken: set[str] = set()
        for position, statement in enumerate(statements):
            if statement is not None and not statement.details:
                entry = _id(job, position), statement
                self._found.setdefault(statement.text, []).append(entry)

    def has(self, text: str) -> bool:
        """Whether a statement has these words."""
        return text in self._found

    def take(self, text: str, abstract: Statement, details: Sequence[str]) -> str | None:
        """The id of the statement with these words that is below an abstract, or `None` when all of them are among its
        details: first one whose sources the abstract has, then one that no other abstract took."""
        free = [entry for entry in self._found[text] if entry[0] not in details]
        if not free:
            return None
        id_, _ = min(
            free,
            key=lambda entry: (not set(entry[1].sources) <= set(abstract.sources), entry[0] in self._taken),
        )
        self._taken.add(id_)
        return id_


def _with_known_sources(statement: Statement, known: Collection[str], drop: Drop) -> Statement | None:
    sources = tuple(dict.fromkeys(id_ for id_ in statement.sources if id_ in known))
    if len(sources) < len(set(statement.sources)):
        unknown = sorted(set(statement.sources).difference(known))
        drop("unknown sources", {"text": statement.text[:_LOGGED_CHARS], "sources": unknown})
    if not statement.sources:  # nothing would ever erase it with the turns that it comes from
        drop("refused", {"text": statement.text[:_LOGGED_CHARS], "reason": "no sources"})
    if sources and sources == statement.sources:
        return statement
    return replace(statement, sources=sources) if sources else None


def turn_tags_of(
    turn_tags: Mapping[str, Sequence[str]], own: Collection[str], drop: Drop
) -> dict[str, tuple[str, ...]]:
    """Tags in normal form for the job's own turns, by id; those of other turns are left out."""
    for id_ in sorted(set(turn_tags).difference(own)):
        drop("unknown turn", {"id": id_, "tags": list(turn_tags[id_])})
    return {id_: _usable(tags, checked_tag, MAX_TAGS) for id_, tags in turn_tags.items() if id_ in own}


def relations_of(relations: Iterable[tuple[str, str]], drop: Drop) -> list[tuple[str, str]]:
    """Pairs of tags in normal form, each once; those that cannot be are left out."""
    found: dict[tuple[str, str], None] = {}
    for parent, child in relations:
        edge = _usable((parent,), checked_tag, 1), _usable((child,), checked_tag, 1)
        if all(edge):
            found[edge[0][0], edge[1][0]] = None
        else:
            drop("refused relation", {"parent": parent, "child": child, "reason": "not two tags"})
    return list(found)


def _id(job: ClaimedJob, position: int, place: int = 0) -> str:
    """Of equal length for all, and in their order: so records of one time stand as they were said."""
    return f"{hashlib.sha256(job.id.encode()).hexdigest()[:16]}{position:06x}{place:04x}"


def _metadata(job: ClaimedJob, statement: Statement, models: Mapping[str, Step]) -> dict[str, Any]:
    made: dict[str, Any] = {"recipe": job.recipe, "stage": statement.stage}
    asked = models.get(statement.stage)
    if asked is not None:
        made |= {"model": asked.model, "prompt": f"{asked.prompt}@{asked.version}"}
    if job.session is not None:
        made["session"] = job.session
    if statement.topic is not None:
        made["topic"] = statement.topic
    return {**statement.metadata, **made}


def _record(
    job: ClaimedJob, id_: str, statement: Statement, metadata: dict[str, Any], drop: Drop
) -> Record | None:
    """`None`, and a line in the log, when no record can be made of it."""
    until = statement.until
    if until is not None and until < statement.at:
        drop("impossible end", {"text": statement.text[:_LOGGED_CHARS], "until": until.isoformat()})
        until = None
    try:
        made = Record(
            id=id_,
            user=job.user,
            text=statement.text,
            at=statement.at,
            kind=statement.kind,
            until=until,
            tags=_usable(statement.tags, checked_tag, MAX_TAGS),
            entities=_usable(statement.entities, lambda name: checked_name(name, "entity"), MAX_NAMES),
            importance=_importance(statement.salience),
            fidelity=_FIDELITY_OF_ABSTRACTS if statement.details else _FIDELITY,
            sources=statement.sources,
            metadata=metadata,
        )
        return _core.normal_record(made, Record, 0) or checked_record(made, "statement")
    except InvalidArgumentError as error:
        drop("refused", {"text": statement.text[:_LOGGED_CHARS], "reason": str(error)})
        return None


def _importance(salience: float | None) -> float | None:
    return None if salience is None or math.isnan(salience) else min(1.0, max(0.0, salience))


def _usable(names: Iterable[str], check: Callable[[str], str], most: int) -> tuple[str, ...]:
    checked = (_checked(name, check) for name in names)
    return tuple(dict.fromkeys(name for name in checked if name is not None))[:most]


def _checked(name: str, check: Callable[[str], str]) -> str | None:
    try:
        return check(name)
    except InvalidArgumentError:
        return None
