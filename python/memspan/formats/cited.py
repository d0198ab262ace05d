"""Marks that ChatGPT writes into its answers for its own page, which shows links and names in their place."""

from __future__ import annotations

import json
import re
from re import Match
from typing import Final

__all__ = ["without_marks"]

_MARK: Final = re.compile(r"[ \t]?\ue200([^\ue200-\ue202]*)(?:\ue202([^\ue200\ue201]*))?\ue201")
"""What it is, and what belongs to it: "cite" with its sources, "entity" with a list, "url" with a name."""
_SOURCE: Final = re.compile(r"[ \t]?【\d{1,4}(?::\d{1,4})?†[^】\n]{0,200}】")
"""As older answers have them: "【6†source】"."""


def without_marks(text: str) -> str:
    """The text as the page shows it: marks of sources are left out, of names and links their words stay. Linear."""
    if "\ue200" in text:
        text = _MARK.sub(_shown, text)
    return _SOURCE.sub("", text) if "†" in text else text


def _shown(mark: Match[str]) -> str:
    kind, held = mark[1], mark[2] or ""
    words = ""
    if kind == "entity":
        words = _name_of(held)
    elif kind == "url":
        words = held.partition("\ue202")[0]
    before = mark[0][: mark[0].index("\ue200")]
    return f"{before}{words}" if words else ""


def _name_of(held: str) -> str:
    """Of `["city", "Oslo", "Norway"]` the second."""
    try:
        fields = json.loads(held)
    except (ValueError, RecursionError):
        return ""
    named = isinstance(fields, list) and len(fields) > 1 and isinstance(fields[1], str)
    return fields[1] if named else ""
