"""What compressing a user's records did."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memspan.lifecycle.fidelity import Fidelity

__all__ = ["CompressionReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionReport:
    """Counts of records and words, and how much was kept on average."""

    strategy: str
    target: float
    """The target ratio r*."""
    records: int
    """That may be compressed."""
    compressed: int
    """That were, or would have been."""
    skipped: int
    """Left as they are: nothing could go, or they changed meanwhile."""
    words_before: int
    words_after: int
    nominal: float
    """Mean nominal fidelity of those compressed, see `nominal_fidelity`; 1 when none was."""
    measured: Fidelity
    """Mean of what was measured of them; nothing lost when none was."""
    kept_originals: bool
    dry_run: bool
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "measured": self.measured.as_json()}
