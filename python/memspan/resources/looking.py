"""Look at a target: whether it is there, how long it is, and the checksum of what it says."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memspan.errors import InvalidArgumentError, missing_extra, unread_certificates

from .targets import file_of

if TYPE_CHECKING:
    from httpx import Response

    from memspan.base.timed_client import TimedClient

__all__ = ["MAX_PAGE_BYTES", "Seen", "look", "page_client"]

MAX_PAGE_BYTES: Final = 16 << 20
"""Longer pages are not read: that they are there is all that is known of them."""

_LENGTH_DIGITS: Final = 18
"""Of a length that is believed: longer numbers are no page's, and the store holds only up to 2**63."""

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


def look(uri: str, client: TimedClient | None) -> Seen:
    """Read a file, or a page when there is a client for it. Linear in its length.

    Args:
        client: asks for pages, each of which may take as long as it allows; not needed for files.
    """
    file = file_of(uri)
    if file is not None:
        return _look_at_file(file)
    assert client is not None
    return _look_at_page(client, uri)


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


def page_client(seconds: float) -> TimedClient:
    """What asks servers, with limits.

    Args:
        seconds: how long a page may take.

    Raises:
        MissingExtraError: httpx is not installed.
        InvalidArgumentError: the environment names certificates that cannot be read.
    """
    try:
        import httpx  # noqa: F401 - named here, so that the error says what needs it

        from memspan.base.timed_client import TimedClient
    except ImportError as error:
        raise missing_extra("httpx", "looking at pages", "llm") from error
    from memspan import __version__

    try:
        return TimedClient(
            seconds,
            follow_redirects=True,
            max_redirects=_REDIRECTS,
            headers={"User-Agent": f"memspan/{__version__}"},
        )
    except OSError as error:
        raise InvalidArgumentError(unread_certificates(error)) from None


def _look_at_page(client: TimedClient, url: str) -> Seen:
    """Ask for the head, then for the page unless it is too long."""
    import httpx

    try:
        with client.limited():
            with client.stream("HEAD", url) as head:
                seen = _without_reading(head)
            if seen is None:
                with client.stream("GET", url) as response:
                    seen = _read(response)
            return seen
    except (httpx.HTTPError, httpx.InvalidURL):
        return Seen("unreachable")


def _without_reading(head: Response) -> Seen | None:
    """What the head says, if that is enough."""
    if head.status_code in _GONE:
        return Seen("missing")
    if head.status_code in _NO_HEAD:
        return None
    if not head.is_success:
        return Seen("unreachable")
    size = _length(head)
    return Seen("present", None, size) if size is not None and size > MAX_PAGE_BYTES else None


def _read(response: Response) -> Seen:
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
    return Seen("present", digest.hexdigest(), size)


def _length(response: Any) -> int | None:
    text = response.headers.get("Content-Length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LENGTH_DIGITS else None
