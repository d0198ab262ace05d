"""What is said of an address that a server points to instead of answering: texts are sent to the one that was named."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from memspan.errors import shorten

__all__ = ["pointed_elsewhere"]

_QUOTED = 200


def pointed_elsewhere(url: str, status: int, location: str | None) -> str | None:
    """Where a redirect points to; `None` of other replies. Of the address only scheme and host: the rest of it may
    repeat what was asked."""
    if location is None or not 300 <= status < 400:
        return None
    try:
        parts = urlsplit(urljoin(url, location))
        host = parts.hostname
    except ValueError:
        host = None
    place = "elsewhere" if host is None else f"to {shorten(f'{parts.scheme}://{host}', _QUOTED)}"
    return f"points {place}; redirects are not followed"
