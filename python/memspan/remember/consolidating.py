"""Lay out the index for faster searches."""

from __future__ import annotations

from memspan.base.cores import cores_beside_searches
from memspan.reports.consolidation import ConsolidationReport

from .damage import survives_damage
from .engine import Engine

__all__ = ["consolidate", "nothing_done"]


@survives_damage
def consolidate(engine: Engine, user: str | None) -> ConsolidationReport:
    """The last step of `Memory.consolidate`: the layout of the index."""
    return engine.current().consolidate(user=user, threads=cores_beside_searches())


def nothing_done(users: int) -> ConsolidationReport:
    """The report when the layout was left as it is."""
    return ConsolidationReport(users, users, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 1.0, 1.0, 0.0)
