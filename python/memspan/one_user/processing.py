"""The calls of `UserMemory` about encode jobs."""

from __future__ import annotations

from collections.abc import Sequence

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.reports.job_info import Job, JobEvent, ProcessReport, UsageEntry

__all__ = ["UserProcessing"]


class UserProcessing:
    """See `Memory`; `UserMemory` sets the attributes."""

    _memory: memspan.Memory
    name: str

    def process(
        self,
        *,
        jobs_in_flight: int = 64,
        limit: int | None = None,
        follow: bool = False,
        gather: bool | None = None,
        progress: bool = False,
    ) -> ProcessReport:
        """See `Memory.process`; only this user's jobs."""
        return self._memory.process(
            user=self.name,
            jobs_in_flight=jobs_in_flight,
            limit=limit,
            follow=follow,
            gather=gather,
            progress=progress,
        )

    async def aprocess(
        self,
        *,
        jobs_in_flight: int = 64,
        limit: int | None = None,
        follow: bool = False,
        gather: bool | None = None,
        progress: bool = False,
    ) -> ProcessReport:
        """See `Memory.aprocess`; only this user's jobs."""
        return await self._memory.aprocess(
            user=self.name,
            jobs_in_flight=jobs_in_flight,
            limit=limit,
            follow=follow,
            gather=gather,
            progress=progress,
        )

    def enqueue(self, *, progress: bool = False) -> int:
        """See `Memory.enqueue`; only this user's turns."""
        return self._memory.enqueue(user=self.name, progress=progress)

    def jobs(self, *, state: str | None = None) -> list[Job]:
        """See `Memory.jobs`."""
        return self._memory.jobs(user=self.name, state=state)

    def job_log(self, job: str) -> list[JobEvent]:
        """See `Memory.job_log`; jobs of other users do not exist here."""
        return self._memory.job_log(job, user=self.name)

    def retry(self, job: str | None = None) -> int:
        """See `Memory.retry`; only this user's jobs."""
        return self._memory.retry(job, user=self.name)

    def usage(self, *, by: Sequence[str] = ("stage", "recipe", "model")) -> list[UsageEntry]:
        """See `Memory.usage`."""
        return self._memory.usage(user=self.name, by=by)

    aenqueue = in_thread(enqueue)
    ajobs = in_thread(jobs, reads=True)
    ajob_log = in_thread(job_log, reads=True)
    aretry = in_thread(retry)
    ausage = in_thread(usage, reads=True)
