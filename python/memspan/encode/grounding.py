"""Statements as a model returned them, tied to the turns that they come from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from .clean import clean_names, clean_text
from .event_time import SpokenTimes, check_time
from .numbering import pick
from .stage import Tools
from .taken import taken, too_long
from .values import Statement, Turn

if TYPE_CHECKING:
    from .replies.extract import Extracted

__all__ = ["grounded", "time_metadata"]

_SALIENCE: Final = {"low": 0.25, "medium": 0.5, "high": 0.75}


def grounded(
    replies: Sequence[Extracted],
    turns: Sequence[Turn],
    around: Sequence[Turn],
    tools: Tools,
    *,
    stage: str,
    topic: str | None = None,
    whole: Sequence[Turn] | None = None,
    spoken: SpokenTimes | None = None,
) -> list[Statement]:
    """Statements of a reply, with sources and times that hold; empty ones and those of more than
    `MAX_STATEMENT_CHARS` are dropped, as are those beyond `MAX_REPLY_FACTS`, and what is odd is noted.

    A model names turns by their number in the prompt. Numbers of no turn are dropped. A statement that is left without
    a turn comes from all of `whole`, which is true if not exact, and is marked with `sources: "window"`.

    Args:
        turns: the numbered ones, at least one.
        around: all that the model saw.
        topic: of the statements for which the model gives none.
        whole: at least one of the turns; `None`: all of them.
        spoken: shared by calls about the same turns.
    """
    spoken = spoken or SpokenTimes()
    statements = []
    for reply in taken(replies, tools, stage=stage):
        text = clean_text(reply.content)
        if not text:
            tools.note("dropped", reason="empty statement")
            continue
        if too_long(text, tools):
            continue
        cited, unknown = pick(turns, reply.turns)
        if unknown:
            tools.note("unknown turns", statement=text, numbers=unknown)
        metadata: dict[str, Any] = {}
        if not cited:
            cited = list(whole or turns)
            metadata["sources"] = "window"
            tools.note("no turns named", statement=text)
        at, more = time_metadata(reply.timestamp, cited, around, text, tools, spoken)
        statements.append(
            Statement(
                text=text,
                at=at,
                sources=tuple(turn.id for turn in cited),
                topic=clean_text(reply.topic) or topic,
                entities=clean_names(reply.entities),
                salience=_SALIENCE.get(reply.salience.strip().lower(), _SALIENCE["medium"]),
                stage=stage,
                metadata=metadata | more,
            )
        )
    return statements


def time_metadata(
    given: str,
    cited: Sequence[Turn],
    around: Sequence[Turn],
    text: str,
    tools: Tools,
    spoken: SpokenTimes,
) -> tuple[datetime, dict[str, Any]]:
    """The checked time, and what the metadata say of it when it is flagged; an impossible one is noted."""
    time = check_time(given, cited, around, spoken)
    if time.flag is None:
        return time.at, {}
    if time.impossible:
        tools.note("impossible time", statement=text, given=time.given, reason=time.flag)
    return time.at, {"time": {"flag": time.flag, "given": time.given}}
