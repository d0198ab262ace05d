"""A model's words for procedures that were learnt without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from memspan.actions import actions_in, outcomes_in
from memspan.encode.procedure_text import Wording, wording_of
from memspan.encode.procedures import procedures_prompt, told
from memspan.encode.stage import Tools
from memspan.encode.together import all_or_none
from memspan.encode.values import Statement, Turn
from memspan.errors import LLMError
from memspan.llm.protocol import Ready
from memspan.store.transcripts import TranscriptTurn
from memspan.times import from_micros

from .matching import alike
from .mining import Proposal, Proposals

__all__ = ["word"]

_ALIKE: Final = 0.6


async def word(
    proposals: Proposals,
    tools: Tools,
    model: str | None = None,
    ready: Callable[[Sequence[TranscriptTurn]], Ready | None] = lambda turns: None,
) -> Proposals:
    """The proposals with words for those that have none: the model reads one run of each, side by side, and tells it as
    the stage `Procedures` has it do. A reply that tells other steps is refused and noted, and so is one that fails:
    the procedure is stored without words then.

    Args:
        ready: says of the turns of a run whether they may still be sent.
    """
    found = await all_or_none(_worded(one, tools, model, ready(one.example)) for one in proposals.changes)
    return replace(proposals, changes=tuple(found))


async def _worded(proposal: Proposal, tools: Tools, model: str | None, ready: Ready | None) -> Proposal:
    from memspan.encode.replies.procedures import ProceduresReply

    if proposal.wording is not None or not proposal.example:
        return proposal
    turns = [_turn(turn) for turn in proposal.example]
    try:
        reply = await tools.ask(proposal.id, procedures_prompt(turns), ProceduresReply, ready=ready)
    except LLMError as error:
        tools.note("no words", procedure=proposal.id, reason=str(error))
        return proposal
    wording = _fitting(told(turns, reply, tools), proposal.learned.actions)
    if wording is None:
        tools.note("refused", procedure=proposal.id, reason="other steps")
        return proposal
    return replace(proposal, wording=replace(wording, model=model))


def _fitting(statements: Sequence[Statement], actions: tuple[str, ...]) -> Wording | None:
    """The words of the procedure whose steps are most like these, put to these steps."""
    best: tuple[float, Wording] | None = None
    for statement in statements:
        procedure = statement.metadata["procedure"]
        wording = wording_of(procedure["wording"])
        own = tuple(step["action"] for step in procedure["steps"])
        likeness = alike(own, actions)
        if wording is None or likeness < _ALIKE or (best is not None and likeness <= best[0]):
            continue
        does = dict(reversed(list(zip(own, wording.does, strict=True))))
        best = likeness, replace(wording, does=tuple(does.get(action, "") for action in actions))
    return None if best is None else best[1]


def _turn(turn: TranscriptTurn) -> Turn:
    return Turn(
        id=turn.id,
        text=turn.text,
        at=from_micros(turn.at),
        speaker=turn.speaker,
        session=turn.session,
        actions=actions_in(turn.metadata),
        outcomes=outcomes_in(turn.metadata),
    )
