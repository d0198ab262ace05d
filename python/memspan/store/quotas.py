"""What quotas need from a database."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["QuotaReader", "QuotaWriter", "StoredQuotas", "Unsettled"]


class StoredQuotas(NamedTuple):
    """The quotas of one user or, with `user=None`, of everybody without quotas of their own."""

    user: str | None
    settings: str | None
    """As they were written; `None`: they were taken back."""


class Unsettled(NamedTuple):
    """Evictions that quotas asked for and that have not come to their end."""

    since: int
    """What `settle` takes."""
    by: str
    """Who sees to it; empty for nobody."""


class QuotaReader(Protocol):
    """Quotas in one consistent view."""

    def get(self, user: str | None) -> str | None:
        """What was set for the user, or for everybody else; `None` when nothing was."""

    def changed(self, after: int) -> list[StoredQuotas]:
        """What was set after that point of the change sequence, everybody's first."""

    def pinned(self, user: str | None = None) -> list[tuple[str, str, int]]:
        """(user, kind, records) of what is pinned or held, of a user or of all."""

    def unsettled(self) -> dict[str | None, Unsettled]:
        """Whose quotas were set without an end of the evictions that this asked for."""


class QuotaWriter(QuotaReader, Protocol):
    """Changes of quotas inside the one exclusive transaction."""

    def set(self, user: str | None, settings: str | None) -> None:
        """Set quotas, of a user who is made when unknown, or take them back. Advances the change counter."""

    def unsettle(self, user: str | None, by: str) -> int:
        """Note that what was set in this transaction asks for evictions to come; returns what `settle` takes."""

    def take_over(self, user: str | None, since: int, by: str) -> None:
        """Say who sees to them, unless somebody set other quotas since. Does not advance the change counter."""

    def settle(self, user: str | None, since: int) -> None:
        """They have come, unless somebody set other quotas since. Does not advance the change counter."""
