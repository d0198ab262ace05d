"""What an evaluation with a reader found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memspan.evaluate.construction import COSTS, Construction
from memspan.llm import Usage
from memspan.llm.prompts import template

from .asking import AnsweredBy
from .grading import AnswerGroup, grade, macro_of, scores_of
from .halumem import Accuracy, Answers, Integrity, accuracy_of, answers_of, integrity_of
from .memories import JudgedMemories
from .published import difference, published

__all__ = ["AnswerReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReport:
    """Answers with who gave and judged them. Deterministic for the same replies, but for the times."""

    data_set: str
    categories: tuple[str, ...]
    recipe: str
    reader: str
    """The model's name."""
    judge: str | None
    manner: str
    """Of judging: `generous`, `strict` or `halumem`; figures of different ones do not compare."""
    asked_by: str
    """`ask` for `Memory.ask`, `read` for one prompt over contexts, `own` for a function of the caller's."""
    plan: str
    """Who plans the searches: `rules`, or `model`; or `evaluate`, whose searches found the contexts."""
    k: int | None
    """How many records were looked at for each context; `None`: as many as each plan wanted."""
    tokens: int
    """The contexts' budget."""
    users: int
    """Conversations."""
    construction: Construction | None
    answers: tuple[AnsweredBy, ...]
    memories: JudgedMemories | None = None
    """For HaluMem: verdicts over what was remembered."""

    def overall(self) -> AnswerGroup:
        """All questions: micro averages."""
        return grade("all", self.answers, self.data_set)

    def by_category(self) -> list[AnswerGroup]:
        """A group for each category, in the data set's order."""
        return [
            grade(name, [each for each in self.answers if each.question.category == name], self.data_set)
            for name in self.categories
        ]

    def failures(self) -> list[AnsweredBy]:
        """Questions without an answer, and answers without a verdict, because a model failed."""
        return [each for each in self.answers if each.failure is not None or each.judge_failure is not None]

    def context_tokens(self) -> float:
        """Mean over the answered questions; 0 without any."""
        found = [each.context_tokens for each in self.answers if each.failure is None]
        return sum(found) / len(found) if found else 0.0

    def usage(self) -> Usage:
        """Of all answers, without their judging."""
        return sum((each.usage for each in self.answers), Usage())

    def times(self) -> Mapping[str, float]:
        """Seconds a conversation, as SimpleMem's table 4 has them: making its memories, and answering its questions.
        The paper does not say what its retrieval holds; here `retrieval` is search and making contexts, with plans
        by rules, and `answering` is the model's, with its plans; both summed also where questions ran side by side."""
        construction = 0.0 if self.construction is None else self.construction.seconds / self.users
        retrieval = sum(each.retrieval_seconds for each in self.answers) / self.users
        answering = self.usage().seconds / self.users
        return {
            "construction": construction,
            "retrieval": retrieval,
            "answering": answering,
            "total": construction + retrieval + answering,
        }

    def cost(self) -> Mapping[str, float]:
        """See `Construction.cost`; nothing for turns as they are."""
        return dict.fromkeys(COSTS, 0.0) if self.construction is None else self.construction.cost()

    def plans_failed(self) -> int:
        """Questions whose plan a model was to make, and the rules made."""
        return sum(each.plan_failed for each in self.answers)

    def shares(self) -> Answers | None:
        """For HaluMem: the shares of right answers, made up ones and omissions, over all answers; `None` else."""
        if self.manner != "halumem" or self.judge is None:
            return None
        return answers_of(
            [
                each.outcome
                for each in self.answers
                if each.failure is None and each.question.answer is not None
            ]
        )

    def integrity(self) -> Integrity | None:
        """For HaluMem: how much of what should be remembered is; `None` where nobody judged it."""
        return None if self.memories is None else integrity_of(self.memories.points)

    def accuracy(self) -> Accuracy | None:
        """For HaluMem: how much of what is remembered is right; `None` where nobody judged it."""
        return None if self.memories is None else accuracy_of(self.memories.memories)

    def to_dict(self, *, questions: bool = False) -> dict[str, Any]:
        """Everything as JSON values; shares are 0-1, times seconds."""
        groups = self.by_category()
        document: dict[str, Any] = {
            "recipe": self.recipe,
            "reader": self.reader,
            "asked_by": self.asked_by,
            "reader_prompt": self._prompt_version(),
            "plan": self.plan,
            "plans_failed": self.plans_failed(),
            "judge": self.judge,
            "manner": self.manner,
            "k": self.k,
            "tokens": self.tokens,
            "conversations": self.users,
            "micro": asdict(self.overall()),
            "macro": {name: {"mean": mean, "of": of} for name, (mean, of) in macro_of(groups).items()},
            "categories": [asdict(group) for group in groups],
            "context_tokens": self.context_tokens(),
            "seconds_a_conversation": dict(self.times()),
            "construction_a_conversation": dict(self.cost()),
            "usage": asdict(self.usage()),
            "judge_usage": asdict(sum((each.judge_usage for each in self.answers), Usage())),
            "halumem": self._halumem(),
            "failures": [
                {"id": each.question.id, "failure": each.failure, "judge_failure": each.judge_failure}
                for each in self.failures()
            ],
        }
        document["published"] = [
            {**asdict(row), "beside_this_run": difference(row, self.reader, self.judge)}
            for row in published(self.data_set)
        ]
        if questions:
            document["answers"] = [self._answer(each) for each in self.answers]
        return document

    def _prompt_version(self) -> int | None:
        prompts = {"ask": "answer", "read": "read"}
        return template(prompts[self.asked_by]).version if self.asked_by in prompts else None

    def _halumem(self) -> dict[str, Any] | None:
        found = {"answers": self.shares(), "integrity": self.integrity(), "accuracy": self.accuracy()}
        if not any(found.values()):
            return None
        judged = {} if self.memories is None else {"judge_usage": asdict(self.memories.usage)}
        return {**{name: None if value is None else asdict(value) for name, value in found.items()}, **judged}

    def _answer(self, each: AnsweredBy) -> dict[str, Any]:
        return {
            "id": each.question.id,
            "category": each.question.category,
            "question": each.question.text,
            "gold": each.question.answer,
            "answer": each.text,
            "enough": each.enough,
            "sources": list(each.sources),
            "failure": each.failure,
            "correct": each.correct,
            "outcome": each.outcome,
            "judge_failure": each.judge_failure,
            "scores": scores_of(each, self.data_set),
            "context_tokens": each.context_tokens,
        }
