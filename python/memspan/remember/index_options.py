"""How a memory keeps its index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["IndexOptions"]


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Arguments of `Index`; see there. All but the last are those of `Index.load`, too."""

    max_resident_bytes: int | None
    spill_directory: Path
    auto_consolidate: bool
    row_format: str
