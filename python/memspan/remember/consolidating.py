"""Lay out the index for faster searches."""

from __future__ import annotations

from memspan.consolidation import ConsolidationReport

from .damage import survives_damage
from .engine import Engine

__all__ = ["consolidate"]


@survives_damage
def consolidate(engine: Engine, user: str | None) -> ConsolidationReport:
    """The second part of `Memory.consolidate`: the layout of the index."""
    return engine.current().consolidate(user=user)
