"""What the audit needs from a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memspan.reports.audit_info import AuditEntry
from memspan.times import Micros

__all__ = ["AuditFilter", "AuditReader", "AuditWriter"]


class AuditFilter(NamedTuple):
    """Which entries are wanted; `None` for any."""

    user: str | None = None
    """A user's name."""
    record: str | None = None
    """The id of a record of that user."""
    action: str | None = None
    since: Micros | None = None
    until: Micros | None = None
    """Exclusive."""


class AuditReader(Protocol):
    """The audit of one consistent view."""

    def entries(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        """The last `limit` of those that are wanted, oldest first. Linear in what the audit says of the user; else in
        what it says of the time, or of the action; of a time with 10,000 entries or more, also in what came later."""

    def problems(self) -> list[str]:
        """What shows that the audit was changed or cut; empty when it is whole. Linear in the audit."""


class AuditWriter(AuditReader, Protocol):
    """Adds to the audit, inside the one exclusive transaction: what was done and that it was done are one."""

    def append(
        self,
        at: Micros,
        actor: str,
        action: str,
        user: str | None,
        ids: Sequence[str],
        details: Mapping[str, Any],
    ) -> None:
        """Enter that something was done to a user's records, by their names, of which fingerprints are kept.

        Does not advance the change counter.
        """
