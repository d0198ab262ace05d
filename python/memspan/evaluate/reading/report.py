"""What an evaluation with a reader found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memspan.evaluate.construction import Construction
from memspan.llm import Usage
from memspan.llm.prompts import template

from .asking import AnsweredBy
from .grading import AnswerGroup, grade, macro_of, scores_of
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
    """Of judging: `generous` or `strict`; figures of the two do not compare."""
    k: int
    """How many records were looked at for each context."""
    tokens: int
    """The contexts' budget."""
    users: int
    """Conversations."""
    construction: Construction | None
    answers: tuple[AnsweredBy, ...]

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
        The paper does not say what its retrieval holds; here `retrieval` is search and making contexts, `answering`
        is the model's, summed also where questions ran side by side."""
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
        """Tokens in thousands, calls and seconds a conversation, as LightMem's table 2 has them: what making the
        memories took, `update` being what changes memories that are there. An evaluation does not consolidate, so that
        LightMem's offline update is not in it."""
        if self.construction is None:
            return dict.fromkeys((*_COSTS, "total_k", "calls", "seconds"), 0.0)
        summary, update = self.construction.usage(update=False), self.construction.usage(update=True)
        tokens = (
            summary.prompt_tokens,
            summary.completion_tokens,
            update.prompt_tokens,
            update.completion_tokens,
        )
        thousands = [count / self.users / 1000 for count in tokens]
        return {
            **dict(zip(_COSTS, thousands, strict=True)),
            "total_k": sum(thousands),
            "calls": (summary.calls + update.calls) / self.users,
            "seconds": self.construction.seconds / self.users,
        }

    def as_json(self, *, questions: bool = False) -> dict[str, Any]:
        """Everything as JSON values; shares are 0-1, times seconds."""
        groups = self.by_category()
        document: dict[str, Any] = {
            "recipe": self.recipe,
            "reader": self.reader,
            "reader_prompt": template("read").version,
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

    def _answer(self, each: AnsweredBy) -> dict[str, Any]:
        return {
            "id": each.question.id,
            "category": each.question.category,
            "question": each.question.text,
            "gold": each.question.answer,
            "answer": each.text,
            "enough": each.enough,
            "failure": each.failure,
            "correct": each.correct,
            "judge_failure": each.judge_failure,
            "scores": scores_of(each, self.data_set),
            "context_tokens": each.context_tokens,
        }


_COSTS = ("summary_in_k", "summary_out_k", "update_in_k", "update_out_k")
