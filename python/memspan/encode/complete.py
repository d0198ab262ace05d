"""`Complete`: statements for the turns that the first reading passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memspan.arguments import as_integer, as_number
from memspan.llm import Prompt
from memspan.llm.prompts import render

from .cover import alignment, deviations_of, turn_text
from .grounding import grounded
from .load import Load
from .merging import merge_same
from .numbering import scene_of, turn_lines
from .stage import Tools
from .together import ask_in_parts
from .values import Statement, Turn, Window, Work

__all__ = ["Complete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """Align every turn with its most similar statement, and read again the turns that have none (ProMem 3.3).

    A turn is covered when that similarity is above the threshold, or stands out by so many deviations. All uncovered
    turns of the job are asked about in one call, and what it finds is put beside what was there.
    """

    threshold: float = 0.6
    """Cosine above which a statement covers a turn (tau_match, for Qwen3-Embedding-8B)."""
    deviations: float | None = None
    """Standard deviations above the mean cosine of the job's turns and statements, in place of the threshold, which
    belongs to one embedder. On LoCoMo, 1.5 finds 69 % of the turns that lost their statements and takes 19 % of the
    others for such, with the default embedder as with hashing; 0.6 finds 10 % or all, and takes none or 80 %
    (`benches/turn_coverage.py`)."""
    context: int = 2
    """Turns before each uncovered one that are shown with it. The paper shows none; but "Yes, last May!" is overlooked
    because it says nothing without the question before it."""

    def __post_init__(self) -> None:
        as_number(self.threshold, "threshold", -1, 1)
        if self.deviations is not None:
            as_number(self.deviations, "deviations", -100, 100)
        as_integer(self.context, "context", 0, 100)

    @property
    def name(self) -> str:
        """`complete`."""
        return "complete"

    def calls(self, load: Load) -> int:
        """One when a turn is uncovered."""
        return min(load.uncovered, 1)

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with supplementary statements. O(turns x statements x dim) besides the model.

        Raises:
            LLMError: the uncovered turns could not be read.
        """
        from .replies.extract import ExtractReply

        missing = await self.uncovered(work, tools)
        if not missing:
            return work

        def prompt(part: _Part) -> Prompt:
            data = {"scene": scene_of(part.turns), "turns": turn_lines(_shown(work, part), part.turns)}
            return render("complete", data=data)

        whole = _Part(missing, self.context)
        replies = await ask_in_parts(tools, "uncovered", whole, ExtractReply, prompt, _halves, _ids)
        found = list(work.statements)
        for part, reply in replies:
            found += grounded(reply.statements, part.turns, _shown(work, part), tools, stage=self.name)
        tools.note("completed", uncovered=len(missing), found=len(found) - len(work.statements))
        return replace(work, statements=_as_said(merge_same(found, work.turns, tools), work.turns))

    async def uncovered(self, work: Work, tools: Tools) -> tuple[Turn, ...]:
        """The turns whose best statement is not above the threshold, in order; all of them without statements."""
        if not work.turns or not work.statements:
            return work.turns
        texts = [turn_text(turn) for turn in work.turns]
        vectors = await tools.embed(texts + [statement.text for statement in work.statements])
        scores, least = alignment(work.turns, work.statements, vectors), self.threshold
        if self.deviations is not None and (relative := deviations_of(scores)) is not None:
            scores, least = relative, self.deviations
        best = scores.max(axis=1)
        return tuple(turn for turn, score in zip(work.turns, best, strict=True) if score <= least)


def _as_said(statements: Sequence[Statement], turns: Sequence[Turn]) -> tuple[Statement, ...]:
    """The statements by the first turn that says each: of records of one time, their order is that in which they
    stand. Those of one turn stay in their order, what was found first before what was missed."""
    places = {turn.id: place for place, turn in enumerate(turns)}
    last = len(places)
    return tuple(
        sorted(statements, key=lambda one: min((places.get(id_, last) for id_ in one.sources), default=last))
    )


class _Part(NamedTuple):
    """Uncovered turns that are asked about at once."""

    turns: tuple[Turn, ...]
    context: int
    """Turns shown before each."""


def _shown(work: Work, part: _Part) -> list[Turn]:
    """The turns and those before each, in the order of the conversation."""
    known = (*work.history, *work.turns)
    asked = {turn.id: turn for turn in part.turns}
    shown: dict[int, Turn] = {}
    for place, turn in enumerate(known):
        if turn.id in asked:
            for near in range(max(0, place - part.context), place + 1):
                shown[near] = asked.get(known[near].id, known[near])
    return [shown[place] for place in sorted(shown)]


def _halves(part: _Part) -> tuple[_Part, ...] | None:
    if len(part.turns) == 1 and part.context:
        return (part._replace(context=0),)
    halves = Window(turns=part.turns).halves()
    return None if halves is None else tuple(_Part(half.turns, part.context) for half in halves)


def _ids(part: _Part) -> list[str]:
    return [turn.id for turn in part.turns]
