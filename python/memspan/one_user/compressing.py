"""The call of a `UserMemory` that shortens what it holds."""

from __future__ import annotations

from collections.abc import Sequence

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.reports.compression_report import CompressionReport
from memspan.times import TimeLike

__all__ = ["UserCompressing"]


class UserCompressing:
    """See `UserMemory`, which sets the attributes."""

    _memory: memspan.Memory
    name: str

    def compress(
        self,
        strategy: str = "adaptive",
        ratio: float = 0.5,
        *,
        kinds: Sequence[str] | None = None,
        before: TimeLike | None = None,
        scorer: memspan.Scorer | None = None,
        keep_originals: bool = True,
        dry_run: bool = False,
        progress: bool = False,
    ) -> CompressionReport:
        """See `Memory.compress`."""
        return self._memory.compress(
            self.name,
            strategy,
            ratio,
            kinds=kinds,
            before=before,
            scorer=scorer,
            keep_originals=keep_originals,
            dry_run=dry_run,
            progress=progress,
        )

    acompress = in_thread(compress)
