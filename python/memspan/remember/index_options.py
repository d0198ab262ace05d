"""How a memory keeps its index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["IndexOptions"]


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Arguments of `Index` and of `Index.load` that are not stored with an index; see there."""

    max_resident_bytes: int | None
    spill_directory: Path
    auto_consolidate: bool
