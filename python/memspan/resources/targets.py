"""What may be pointed to: a file, or a page of the web."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote_to_bytes, urlsplit

from memspan.errors import invalid
from memspan.remember.input.fields import checked_name

__all__ = ["checked_target", "file_of", "name_of"]

MAX_URI_BYTES: Final = 4096
_ACCEPTED: Final = "a path to a file that exists, or an http or https URL without user name and password"


def checked_target(target: Any) -> str:
    """The URI of a file that exists, or of a page.

    Raises:
        InvalidArgumentError: it is neither, or names a user or password, which would be kept in clear.
    """
    if isinstance(target, str) and target.lower().startswith(("http://", "https://")):
        return _checked_url(target)
    if isinstance(target, str) and target.lower().startswith("file:"):
        parts = urlsplit(target)
        if parts.netloc not in ("", "localhost"):
            raise invalid("target", target, "a file of this machine")
        target = _unquoted(parts.path)
    if not isinstance(target, (str, os.PathLike)) or not os.fspath(target) or "\0" in str(target):
        raise invalid("target", target, _ACCEPTED)
    try:
        path = Path(os.fsdecode(os.fspath(target))).absolute()
        found = path.is_file()
        uri = path.as_uri()
    except (OSError, ValueError) as error:
        raise invalid("target", str(target), _ACCEPTED) from error
    if not found:
        raise invalid("target", str(target), _ACCEPTED)
    return checked_name(uri, "target", MAX_URI_BYTES)


def _checked_url(url: str) -> str:
    checked_name(url, "target", MAX_URI_BYTES)
    try:
        parts = urlsplit(url)
        named = parts.username is not None or parts.password is not None
        _ = parts.port
    except ValueError as error:
        raise invalid("target", url, _ACCEPTED) from error
    if named:
        raise invalid("target", "a URL with a user name or password", _ACCEPTED)
    if not parts.hostname or any(ord(each) <= 32 for each in url):
        raise invalid("target", url, _ACCEPTED)
    return url


def file_of(uri: str) -> Path | None:
    """The file of a `file:` URI; `None` for a page."""
    parts = urlsplit(uri)
    return Path(_unquoted(parts.path)) if parts.scheme == "file" else None


def name_of(uri: str) -> str:
    """What to call it when nobody said."""
    file = file_of(uri)
    return uri if file is None else file.name


def _unquoted(path: str) -> str:
    # By its bytes: the name of a file need not be UTF-8.
    return os.fsdecode(unquote_to_bytes(path))
