"""What compressing a user's records did."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import memspan

__all__ = ["CompressionReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionReport:
    """Counts of records and words, and how much was kept on average."""

    strategy: str
    """Which records keep how much: `none`, `uniform`, `adaptive` or `hierarchical`."""
    target: float
    """The target ratio r*."""
    records: int
    """That may be compressed."""
    compressed: int
    """That were, or would have been."""
    skipped: int
    """Left as they are: nothing could go, or they changed meanwhile."""
    words_before: int
    """Of those compressed."""
    words_after: int
    """Of those compressed, as they read now or would."""
    nominal: float
    """Mean nominal fidelity of those compressed, see `nominal_fidelity`; 1 when none was."""
    measured: memspan.Fidelity
    """Mean of what was measured of them; nothing lost when none was."""
    kept_originals: bool
    """Whether `Memory.original` and `restore` have the wording from before."""
    dry_run: bool
    """Whether nothing was changed."""
    seconds: float
    """The whole call took."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "measured": self.measured.to_dict()}
