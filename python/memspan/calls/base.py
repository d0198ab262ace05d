"""What every group of calls of a `Memory` works on."""

from __future__ import annotations

from types import FunctionType

from memspan.remember.engine import Engine
from memspan.remember.jobs.processing import Processing
from memspan.remember.searching.reranking import SecondLook

__all__ = ["Calls"]


class Calls:
    """Base of the groups; `Memory` sets the attributes."""

    _engine: Engine
    _second_look: SecondLook
    _processing: Processing

    def __init_subclass__(cls) -> None:
        """Python's own errors, such as that of a missing `user`, name the class that the caller knows."""
        super().__init_subclass__()
        if cls.__module__.rpartition(".")[0] == __package__:  # not a caller's own class
            for name, member in vars(cls).items():
                if isinstance(member, FunctionType):
                    member.__qualname__ = f"Memory.{name}"
