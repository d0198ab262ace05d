"""Ask a memory the questions of a file: once for what comes back, and again for what a reader answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from memspan.formats.questions import LabelledFile, LabelledQuestion
from memspan.limits import MAX_K
from memspan.memory import Memory
from memspan.recall.context import Budget
from memspan.remember.searching.contexts import context_of
from memspan.remember.searching.recall import Recalls

from .answers import Answered, answered
from .contexts import Held, held_by
from .longmemeval import UserTurns
from .stores import Advance

if TYPE_CHECKING:
    from .reading.asking import AnsweredBy, Reading
    from .reading.memories import JudgedMemories
    from .reading.responding import Responder

__all__ = ["Ask", "Asker", "Tracker", "asked_users", "file_name"]

Ask: TypeAlias = Callable[[Memory, LabelledQuestion, int, Mapping[str, Any]], Recalls]
"""How a question is asked: the memory, the question, k, and the options of `evaluate`."""

Tracker: TypeAlias = Callable[[str, int], AbstractContextManager[Advance]]
"""Starts a progress bar: what is done and how many steps it has; gives a function to call with steps done."""


class Asker:
    """Asks the questions of a file."""

    def __init__(
        self, memory: Memory, file: LabelledFile, options: Mapping[str, Any], ask: Ask, store: Path
    ) -> None:
        self._memory = memory
        self._file = file
        self._options = options
        self._ask = ask
        self._store = store

    def retrieve(self, k: int, budget: Budget | None, track: Tracker) -> list[Answered]:
        """What comes back for each question."""
        answers = []
        with track(f"{file_name(self._file)}: asking", len(self._file.questions)) as advance:
            self._search(
                self._file.questions[0], k
            )  # Loads the model and maps the index, which is no search.
            for question in self._file.questions:
                recalls = self._search(question, k)
                answers.append(
                    answered(
                        question,
                        recalls,
                        unit=self._file.data_set.unit,
                        store=self._store,
                        user_turns=self._user_turns(question),
                        context=None if budget is None else self._held(question, recalls, k, budget),
                    )
                )
                advance(1)
        return answers

    def read(self, reading: Reading, budget: Budget | None, track: Tracker) -> list[AnsweredBy]:
        """What the reader answers; `budget` is for contexts that are read by a prompt."""
        from .reading.asking import answer_all

        responder = self._responder(reading, budget)
        with track(f"{file_name(self._file)}: answering", len(self._file.questions)) as advance:
            return answer_all(
                self._file.questions,
                responder,
                reading,
                data_set=self._file.data_set.name,
                store=self._store,
                advance=advance,
            )

    def judge_memories(self, reading: Reading, track: Tracker) -> JudgedMemories | None:
        """What the judge says of what was remembered, where the labels tell what should have been; `None` where they do
        not, or nobody is to judge."""
        if reading.judge is None or not reading.memories or self._file.data_set.name != "halumem":
            return None
        from .reading.memories import judge_memories

        address = reading.address if reading.judge_address is None else reading.judge_address
        return judge_memories(
            self._memory,
            self._file,
            asked_users(self._file),
            reading.judge,
            address=address,
            at_once=reading.at_once,
            store=self._store,
            track=lambda total: track(f"{file_name(self._file)}: judging memories", total),
        )

    def _responder(self, reading: Reading, budget: Budget | None) -> Responder:
        from .reading.responding import Asked, ByMemory, ByPrompt

        if reading.by_memory:
            return ByMemory(self._memory, reading.tokens, self._options)
        assert budget is not None

        def asked(question: LabelledQuestion) -> Asked:
            start = perf_counter()
            recalls = self._search(question, budget.k)
            context = context_of(self._memory._engine, question.text, question.user, recalls, budget)
            return Asked(question=question, context=context, seconds=perf_counter() - start)

        return ByPrompt({each.id: asked(each) for each in self._file.questions}, reading.prompted)

    def _search(self, question: LabelledQuestion, k: int) -> Recalls:
        return self._ask(self._memory, question, k, self._options)

    def _held(self, question: LabelledQuestion, recalls: Recalls, k: int, budget: Budget) -> Held:
        found = recalls if k >= budget.k else self._search(question, budget.k)
        unit = self._file.data_set.unit
        return held_by(self._memory, question.text, question.user, found, budget, unit)

    def _user_turns(self, question: LabelledQuestion) -> UserTurns | None:
        """For LongMemEval, whose metrics rank all user turns: another search, as deep as the haystack."""
        if self._file.data_set.name != "longmemeval":
            return None
        turns = self._file.turns[question.user]
        everything = self._search(question, min(MAX_K, max(1, len(turns))))
        return UserTurns(
            tuple(recall.id for recall in everything if recall.record.speaker == "user"),
            frozenset(id_ for id_ in question.evidence if turns[id_].speaker == "user"),
            question.sessions,
        )


def asked_users(file: LabelledFile) -> list[str]:
    """The users that the questions are about."""
    return list(dict.fromkeys(question.user for question in file.questions))


def file_name(file: LabelledFile) -> str:
    """For progress bars: the conversation, or the file that holds several."""
    return next(iter(file.turns)) if len(file.turns) == 1 else file.path.name
