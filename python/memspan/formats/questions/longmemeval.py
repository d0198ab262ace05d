"""Questions of LongMemEval: one in an item (`question`), or several (`questions`).

Evidence is the turns with `has_answer` in the question's own `answer_session_ids`; those sessions themselves
count as its sessions, also where no turn is marked. An item whose `question_id` holds `_abs` asks for what is
not there: its category is "abstention". `now` is `question_date`.

In the layout of several questions, `answer_session_ids` has a list for each; `question_type` is the item's,
whatever its later questions ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..dates import slashed_date
from ..fields import as_list, as_name, each_object, optional, required
from ..format import Request, unique
from ..place import Place
from ..sessions import placed_objects
from ..source import Item
from ..turns import Turn
from .evidence import resolve
from .labelled import DataSet, LabelledQuestion, Turns
from .qa import as_answer, as_question

__all__ = ["LONGMEMEVAL"]

_ABSTENTION = "_abs"


def _read(items: Iterable[Item], request: Request, turns: Turns) -> Iterator[LabelledQuestion]:
    for place, item in each_object(items):
        user = required(item, "question_id", place, as_name)
        answerable = _ABSTENTION not in user
        category = required(item, "question_type", place, as_name) if answerable else "abstention"
        now = optional(item, "question_date", place, slashed_date)
        for id_, text, answer, labels, position in _asked(item, place, user):
            sessions, missing = _named_sessions(item, place, labels)
            marked = [name for name in _marked(item, place) if name.rpartition(":")[0] in sessions]
            evidence = resolve(marked, turns.get(user, {}))
            heard = _heard(sessions, turns.get(user, {}))
            yield LabelledQuestion(
                user=user,
                id=id_,
                text=text,
                category=category,
                answerable=answerable,
                answer=answer,
                evidence=evidence.records,
                sessions=heard,
                missing=(*missing, *evidence.missing, *sorted(sessions - heard)),
                now=now,
                position=str(position),
            )


def _asked(
    item: Mapping[str, Any], place: Place, user: str
) -> Iterator[tuple[str, str, str | None, list[tuple[Place, str]], Place]]:
    """Id, text, gold answer, labels (session ids with their places) and place of each question of an item."""
    labels = required(item, "answer_session_ids", place, as_list)
    where = place["answer_session_ids"]
    if "questions" not in item:
        text = required(item, "question", place, as_question)
        yield user, text, optional(item, "answer", place, as_answer), _names(labels, where), place["question"]
        return
    questions = required(item, "questions", place, as_list)
    if len(labels) != len(questions):
        raise where.error(labels, f"a list of {len(questions)}, one for each of questions")
    answers = optional(item, "answers", place, as_list) or [None] * len(questions)
    if len(answers) != len(questions):
        raise place["answers"].error(answers, f"a list of {len(questions)}, one for each of questions")
    for number, question in enumerate(questions):
        position = place["questions"][number]
        named = _names(as_list(labels[number], where[number]), where[number])
        gold = None if answers[number] is None else as_answer(answers[number], place["answers"][number])
        yield f"{user}/{number}", as_question(question, position), gold, named, position


def _names(labels: list[Any], place: Place) -> list[tuple[Place, str]]:
    return [(place[number], as_name(label, place[number])) for number, label in enumerate(labels)]


def _session_names(item: Mapping[str, Any], place: Place) -> list[tuple[str, str]]:
    """Each session's id in the file and the name that its turns have: ids come twice in some haystacks."""
    uses: dict[str, int] = {}
    ids = _names(required(item, "haystack_session_ids", place, as_list), place["haystack_session_ids"])
    return [(id_, unique(id_, uses)) for _, id_ in ids]


def _named_sessions(
    item: Mapping[str, Any], place: Place, labels: list[tuple[Place, str]]
) -> tuple[frozenset[str], tuple[str, ...]]:
    names = _session_names(item, place)
    known = {id_ for id_, _ in names}
    wanted = {label for _, label in labels}
    missing = tuple(label for _, label in labels if label not in known)
    return frozenset(name for id_, name in names if id_ in wanted), missing


def _marked(item: Mapping[str, Any], place: Place) -> Iterator[str]:
    """Record ids of the turns with `has_answer`."""
    sessions = required(item, "haystack_sessions", place, as_list)
    for number, (_, name) in enumerate(_session_names(item, place)):
        messages = placed_objects(sessions[number], place["haystack_sessions"][number])
        for index, (position, message) in enumerate(messages):
            if optional(message, "has_answer", position, _as_mark):
                yield f"{name}:{index}"


def _as_mark(value: Any, place: Place) -> bool:
    if not isinstance(value, bool):
        raise place.error(value, "true or false")
    return value


def _heard(sessions: frozenset[str], turns: Mapping[str, Turn]) -> frozenset[str]:
    """Those of the sessions that have a turn."""
    return sessions & {turn.session for turn in turns.values() if turn.session is not None}


LONGMEMEVAL = DataSet("longmemeval", "turn", (), _read)
