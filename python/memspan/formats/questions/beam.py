"""Questions of BEAM: `probing_questions/probing_questions.json` beside `chat.json`, lists by ability.

Evidence is every number anywhere below `source_chat_ids`, which is a list, or an object of lists (first and
second statement, original and updated information); of a `knowledge_update` the original information is outdated.
Abstention questions have none and are unanswerable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...errors import FormatError
from ..beam import chat_of_any_folder
from ..fields import as_list, as_name, as_object, optional, required
from ..format import Request
from ..place import Place
from ..sessions import placed_objects
from ..source import Item, json_values, open_source
from ..turns import Turn
from .evidence import numbers_below, resolve
from .labelled import DataSet, LabelledQuestion, Turns
from .qa import as_answer, as_question

__all__ = ["BEAM"]

_ABSTENTION = "abstention"
_UPDATE = "knowledge_update"
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary")


def _read(items: Iterable[Item], request: Request, turns: Turns) -> Iterator[LabelledQuestion]:
    if request.path is None:
        raise FormatError(f"{request.file}: a chat without a path; its questions are in a file beside it")
    path = request.path.parent / "probing_questions" / "probing_questions.json"
    if not path.is_file():
        raise FormatError(f"{request.file}: its questions are missing; accepted: a file '{path}' beside it")
    with open_source(path) as reader:
        for place, value in json_values(reader, str(path)):
            for user in turns:
                yield from _questions(value, place, user, turns)


def _questions(value: object, place: Place, user: str, turns: Turns) -> Iterator[LabelledQuestion]:
    number = 0
    for ability, asked in as_object(value, place).items():
        category = as_name(ability, place[ability])
        for position, fields in placed_objects(as_list(asked, place[ability]), place[ability]):
            evidence = resolve(
                optional(fields, "source_chat_ids", position, numbers_below) or (), turns[user]
            )
            yield LabelledQuestion(
                user=user,
                id=f"{user}/{number}",
                text=required(fields, "question", position, as_question),
                category=category,
                answerable=category != _ABSTENTION,
                answer=_answer(fields, position),
                evidence=evidence.records,
                outdated=_outdated(fields, position, turns[user]) if category == _UPDATE else frozenset(),
                sessions=evidence.sessions,
                missing=evidence.missing,
                position=str(position),
            )
            number += 1


def _outdated(fields: Mapping[str, Any], position: Place, turns: Mapping[str, Turn]) -> frozenset[str]:
    """Records of the original information that do not hold the updated one as well."""
    labels = fields.get("source_chat_ids")
    if not isinstance(labels, dict):
        return frozenset()
    original, updated = (
        resolve(optional(labels, name, position, numbers_below) or (), turns).records
        for name in ("original_info", "updated_info")
    )
    return original - updated if updated else frozenset()


def _answer(fields: Mapping[str, Any], position: Place) -> str | None:
    """Abilities differ in what they call it; those that follow an instruction or a preference have none."""
    found = (optional(fields, name, position, as_answer) for name in _ANSWERS)
    return next((answer for answer in found if answer is not None), None)


BEAM = DataSet("beam", "turn", (), _read, chat_of_any_folder)
