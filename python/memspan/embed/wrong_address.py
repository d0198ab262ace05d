"""What is said where a server does not know the address, or answers with a page for people."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["address_hint", "without_page"]

_PAGE: Final = re.compile(r"\s*(?:<!doctype html|<html)", re.IGNORECASE)
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)</title", re.IGNORECASE)
_LOOKED_AT: Final = 10_000
_UNKNOWN: Final = frozenset({404, 405})


def without_page(text: str) -> str:
    """The title of an HTML page; any other text as it is."""
    if not _PAGE.match(text):
        return text
    title = _TITLE.search(text[:_LOOKED_AT])
    words = title[1].strip() if title else ""
    return f"an HTML page, {words}" if words else "an HTML page"


def address_hint(url: str, status: int, text: str) -> str:
    """What to add to the words of a server that does not know the address; empty where it speaks of something else."""
    if status not in _UNKNOWN or "model" in text.lower():
        return ""
    return "; is the address right?" + ("" if "/v1" in url else " That of most servers ends with /v1")
