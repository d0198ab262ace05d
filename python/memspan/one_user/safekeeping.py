"""The calls of a `UserMemory` about secrets and about what lies elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.reports.resource_info import Resource, ResourceReport
from memspan.times import TimeLike

__all__ = ["UserSafekeeping"]


class UserSafekeeping:
    """See `UserMemory`, which sets the attributes."""

    _memory: memspan.Memory
    name: str

    def vault(self, key: bytes | str | None = None, *, passphrase: str | None = None) -> memspan.Vault:
        """See `Memory.vault`."""
        return self._memory.vault(self.name, key, passphrase=passphrase)

    def add_resource(
        self,
        target: str | PathLike[str],
        *,
        description: str | None = None,
        id: str | None = None,
        at: TimeLike | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        fetch: bool = False,
        seconds: float = 10.0,
    ) -> str:
        """See `Memory.add_resource`."""
        return self._memory.add_resource(
            target,
            user=self.name,
            description=description,
            id=id,
            at=at,
            tags=tags,
            metadata=metadata,
            fetch=fetch,
            seconds=seconds,
        )

    def resources(self, *, state: str | None = None) -> list[Resource]:
        """See `Memory.resources`."""
        return self._memory.resources(user=self.name, state=state)

    def check_resources(
        self, *, fetch: bool = False, seconds: float = 10.0, progress: bool = False
    ) -> ResourceReport:
        """See `Memory.check_resources`; only this user's."""
        return self._memory.check_resources(user=self.name, fetch=fetch, seconds=seconds, progress=progress)

    aadd_resource = in_thread(add_resource)
    aresources = in_thread(resources, reads=True)
    acheck_resources = in_thread(check_resources)
