"""Questions with known answers about a store of one's own."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memspan.errors import FormatError, shorten
from memspan.formats.questions import LabelledQuestion

from .examples import AdapterOf, Example, example_of
from .labelled_lines import read_lines

if TYPE_CHECKING:
    from memspan.memory import Memory

__all__ = ["Flaw", "OwnQuestion", "OwnQuestions", "collect_own"]

NAME: Final = "own"
"""Of these questions among data sets."""

_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Why a question, or a part of its evidence, teaches nothing."""

    place: str
    """File and line."""
    field: str
    got: str
    accepted: str

    def __str__(self) -> str:
        return f"{self.place}: {self.field}: got {self.got}; accepted: {self.accepted}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnQuestion:
    """A question whose user and evidence the store knows."""

    example: Example
    question: LabelledQuestion
    """Its evidence is what the store knows of it."""
    session: str
    """In which the first of its evidence stands, or that record itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnQuestions:
    """What a file of questions holds."""

    read: int
    """How many questions there are in it."""
    questions: tuple[OwnQuestion, ...]
    flaws: tuple[Flaw, ...]
    """In the order of the file. Unknown ids are left out of the evidence, and questions of which nothing remains out of
    `questions`; those whose evidence is no candidate stay, as not found."""

    @property
    def examples(self) -> list[Example]:
        """The questions as a learned ranking sees them."""
        return [each.example for each in self.questions]

    def require_some(self, path: str | os.PathLike[str]) -> None:
        """Raise `FormatError` when none of them has evidence among its candidates."""
        if any(each.relevant.any() for each in self.examples):
            return
        told = "; ".join(map(str, self.flaws[:_NAMED]))
        questions = f"{self.read} question{'' if self.read == 1 else 's'}"
        raise FormatError(
            f"{os.fspath(path)}: nothing to learn from in its {questions}; accepted: one or more about a "
            "user of the store, with ids of that user's records as evidence" + (f" ({told})" if told else "")
        )


def collect_own(
    memory: Memory, path: str | os.PathLike[str], adapter_of: AdapterOf | None = None
) -> OwnQuestions:
    """The questions of a JSON Lines file about this memory, with the features of their candidates.

    Each line is an object with `user`, `question`, `evidence` (ids of the records that answer it) and optionally
    `now`; lines that ask the same are one question. `adapter_of` as for `collect`, the data set being "own". Nothing
    counts as a use of what is found.

    Raises:
        FormatError: a line is broken; names file, line and field.
        OSError: the file cannot be read.
    """
    users = set(memory.users())
    found: list[OwnQuestion] = []
    lines = list(read_lines(path))
    questions, flaws = _each_once(lines)
    for question in questions:
        if question.user not in users:
            accepted = f"one of the store's {len(users)} users, such as {_some(users)}"
            flaws.append(_flaw(question, "user", shorten(question.user), accepted))
            continue
        with memory._engine.store.reading() as reader:
            records = reader.fetch(question.user, sorted(question.evidence))
        unknown = question.evidence - set(records)
        if unknown:
            flaws.append(
                _flaw(question, "evidence", _some(unknown), f"ids of records of user {question.user!r}")
            )
        if not records:
            continue
        adapter = None if adapter_of is None else adapter_of(NAME, question.user)
        known = replace(question, evidence=frozenset(records))
        example = example_of(memory, known, NAME, adapter)
        if not example.relevant.any():
            accepted = f"one that is among the {len(example.relevant)} candidates of the question"
            flaws.append(_flaw(question, "evidence", _some(set(records)), accepted))
        first = records[min(records)]
        found.append(OwnQuestion(example=example, question=known, session=first.session or first.id))
    place_of = {question.position: place for place, question in enumerate(lines)}
    flaws.sort(key=lambda flaw: place_of[flaw.place])
    return OwnQuestions(read=len(lines), questions=tuple(found), flaws=tuple(flaws))


def _each_once(
    lines: Iterable[LabelledQuestion],
) -> tuple[Collection[LabelledQuestion], list[Flaw]]:
    """Each question with the evidence of all lines that ask it, and a flaw for each that asks again: what is learned
    from a question shall not be judged on it, and one shall not count as several.
    """
    first: dict[tuple[object, ...], LabelledQuestion] = {}
    flaws = []
    for question in lines:
        key = (question.user, tuple(question.text.casefold().split()), question.now)
        known = first.setdefault(key, question)
        if known is not question:
            first[key] = replace(known, evidence=known.evidence | question.evidence)
            accepted = f"each question once; its evidence counts as that of {known.position}"
            flaws.append(_flaw(question, "question", shorten(question.text), accepted))
    return first.values(), flaws


def _flaw(question: LabelledQuestion, field: str, got: str, accepted: str) -> Flaw:
    return Flaw(place=question.position, field=field, got=got, accepted=accepted)


def _some(names: Collection[str]) -> str:
    shown = ", ".join(shorten(each) for each in sorted(names)[:_NAMED])
    return shown + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "") or "none"
