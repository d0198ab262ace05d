"""What resources need from a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memspan.reports.resource_info import Resource

__all__ = ["ResourceReader", "ResourceWriter"]


class ResourceReader(Protocol):
    """Targets of records of kind `resource`."""

    def all(self, user: str | None = None, state: str | None = None, *, cold: bool = False) -> list[Resource]:
        """Of one user or of all, in the order of users and ids; without those whose record is not there, unless with
        `cold` it was evicted."""


class ResourceWriter(ResourceReader, Protocol):
    """Changes inside the one exclusive transaction; none advances the change counter."""

    def put(self, resources: Sequence[Resource]) -> None:
        """Insert or replace, for users that exist."""

    def settle(self, resources: Sequence[Resource]) -> None:
        """Take over what a look found, for those whose record still points to the same target; a checksum and a size
        only where there were none."""
