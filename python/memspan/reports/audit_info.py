"""What the audit of a store says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

__all__ = ["AuditEntry"]


class AuditEntry(NamedTuple):
    """One thing that was done to a store. Users and records are named by fingerprints, which hold nothing of what they
    stand for: the entry outlives what was forgotten. `Memory.audit(user=..., id=...)` finds the entries of a name."""

    number: int
    """From 1, without gaps."""
    at: datetime
    """By the clock of the machine that did it; clocks that go backwards show."""
    actor: str
    """Who did it, as `Memory(actor=...)` or `Memory.acting` said; empty when nobody did."""
    action: str
    """Such as `add`, `forget` or `vault.read`."""
    user: str | None
    """The fingerprint of the user; `None` when it was about the store."""
    records: tuple[str, ...]
    """Fingerprints of the records; empty where only their number is kept, as of what was added."""
    details: Mapping[str, Any]
    """Counts, kinds, and how something was chosen; never what anybody said."""
    hash: str
    """SHA-256 of this entry and the hash before, in hexadecimal digits: whoever keeps it elsewhere can tell later
    whether the entries up to here are still what they were."""
