"""LongMemEval: items with a haystack of dated sessions, and one or several questions about it.

User = `question_id`; session = its id in the haystack; record id = `<session id>:<turn>`, from 0; `at` = the
session's date plus one second for every turn before. Questions, answers and `has_answer` are labels and are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .clock import Clock
from .dates import slashed_date
from .fields import as_list, as_name, as_text, each_object, required
from .format import Format, Request, first_object, unique
from .place import Place
from .select import Conversation, distinct, read_selected
from .sessions import placed_objects
from .source import Item
from .turns import Turn

__all__ = ["LONGMEMEVAL"]


def _matches(value: Any) -> bool:
    return "haystack_sessions" in first_object(value)


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(distinct(map(_conversation, each_object(items))), request.file, request.user)


def _conversation(item: tuple[Place, dict[str, Any]]) -> Conversation:
    place, fields = item
    user = required(fields, "question_id", place, as_name)
    return Conversation(place, user, partial(_turns, fields, place))


def _turns(fields: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    sessions = required(fields, "haystack_sessions", place, as_list)
    ids, dates = (
        _parallel(fields, key, place, len(sessions)) for key in ("haystack_session_ids", "haystack_dates")
    )
    uses: dict[str, int] = {}
    for number, session in enumerate(sessions):
        name = unique(as_name(ids[number], place["haystack_session_ids"][number]), uses)
        clock = Clock(slashed_date(dates[number], place["haystack_dates"][number]))
        for index, (position, message) in enumerate(
            placed_objects(session, place["haystack_sessions"][number])
        ):
            turn_id = f"{name}:{index}"
            text = required(message, "content", position, as_text)
            speaker = required(message, "role", position, as_name)
            at = clock.next()
            if text:
                yield Turn(
                    user=user,
                    id=as_name(turn_id, position),
                    text=text,
                    speaker=speaker,
                    at=at,
                    session=name,
                    metadata={"turn_id": turn_id},
                    position=str(position),
                )


def _parallel(fields: Mapping[str, Any], key: str, place: Place, count: int) -> list[Any]:
    values = required(fields, key, place, as_list)
    if len(values) != count:
        raise place[key].error(values, f"a list of {count}, one for each of haystack_sessions")
    return values


LONGMEMEVAL = Format(
    "longmemeval", "LongMemEval items (JSON, original and multi-question layouts)", _matches, _read
)
