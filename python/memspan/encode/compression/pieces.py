"""A turn's text in the pieces that compression keeps or drops whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple
from unicodedata import category

__all__ = ["Piece", "join_pieces", "split_pieces"]

# As in words.py: scripts without spaces give one piece a character, here with the marks on it. Vowels and tones of Thai
# are such; alone they are no words, and would be the first to go.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_MARKS: Final = "".join(
    chr(code)
    for first, last in ((0x300, 0x36F), (0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3099, 0x309A))
    for code in range(first, last + 1)
    if category(chr(code)).startswith("M")
)
_PIECE: Final = re.compile(rf"[{_UNSPACED}][{_MARKS}]*|[^\s{_UNSPACED}]+")
_ONE_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_SENTENCE_ENDS: Final = frozenset(".?!。？！")
_OUTER_MARKS: Final = re.compile(r"^[^\w@#$€£%+-]+|[^\w%+]+$")


class Piece(NamedTuple):
    """A word with the marks that touch it, or one character of a script that writes no spaces, with those on it."""

    start: int
    """Position of its first character in the text."""
    end: int
    text: str

    @property
    def word(self) -> str:
        """The piece without the marks around it; empty for a piece of marks alone."""
        return _OUTER_MARKS.sub("", self.text)


def _is_unspaced(piece: Piece) -> bool:
    return _ONE_UNSPACED.match(piece.text) is not None


def split_pieces(text: str) -> list[Piece]:
    """The pieces of a text in their order; together they are all of it but white space. O(n)."""
    return [Piece(match.start(), match.end(), match.group()) for match in _PIECE.finditer(text)]


def join_pieces(text: str, pieces: Sequence[Piece], kept: Collection[int]) -> str:
    """The text of the pieces at the positions `kept`.

    Without white space, it is a subsequence of the text's characters. Lines stay apart, and a sentence that loses its
    end keeps the mark: "I would love to! When?" is never one sentence afterwards.
    """
    parts: list[str] = []
    gap = mark = ""
    end = 0
    for position, piece in enumerate(pieces):
        between = text[end : piece.start]
        end = piece.end
        gap = "\n" if "\n" in between or gap == "\n" else " " if between or gap == " " else ""
        if position not in kept:
            gap = gap or " " if len(piece.text) > 1 and not _is_unspaced(piece) else gap
            if piece.text[-1] in _SENTENCE_ENDS and parts and not mark:
                mark = piece.text[-1]
            continue
        if parts:
            if mark and parts[-1][-1] not in _SENTENCE_ENDS:
                parts.append(mark)
            parts.append(gap)
        parts.append(piece.text)
        gap = mark = ""
    if mark and parts[-1][-1] not in _SENTENCE_ENDS:
        parts.append(mark)
    return "".join(parts)
