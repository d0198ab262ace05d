"""What is known of a file or page that a memory points to."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

__all__ = ["RESOURCE_STATES", "Resource", "ResourceReport"]

RESOURCE_STATES: Final = ("present", "changed", "missing", "unreachable", "unchecked")
"""As it was when it was added; there with another content; not there; not to be told, such as a server that does not
answer; and never looked at, as pages are unless that is asked for."""


class Resource(NamedTuple):
    """A target that a record of kind `resource` points to."""

    user: str
    id: str
    """Of the record."""
    uri: str
    """`file:`, `http:` or `https:`."""
    checksum: str | None
    """SHA-256 of the content when it was added, in hexadecimal digits; `None` when it was not read, or is too long."""
    size: int | None
    """Bytes when it was added."""
    seen_at: datetime | None
    """When it was last there."""
    state: str
    """One of `RESOURCE_STATES`, as of the last look."""


class ResourceReport(NamedTuple):
    """What looking after resources found."""

    present: int
    changed: tuple[Resource, ...]
    missing: tuple[Resource, ...]
    unreachable: tuple[Resource, ...]
    skipped: int
    """Pages that were not asked for."""
