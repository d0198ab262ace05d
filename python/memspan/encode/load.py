"""`Load`: what decides how many calls of the model a stage makes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Load"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The size of one encode job, as a stage meets it; a stage that asks a model says with it how many calls it makes
    when no reply is truncated (`calls(load)`)."""

    turns: int
    """Of the job."""
    windows: int = 1
    """That the turns were cut into."""
    tokens: int = 0
    """That the turns have, as `estimate_tokens` counts."""
    statements: int = 0
    """That the stage is given."""
    actions: int = 0
    """Tool calls in the turns."""
    uncovered: int = 0
    """Turns that no statement covers."""
