"""The calls of a `UserMemory` about sleep."""

from __future__ import annotations

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.reports.consolidation import ConsolidationReport
from memspan.reports.run_info import Run, Undone

__all__ = ["UserSleepCalls"]


class UserSleepCalls:
    """A base of `UserMemory`."""

    _memory: memspan.Memory
    name: str

    def consolidate(
        self,
        *,
        update: bool | memspan.SleepUpdate | None = None,
        merge: bool | memspan.Merging = True,
        staleness: str | memspan.StalenessPolicy | None = None,
        learn: bool = True,
        dry_run: bool = False,
        seconds: float | None = None,
        progress: bool = False,
    ) -> ConsolidationReport:
        """See `Memory.consolidate`."""
        return self._memory.consolidate(
            self.name,
            update=update,
            merge=merge,
            staleness=staleness,
            learn=learn,
            dry_run=dry_run,
            seconds=seconds,
            progress=progress,
        )

    async def aconsolidate(
        self,
        *,
        update: bool | memspan.SleepUpdate | None = None,
        merge: bool | memspan.Merging = True,
        staleness: str | memspan.StalenessPolicy | None = None,
        learn: bool = True,
        dry_run: bool = False,
        seconds: float | None = None,
        progress: bool = False,
    ) -> ConsolidationReport:
        """See `Memory.aconsolidate`."""
        return await self._memory.aconsolidate(
            self.name,
            update=update,
            merge=merge,
            staleness=staleness,
            learn=learn,
            dry_run=dry_run,
            seconds=seconds,
            progress=progress,
        )

    def runs(self) -> list[Run]:
        """See `Memory.runs`."""
        return self._memory.runs(self.name)

    def sleep_log(self, run: str | None = None) -> list[memspan.SleepDecision]:
        """See `Memory.sleep_log`."""
        return self._memory.sleep_log(self.name, run)

    def undo(self, run: str, *, leave_changed: bool = False) -> Undone:
        """See `Memory.undo`; runs of other users are refused."""
        return self._memory.undo(run, user=self.name, leave_changed=leave_changed)

    aruns = in_thread(runs, reads=True)
    asleep_log = in_thread(sleep_log, reads=True)
    aundo = in_thread(undo)
