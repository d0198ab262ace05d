"""What every group of calls of a `Memory` works on."""

from __future__ import annotations

from memspan.remember.engine import Engine
from memspan.remember.jobs.processing import Processing
from memspan.remember.searching.reranking import SecondLook

__all__ = ["Calls"]


class Calls:
    """Base of the groups; `Memory` sets the attributes."""

    _engine: Engine
    _second_look: SecondLook
    _processing: Processing
