"""Procedures that were forgotten, in exports: the transcripts that show them are there, and must not bring them back
wherever they are loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memspan.arguments import as_texts
from memspan.errors import invalid
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.store import StoreReader
from memspan.times import Micros, from_micros, to_micros

__all__ = ["UNLEARNT_TYPE", "UnlearntLine", "load_unlearnt", "parsed_unlearnt", "unlearnt_lines"]

UNLEARNT_TYPE: Final = "unlearnt"
"""The type of lines."""

_CHARS: Final = 1
"""Of a turn's text: what it says makes no steps."""


class UnlearntLine(NamedTuple):
    """Runs of a procedure of a user, up to a time, that do not count any more."""

    user: str
    actions: tuple[str, ...]
    through: Micros


def unlearnt_lines(reader: StoreReader, user: str | None) -> Iterator[dict[str, Any]]:
    """What of the procedures that transcripts of a user, or of all, show was forgotten, one JSON object each. The store
    has fingerprints alone, so that the steps are those of procedures that are learnt anew for it."""
    for name in reader.users() if user is None else [user]:
        if not reader.unlearnt.any(name):
            continue
        from memspan.lifecycle.procedures.learning import learn
        from memspan.lifecycle.procedures.transcript import transcripts_of

        shown = [one.actions for one in learn(transcripts_of(reader.transcripts.turns(name, _CHARS)))]
        for actions, through in zip(shown, reader.unlearnt.through(name, shown), strict=True):
            if through is not None:
                at = from_micros(through).isoformat()
                yield {"type": UNLEARNT_TYPE, "user": name, "steps": list(actions), "through": at}


def parsed_unlearnt(line: Mapping[str, Any], place: str) -> UnlearntLine:
    """What a line says.

    Raises:
        InvalidArgumentError: names the place and field.
    """
    steps = tuple(as_texts(line.get("steps"), f"{place}: steps"))
    if not steps:
        raise invalid(f"{place}: steps", [], "at least one step")
    through = to_micros(line.get("through", ""), f"{place}: through")
    return UnlearntLine(checked_name(line.get("user"), f"{place}: user"), steps, through)


def load_unlearnt(engine: Engine, lines: Sequence[UnlearntLine]) -> None:
    """Let these runs count no more here, either; called when the records are here."""
    if lines:
        with engine.store.writing() as writer:
            for line in lines:
                writer.unlearnt.add(*line)
