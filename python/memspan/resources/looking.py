"""Look at a target: whether it is there, how long it is, and the checksum of what it says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memspan.errors import missing_extra

from .targets import file_of

if TYPE_CHECKING:
    from httpx import Client, Response

__all__ = ["MAX_PAGE_BYTES", "Seen", "look", "page_client"]

MAX_PAGE_BYTES: Final = 16 << 20
"""Longer pages are not read: that they are there is all that is known of them."""

_PIECE: Final = 1 << 20
_REDIRECTS: Final = 5
_GONE: Final = (404, 410)
_NO_HEAD: Final = (403, 405, 501)
"""Servers that do not like HEAD say so by one of these."""


class Seen(NamedTuple):
    """What a look found."""

    state: str
    """`present`, `missing` or `unreachable`."""
    checksum: str | None = None
    size: int | None = None


def look(uri: str, client: Client | None, seconds: float) -> Seen:
    """Read a file, or a page when there is a client for it. Linear in its length.

    Args:
        client: asks for pages; not needed for files.
        seconds: how long a page may take.
    """
    file = file_of(uri)
    if file is not None:
        return _look_at_file(file)
    assert client is not None
    return _look_at_page(client, uri, seconds)


def _look_at_file(file: Path) -> Seen:
    try:
        # Anything else might never end, such as a pipe.
        if not file.is_file():
            return Seen("missing")
        digest, size = hashlib.sha256(), 0
        with file.open("rb") as content:
            while piece := content.read(_PIECE):
                digest.update(piece)
                size += len(piece)
    except FileNotFoundError:
        return Seen("missing")
    except OSError:
        return Seen("unreachable")
    return Seen("present", digest.hexdigest(), size)


def page_client(seconds: float) -> Client:
    """What asks servers, with limits.

    Raises:
        MissingExtraError: httpx is not installed.
    """
    try:
        import httpx
    except ImportError as error:
        raise missing_extra("httpx", "looking at pages", "llm") from error
    from memspan import __version__

    return httpx.Client(
        timeout=seconds,
        follow_redirects=True,
        max_redirects=_REDIRECTS,
        headers={"User-Agent": f"memspan/{__version__}"},
    )


def _look_at_page(client: Client, url: str, seconds: float) -> Seen:
    """Ask for the head, then for the page unless it is too long."""
    import httpx

    until = monotonic() + seconds
    try:
        head = client.head(url)
        if head.status_code in _GONE:
            return Seen("missing")
        if head.status_code not in _NO_HEAD:
            if not head.is_success:
                return Seen("unreachable")
            if (size := _length(head)) is not None and size > MAX_PAGE_BYTES:
                return Seen("present", None, size)
        with client.stream("GET", url) as response:
            return _read(response, lambda: monotonic() > until)
    except (httpx.HTTPError, httpx.InvalidURL):
        return Seen("unreachable")


def _read(response: Response, late: Callable[[], bool]) -> Seen:
    if response.status_code in _GONE:
        return Seen("missing")
    if not response.is_success:
        return Seen("unreachable")
    digest, size = hashlib.sha256(), 0
    for piece in response.iter_bytes():
        digest.update(piece)
        size += len(piece)
        if size > MAX_PAGE_BYTES:
            return Seen("present", None, _length(response))
        if late():
            return Seen("unreachable")
    return Seen("present", digest.hexdigest(), size)


def _length(response: Any) -> int | None:
    text = response.headers.get("Content-Length", "")
    return int(text) if text.isascii() and text.isdigit() else None
