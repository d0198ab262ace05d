"""The calls about procedures, bound to one user."""

from __future__ import annotations

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.reports.procedure_info import Procedure, ProcedureReport

__all__ = ["UserProcedures"]


class UserProcedures:
    """Base of `UserMemory`, which sets the attributes."""

    _memory: memspan.Memory
    name: str

    def procedures(self) -> list[Procedure]:
        """See `Memory.procedures`."""
        return self._memory.procedures(user=self.name)

    def learn_procedures(
        self, *, settings: memspan.Mining | None = None, ask: bool | None = None, dry_run: bool = False
    ) -> ProcedureReport:
        """See `Memory.learn_procedures`."""
        return self._memory.learn_procedures(self.name, settings=settings, ask=ask, dry_run=dry_run)

    async def alearn_procedures(
        self, *, settings: memspan.Mining | None = None, ask: bool | None = None, dry_run: bool = False
    ) -> ProcedureReport:
        """See `Memory.alearn_procedures`."""
        return await self._memory.alearn_procedures(self.name, settings=settings, ask=ask, dry_run=dry_run)

    aprocedures = in_thread(procedures, reads=True)
