"""`Procedure`: how something is done, as it is told to callers, and `ProcedureReport`: what learning changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple

from memspan.llm.usage import Usage

__all__ = ["Procedure", "ProcedureReport", "ProcedureStep"]


class ProcedureStep(NamedTuple):
    """One step of a procedure."""

    action: str
    """The tool's name."""
    arguments: Mapping[str, str]
    """What each argument is: a value that is always the same (`= "eu"`), where it comes from (`as asked`, `id of
    step 1`, `result of step 2`), or only its type (`number`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """One procedure of a user; a record of kind `procedural`."""

    id: str
    """Of its record."""
    name: str
    """What it is called, or else the beginning of its text."""
    text: str
    """What searches find and a context shows."""
    steps: tuple[ProcedureStep, ...]
    """Empty for a procedure that a caller wrote."""
    preconditions: tuple[str, ...]
    """Actions that always came before it, in the same session."""
    asked: str | None
    """What somebody said before it, the most typical one."""
    successes: int
    """Runs that are known to have worked."""
    failures: int
    """Runs whose last step failed, or that stopped at a step that failed."""
    runs: int
    """All of them; those that are neither say nothing about their success."""
    last: datetime
    """When it was last run; of one that a caller wrote, its time."""
    sources: tuple[str, ...]
    """Ids of turns of its newest runs."""
    retired: bool
    """Whether somebody ended it; then learning leaves it alone."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it; times as ISO 8601."""
        steps = [{"action": step.action, "arguments": dict(step.arguments)} for step in self.steps]
        return {**asdict(self), "steps": steps, "last": self.last.isoformat()}


class ProcedureReport(NamedTuple):
    """What one round of learning did."""

    users: int
    sessions: int
    """In which something was done."""
    actions: int
    """Steps in all of them."""
    found: int
    """Procedures."""
    new: int
    changed: int
    """Known ones with more runs, or other steps."""
    merged: int
    """Records that ended because a procedure took their place: those of single runs, made by the stage
    `procedures`, and procedures that turned out to be a part of a longer one."""
    worded: int
    """New or changed ones that a model found words for, now or before."""
    ids: tuple[str, ...]
    """Of what is new or changed; with several users in the order of the users."""
    seconds: float
    usage: Usage = Usage()
    """Of the model."""
