"""The options that say which records of a user are meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from memspan.records import KINDS

from . import options

__all__ = ["described", "selected", "selectors"]

_OPTIONS = (
    click.option(
        "--id",
        "ids",
        metavar="ID",
        multiple=True,
        help="This record; repeat for several. Not with other selectors.",
    ),
    click.option(
        "--source",
        metavar="SOURCE",
        help="Records from this source: their provenance, or a record that they came from. Not with other selectors.",
    ),
    click.option("--session", metavar="SESSION", help="Records of this session."),
    options.between,
    click.option(
        "--kind",
        "kinds",
        type=click.Choice(KINDS),
        multiple=True,
        help="Records of this kind; repeat for several.",
    ),
)


def selectors(command: Any) -> Any:
    """`--id`, `--source`, `--session`, `--between` and `--kind`; without any, everything is meant."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def selected(
    ids: Sequence[str],
    source: str | None,
    session: str | None,
    between: Any,
    kinds: Sequence[str],
) -> dict[str, Any]:
    """The arguments of `Memory.forget` that the options stand for."""
    alone = (("--id", ids), ("--source", source))
    others = (*alone, ("--session", session), ("--between", between), ("--kind", kinds))
    for name, value in alone:
        for other, given in others:
            if value and given and other != name:
                raise click.UsageError(f"{name} and {other} cannot be combined")
    return {
        "id": list(ids) or None,
        "source": source,
        "session": session,
        "between": between,
        "kinds": list(kinds) or None,
    }


def described(chosen: Mapping[str, Any]) -> str:
    """What is meant, for a question."""
    if chosen["id"] is not None:
        ids = chosen["id"]
        return f"record '{ids[0]}'" if len(ids) == 1 else f"{len(ids)} records"
    if chosen["source"] is not None:
        return f"source '{chosen['source']}'"
    parts = [] if chosen["kinds"] is None else [f"kind {' or '.join(chosen['kinds'])}"]
    parts += [] if chosen["session"] is None else [f"session '{chosen['session']}'"]
    parts += [] if chosen["between"] is None else ["that time"]
    return "everything" if not parts else "everything of " + ", ".join(parts)
