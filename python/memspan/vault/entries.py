"""What a vault says without giving a secret out."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

__all__ = ["Rekeyed", "VaultEntry"]


class VaultEntry(NamedTuple):
    """One secret, from the outside."""

    id: str
    label: str
    """What it is called, in clear: it is embedded, indexed and found like any text."""
    at: datetime
    tags: tuple[str, ...]
    opens: bool
    """Whether the key of this vault opens it."""


class Rekeyed(NamedTuple):
    """What `Vault.rekey` did."""

    changed: int
    """Secrets that the new key opens now, and the old one no more."""
    others: int
    """Secrets under keys that this vault does not have; they are as they were."""
