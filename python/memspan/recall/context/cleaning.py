"""Somebody's words as one line of a prompt. Nothing in a memory is trusted: it must not look like the frame around it.

The frame is made of lines: a memory that is one line, and never a delimiter, cannot end the block, add a line, or stand
under another date or label than its own.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .signs import first_signs

__all__ = ["CLOSE", "OPEN", "one_line", "plain_label", "speaker_label"]

OPEN: Final = "<memories>"
CLOSE: Final = "</memories>"

_BRACKETS: Final = "<＜﹤"
_BRACKET: Final = re.compile(f"[{_BRACKETS}]")
_NAME: Final = "memories"
_FILLERS: Final = frozenset("\u115f\u1160")
"""Letters that show nothing."""
_IN_LABELS: Final = re.compile(r"[\[\]:;,<>#]+")
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,15}")
_MOST_OF_A_NAME: Final = 40
# Formats that make text read as it is not: overrides of direction, and the invisible copies of ASCII (tags), in which
# instructions can be hidden. Joiners stay: Persian, Indic scripts and emoji need them.
_KEPT_FORMATS: Final = "\u200c\u200d"
# Texts can be hidden in what changes the look of a letter, too: in the 240 rarer selectors of a variant, of which none
# changes what is meant, and in rows of joiners or selectors, of which one at a time does anything.
_RARE_SELECTORS: Final = re.compile("[\U000e0100-\U000e01ef]+")
_ROWS: Final = re.compile("([\u200c\u200d])[\u200c\u200d]+|([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")


def one_line(text: str) -> str:
    """The text in one line: runs of white space become a space; control characters, invisible formats and what else
    may hide a text go; a delimiter loses its bracket.
    """
    line = " ".join(text.split())
    if not line.isprintable():
        line = " ".join("".join(map(_visible, line)).split())
    if not line.isascii():
        shown = _ROWS.sub(r"\1\2", _RARE_SELECTORS.sub("", line))
        line = line if shown == line else " ".join(shown.split())
    if not _BRACKET.search(line):
        return line
    return _BRACKET.sub(lambda found: "‹" if _names_frame(line, found.end()) else found.group(), line)


def _names_frame(line: str, start: int) -> bool:
    """Whether the first letters from here on, behind a bracket, are those of the delimiters, so that an application or
    a reader may take it for one: whatever their case and width, and whatever else stands between them, such as
    spaces, joiners or accents. O(signs up to the next bracket or other letter).
    """
    name = ""
    for place in range(start, len(line)):
        sign = line[place]
        if sign in _BRACKETS or sign == "‹":
            return False
        plain = unicodedata.normalize("NFKD", sign).casefold()
        name += "".join(one for one in plain if one.isalnum() and one not in _FILLERS)
        if not _NAME.startswith(name):
            return name.startswith(_NAME)
        if name == _NAME:
            return True
    return False


def _visible(sign: str) -> str:
    if sign.isprintable():
        return sign
    category = unicodedata.category(sign)
    if sign.isspace() or category in ("Zl", "Zp"):
        return " "
    if category in ("Cc", "Cs") or (category == "Cf" and sign not in _KEPT_FORMATS):
        return ""
    return sign


def speaker_label(name: str) -> str:
    """A speaker's name without what ends a label, at most 40 characters."""
    line = " ".join(_IN_LABELS.sub(" ", one_line(name)).split())
    return line if len(line) <= _MOST_OF_A_NAME else first_signs(line, _MOST_OF_A_NAME - 1) + "…"


def plain_label(id_: str) -> str | None:
    """The id if it can stand in a context as it is: short, and of plain signs; otherwise a number stands for it.

    Ids of 31 characters, such as those that `Memory.add` makes, would cost a context of 600 tokens 4 to 6 points of
    evidence recall.
    """
    return id_ if _PLAIN_ID.fullmatch(id_) else None
