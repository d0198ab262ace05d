"""What an evaluation found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import memspan.evaluate.reading
from memspan.formats.questions.labelled import Unit

from .answers import Answered
from .construction import Construction
from .contexts import Held
from .latency import Latency, latencies, latency_of
from .longmemeval import corrected_scores, mean_of_scores, script_scores
from .provenance import provenance
from .scores import ALL, Group, group_of

__all__ = ["Evaluated", "Evaluation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A file that took part."""

    path: Path
    users: int
    """How many conversations were asked about."""
    turns: int
    """How many turns those have."""
    questions: int
    store: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All questions with what came back, and the averages over them.

    Everything but the times is deterministic, unless the reranker had a budget (`rerank_ms`): how many records it reads
    then depends on the clock. Answers of a model are those that are kept, where there are any.
    """

    data_set: str
    unit: Unit
    categories: tuple[str, ...]
    """Every category with a question, in the data set's order."""
    ks: tuple[int, ...]
    """Ascending; the last one is how many records each question asked for."""
    embedder: str
    options: Mapping[str, Any]
    """What `Memory.search` was told besides the question."""
    files: tuple[Evaluated, ...]
    questions: tuple[Answered, ...]
    """In the order of the files."""
    tokens: int = 0
    """The budget of the contexts that were made; 0 for none."""
    recipe: str = "verbatim"
    """What made memories of the turns."""
    construction: Construction | None = None
    """What that took; `None` for `verbatim`."""
    reading: memspan.evaluate.reading.AnswerReport | None = None
    """What a reader answered; `None` when none was asked."""

    def of_category(self, category: str) -> list[Answered]:
        """The questions of one category."""
        return [each for each in self.questions if each.question.category == category]

    def groups(self, by_category: bool = True) -> list[Group]:
        """The scores over all questions, then of every category."""
        groups = [group_of(ALL, self.questions, self.ks)]
        if by_category:
            groups += [group_of(name, self.of_category(name), self.ks) for name in self.categories]
        return groups

    def latency(self) -> Mapping[str, Latency]:
        """Seconds by stage. Times of one machine at one moment."""
        return latencies([each.timings for each in self.questions])

    def all_latencies(self) -> Mapping[str, Latency]:
        """The same with `context`, the time of making contexts, which is not part of `total`."""
        seconds = [each.context.seconds for each in self.questions if each.context is not None]
        return {**self.latency(), "context": latency_of(seconds)} if seconds else self.latency()

    def worst(self, count: int) -> list[Answered]:
        """The scored questions whose first evidence came last, of equal ones those with the least recall."""

        def place(each: Answered) -> tuple[float, float]:
            ranks = [rank for rank in each.ranks.values() if rank is not None]
            return -min(ranks, default=float("inf")), len(ranks) / len(each.relevant)

        return sorted((each for each in self.questions if each.scored), key=place)[:count]

    def missing_labels(self) -> dict[str, tuple[str, ...]]:
        """By question, the labels that name nothing in the conversation; those of two files' questions of one id stand
        together."""
        found: dict[str, tuple[str, ...]] = {}
        for question in (each.question for each in self.questions):
            if question.missing:
                found[question.id] = found.get(question.id, ()) + question.missing
        return found

    def longmemeval(self) -> list[dict[str, Any]]:
        """For LongMemEval: its own metrics by level and k, as its scripts compute them and corrected; else empty."""
        rankings = [
            each.user_turns for each in self.questions if each.user_turns and each.question.answerable
        ]
        rows = []
        for level in ("turn", "session") if rankings else ():
            for k in self.ks:
                of_sessions = level == "session"
                scripts = mean_of_scores(script_scores(each, k, sessions=of_sessions) for each in rankings)
                right = mean_of_scores(corrected_scores(each, k, sessions=of_sessions) for each in rankings)
                rows.append(
                    {
                        "level": level,
                        "k": k,
                        "scripts": {"questions": scripts[0], **scripts[1]},
                        "corrected": {"questions": right[0], **right[1]},
                    }
                )
        return rows

    def to_dict(self, *, by_category: bool = True, questions: bool = False) -> dict[str, Any]:
        """Everything as JSON values; shares are 0-1, times milliseconds. With `questions`, each one too."""
        document: dict[str, Any] = {
            "data_set": self.data_set,
            "unit": self.unit,
            "k": list(self.ks),
            "context_tokens": self.tokens,
            "embedder": self.embedder,
            "recipe": self.recipe,
            "options": dict(self.options),
            "ran_on": provenance(),
            "files": [
                {**asdict(each), "path": str(each.path), "store": str(each.store)} for each in self.files
            ],
            "groups": [asdict(group) for group in self.groups(by_category)],
            "missing_labels": {id_: list(labels) for id_, labels in self.missing_labels().items()},
            "latency_ms": {
                stage: {name: round(seconds * 1e3, 4) for name, seconds in asdict(latency).items()}
                for stage, latency in self.all_latencies().items()
            },
        }
        if own := self.longmemeval():
            document["longmemeval"] = own
        if self.construction is not None:
            document["construction"] = self.construction.to_dict()
        if self.reading is not None:
            document["reading"] = self.reading.to_dict(questions=questions)
        if questions:
            document["questions"] = [_question_json(each) for each in self.questions]
        return document


def _question_json(each: Answered) -> dict[str, Any]:
    question = each.question
    return {
        "id": question.id,
        "user": question.user,
        "category": question.category,
        "question": question.text,
        "answerable": question.answerable,
        "scored": each.scored,
        "ranks": each.ranks,
        "retrieved": list(each.retrieved),
        "score": each.score,
        **({} if each.context is None else _context_json(each.context)),
    }


def _context_json(held: Held) -> dict[str, Any]:
    return {"context": {"tokens": held.tokens, "held": sorted(held.held), "named": sorted(held.named)}}
