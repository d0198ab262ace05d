"""Questions of HaluMem: `questions` of each session.

Their evidence is given as texts of memory points only, so the unit is the session: the one, or the ones, up to
the question's own whose `memory_points` hold that very text. A question is asked right after its session, and
nothing that comes later may be found. "Memory Boundary" questions ask for what was never said and are
unanswerable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from ..fields import as_list, as_name, as_text, each_object, optional, required
from ..format import Request
from ..place import Place
from ..sessions import placed_objects
from ..source import Item
from ..turns import Turn
from .labelled import DataSet, LabelledQuestion, Turns
from .qa import as_answer, as_question

__all__ = ["HALUMEM"]

_UNANSWERABLE = "Memory Boundary"
_MOMENT = timedelta(microseconds=1)
_BEGINNING = datetime.min.replace(tzinfo=timezone.utc)


def _read(items: Iterable[Item], request: Request, turns: Turns) -> Iterator[LabelledQuestion]:
    for place, holder in each_object(items):
        user = required(holder, "uuid", place, as_name)
        ends = _ends(turns.get(user, {}))
        until = _BEGINNING
        standing: dict[str, set[str]] = {}
        asked = 0
        sessions = placed_objects(required(holder, "sessions", place, as_list), place["sessions"])
        for number, (position, session) in enumerate(sessions, 1):
            name = f"session_{number}"
            until = max(until, ends.get(name, until))
            for text in _texts(session, "memory_points", position):
                standing.setdefault(text, set()).add(name)
            for where, fields in _objects(session, "questions", position):
                yield _question(fields, where, f"{user}/{asked}", user, standing, ends, until)
                asked += 1


def _question(
    fields: Mapping[str, Any],
    position: Place,
    id_: str,
    user: str,
    standing: Mapping[str, set[str]],
    ends: Mapping[str, datetime],
    until: datetime,
) -> LabelledQuestion:
    category = required(fields, "question_type", position, as_name)
    texts = list(dict.fromkeys(_texts(fields, "evidence", position)))
    sessions = {text: standing.get(text, set()) & ends.keys() for text in texts}
    return LabelledQuestion(
        user=user,
        id=id_,
        text=required(fields, "question", position, as_question),
        category=category,
        answerable=category != _UNANSWERABLE,
        answer=optional(fields, "answer", position, as_answer),
        sessions=frozenset().union(*sessions.values()),
        points=tuple(texts),
        missing=tuple(text for text, found in sessions.items() if not found),
        now=until if until > _BEGINNING else None,
        until=until,
        position=str(position),
    )


def _ends(turns: Mapping[str, Turn]) -> dict[str, datetime]:
    """The moment after the last turn of each session that has turns."""
    ends: dict[str, datetime] = {}
    for turn in turns.values():
        if turn.session is not None and turn.at is not None:
            ends[turn.session] = max(turn.at + _MOMENT, ends.get(turn.session, turn.at))
    return ends


def _objects(holder: Mapping[str, Any], key: str, place: Place) -> list[tuple[Place, dict[str, Any]]]:
    return placed_objects(optional(holder, key, place, as_list) or [], place[key])


def _texts(holder: Mapping[str, Any], key: str, place: Place) -> Iterator[str]:
    for position, fields in _objects(holder, key, place):
        yield required(fields, "memory_content", position, as_text)


HALUMEM = DataSet("halumem", "session", (), _read)
