"""The list `qa` of LoCoMo and REALTALK: numbered categories, evidence as dialogue ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..fields import as_list, as_text, optional, required
from ..place import Place
from ..sessions import placed_objects
from ..turns import Turn
from .evidence import dialogue_ids, resolve
from .labelled import LabelledQuestion

__all__ = ["as_answer", "as_question", "read_qa"]


def read_qa(
    holder: Mapping[str, Any],
    place: Place,
    *,
    user: str,
    turns: Mapping[str, Turn],
    categories: Sequence[str],
    unanswerable: str | None = None,
) -> Iterator[LabelledQuestion]:
    """The questions of the object at `place`; `categories` are the names of the numbers from 1."""

    def as_category(value: Any, where: Place) -> str:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= len(categories):
            named = ", ".join(f"{number} ({name})" for number, name in enumerate(categories, 1))
            raise where.error(value, f"one of {named}")
        return categories[value - 1]

    questions = placed_objects(required(holder, "qa", place, as_list), place["qa"])
    for number, (position, fields) in enumerate(questions):
        category = required(fields, "category", position, as_category)
        evidence = resolve(optional(fields, "evidence", position, dialogue_ids) or (), turns)
        yield LabelledQuestion(
            user=user,
            id=f"{user}/{number}",
            text=required(fields, "question", position, as_question),
            category=category,
            answerable=category != unanswerable,
            answer=optional(fields, "answer", position, as_answer),
            evidence=evidence.records,
            sessions=evidence.sessions,
            missing=evidence.missing,
            position=str(position),
        )


def as_question(value: Any, place: Place) -> str:
    """The text of a question: not blank."""
    text = as_text(value, place)
    if not text:
        raise place.error(value, "a question that is not blank")
    return text


def as_answer(value: Any, place: Place) -> str:
    """A gold answer: a text, a number as its digits, or a list of these as one text."""
    if isinstance(value, list):
        return ", ".join(as_answer(item, place[number]) for number, item in enumerate(value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return as_text(value, place)
