"""How many calls of the model a recipe makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from memspan.encode.load import Load
from memspan.encode.segment import Segment
from memspan.encode.stage import Stage
from memspan.encode.windows import Windows

__all__ = ["expected_calls"]


@runtime_checkable
class _Asks(Protocol):
    def calls(self, load: Load) -> int: ...


def expected_calls(
    stages: Sequence[Stage],
    turns: int,
    *,
    statements: Mapping[str, int] | None = None,
    uncovered: int = 0,
    tokens: int = 0,
    segments: int = 1,
    actions: int = 0,
) -> dict[str, int]:
    """The calls that each stage makes for one job, when no reply is truncated and none has to be asked for again.

    What the papers say of their cost: SimpleMem reads N turns in 1 + ceil((N - W) / stride) windows and synthesises
    once; ProMem extracts once, completes at most once and asks twice for each of M statements; SwiftMem asks once for
    each episode. LightMem empties its buffer at most N r^x T / th times, rounded up; a turn-by-turn system makes N
    calls (LightMem, table 1).

    Args:
        stages: of a recipe, `Recipe.write`.
        turns: of the job.
        statements: how many come to a stage, by its name; none where it is not said.
        uncovered: turns that no statement covers, for `Complete`.
        tokens: N r^x T, of the turns after compression, for `Buffer`.
        actions: tool calls of the turns, for `Procedures`.
        segments: that `Segment` cuts the turns into.
    """
    windows = 1 if turns else 0
    calls = {}
    for stage in stages:
        if isinstance(stage, Windows):
            windows = stage.count(turns)
        elif isinstance(stage, Segment):
            windows = segments if turns else 0
        elif isinstance(stage, _Asks):
            coming = (statements or {}).get(stage.name, 0)
            calls[stage.name] = stage.calls(
                Load(
                    turns=turns,
                    windows=windows,
                    statements=coming,
                    uncovered=uncovered,
                    tokens=tokens,
                    actions=actions,
                )
            )
    return calls
