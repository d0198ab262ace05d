"""`Procedures`: the tasks that an agent carried out, as procedures, by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memspan.arguments import as_integer
from memspan.llm import Prompt
from memspan.llm.prompts import render, template
from memspan.reports.procedure_info import ProcedureStep

from .clean import clean_text
from .kept_words import invented
from .load import Load
from .numbering import scene_of, turn_lines
from .procedure_text import Wording, written
from .stage import Tools
from .taken import taken
from .together import ask_in_parts, together
from .values import Statement, Turn, Window, Work

if TYPE_CHECKING:
    from .replies.procedures import ProceduresReply, ToldProcedure

__all__ = ["Procedures", "procedures_prompt", "told"]

_NAME_CHARS: Final = 120
_DOES_CHARS: Final = 200
_WHEN_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedures:
    """Ask a model which tasks were carried out by tool calls, and how, so that they can be done again.

    Each becomes a statement of kind `procedural` with its steps, in whose metadata (`procedure`) the actions stand;
    its sources are the turns of its steps, their results, and what was asked for. What is checked: steps are calls
    that were made, in their order, two different ones at least; a text has no number that the work has not. Whether
    it worked, the results say, where they do. A job without calls asks nothing.

    This sees one session at a time. What comes back in several, sleep learns without a model
    (`Memory.learn_procedures`); it takes over the words of this stage, and its counts go on there."""

    fewest: int = 2
    """Calls that a job must have, to be asked about."""
    most: int = 100
    """Turns in a call of the model."""
    chars: int = 800
    """Of each turn that are shown: calls and results can be long."""

    def __post_init__(self) -> None:
        as_integer(self.fewest, "fewest", 2, 10_000)
        as_integer(self.most, "most", 2, 10_000)
        as_integer(self.chars, "chars", 40, 1_000_000)

    @property
    def name(self) -> str:
        """`procedures`."""
        return "procedures"

    def calls(self, load: Load) -> int:
        """At most: one for each piece of the turns, if there are enough calls."""
        return -(-load.turns // self.most) if load.actions >= self.fewest else 0

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with a statement for each task; pieces are asked about side by side.

        Raises:
            LLMError: a piece could not be read; the answers for the others are kept.
        """
        turns = work.turns
        pieces = [Window(turns=turns[start : start + self.most]) for start in range(0, len(turns), self.most)]
        found = await together(
            self._read(str(number), piece, tools)
            for number, piece in enumerate(pieces)
            if sum(len(turn.actions) for turn in piece.turns) >= self.fewest
        )
        return replace(work, statements=(*work.statements, *(one for some in found for one in some)))

    async def _read(self, key: str, window: Window, tools: Tools) -> list[Statement]:
        from .replies.procedures import ProceduresReply

        def prompt(part: Window) -> Prompt:
            return procedures_prompt(part.turns, self.chars)

        replies = await ask_in_parts(tools, key, window, ProceduresReply, prompt, _halves, _ids)
        return [one for part, reply in replies for one in told(part.turns, reply, tools)]


def procedures_prompt(turns: Sequence[Turn], chars: int = 800) -> Prompt:
    """What the model is asked about some turns; those that call tools are numbered."""
    shown = [
        turn if len(turn.text) <= chars else replace(turn, text=f"{turn.text[:chars]}…") for turn in turns
    ]
    lines = turn_lines(shown, [turn for turn in shown if turn.actions])
    return render("procedures", data={"scene": scene_of(turns), "turns": lines})


def told(turns: Sequence[Turn], reply: ProceduresReply, tools: Tools) -> list[Statement]:
    """The statements of a reply that can be used; the others are noted."""
    acting = [turn for turn in turns if turn.actions]
    found = []
    for procedure in taken(reply.procedures, tools, stage="procedures"):
        one = _statement(turns, acting, procedure, tools)
        if one is not None:
            found.append(one)
    return found


def _statement(
    turns: Sequence[Turn], acting: Sequence[Turn], procedure: ToldProcedure, tools: Tools
) -> Statement | None:
    name = clean_text(procedure.name)[:_NAME_CHARS].rstrip(".")
    unknown = [step.n for step in procedure.steps if not 1 <= step.n <= len(acting)]
    if unknown:
        tools.note("unknown steps", name=name, numbers=unknown)
    does = {step.n: clean_text(step.does)[:_DOES_CHARS] for step in reversed(procedure.steps)}
    chosen = [turn for number, turn in enumerate(acting, 1) if number in does]
    steps: list[ProcedureStep] = []
    said: list[str] = []
    for number, turn in enumerate(acting, 1):
        for action in turn.actions if number in does else ():
            if steps and steps[-1].action == action.action:
                steps.pop(), said.pop()
            steps.append(ProcedureStep(action.action, dict(action.arguments)))
            said.append(does[number])
    when = clean_text(procedure.when)[:_WHEN_CHARS]
    reason = _refused(name, when, said, steps, turns)
    if reason is not None:
        tools.note("dropped", reason=reason, name=name)
        return None
    results, worked = _results(turns, chosen, procedure.worked)
    asked = _asked(turns, chosen[0])
    prompt = template("procedures")
    needed = {turn.id for turn in (*chosen, *results, *([] if asked is None else [asked]))}
    sources = tuple(turn.id for turn in turns if turn.id in needed)
    wording = Wording(
        name=name, when=when, does=tuple(said), prompt=f"{prompt.name}@{prompt.version}", sources=sources
    )
    told: dict[str, Any] = {
        "name": name,
        "steps": [{"action": step.action, "arguments": dict(step.arguments)} for step in steps],
        "wording": wording.to_dict(),
        "success": worked,
    }
    return Statement(
        text=written(name, steps, wording=wording),
        at=chosen[-1].at,
        sources=sources,
        kind="procedural",
        stage="procedures",
        metadata={"procedure": told},
    )


def _refused(
    name: str, when: str, said: Sequence[str], steps: Sequence[ProcedureStep], turns: Sequence[Turn]
) -> str | None:
    """Why a procedure cannot be used; `None` if it can."""
    if not name:
        return "no name"
    if len({step.action for step in steps}) < 2:
        return "not two different steps"
    parts = [Statement(text=turn.text, at=turn.at, sources=(turn.id,)) for turn in turns]
    if invented(parts, " ".join((name, when, *said))):
        return "numbers from nowhere"
    return None


def _results(turns: Sequence[Turn], chosen: Sequence[Turn], said: bool) -> tuple[list[Turn], bool]:
    """The turns with the results of these steps, and whether the last one worked."""
    calls = {action.call for turn in chosen for action in turn.actions if action.call is not None}
    results = [turn for turn in turns if any(outcome.call in calls for outcome in turn.outcomes)]
    last = {action.call for action in chosen[-1].actions if action.call is not None}
    known = [outcome.success for turn in results for outcome in turn.outcomes if outcome.call in last]
    own = [action.success for action in chosen[-1].actions if action.success is not None]
    return results, all(known or own) if known or own else said


def _asked(turns: Sequence[Turn], first: Turn) -> Turn | None:
    """What was said last before the first step, by anybody who called no tool."""
    before = turns[: [turn.id for turn in turns].index(first.id)]
    return next((turn for turn in reversed(before) if not turn.actions and not turn.outcomes), None)


def _halves(window: Window) -> tuple[Window, ...] | None:
    return replace(window, history=()).halves() if len(window.turns) > 1 else None


def _ids(window: Window) -> list[str]:
    return [turn.id for turn in window.turns]
