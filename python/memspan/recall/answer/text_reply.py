"""`TextReply`: an answer in plain text as it comes, and the line of sources at its end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from memspan.encode.written_numbers import written_numbers

from .source_words import AND, LINE, MEMORIES, NONE

__all__ = ["Ending", "TextReply"]


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_MARK: Final = re.compile(
    rf"(?<!\s)(?P<gap>\s+)[*_#>(\[（-]{{0,4}} ?(?:{_any_of(LINE)})[*_]{{0,4}}[ \u00a0\u202f]?[:：]"
    r"(?P<rest>[^\n]{0,2001})(?P<end>\n?)",
    re.IGNORECASE,
)
"""In French a space stands before the colon, in Chinese the colon is a wide one."""
_COLON: Final = re.compile("[:：]")
_SENTENCE_END: Final = frozenset('.!?…。！？)]"”»*_')
_REST: Final = re.compile(rf"(?:[\W\d_]|{_any_of(AND + MEMORIES)})*", re.IGNORECASE)
_NONE: Final = re.compile(rf"[\W_]*(?:{_any_of(NONE)})[\W_]*", re.IGNORECASE)
_AND: Final = re.compile(rf"(?<![^\W\d_])(?:{_any_of(AND)})(?![^\W\d_])", re.IGNORECASE)
_REMARK: Final = re.compile(r"(?<=[\d\]])\s*\([^()]*(?:\)|\Z)")
"""Behind a number, such as whose memory it is; also one that has not ended yet."""
_WORD_SO_FAR: Final = re.compile(r"[^\W\d_]{1,13}\Z")
# What may become the mark, with the white space before it, which is not to stand at the end of an answer.
_MAY_BE: Final = re.compile(
    r"\s*(?:(?<=\s)[*_#>(\[（-]{0,4} ?"
    rf"(?:{_any_of({word[:end] for word in LINE for end in range(1, len(word) + 1)})})?[*_]{{0,4}}[ \u00a0\u202f]?)?\Z",
    re.IGNORECASE,
)
_LOOKED_BACK: Final = 64
_LONGEST_REST: Final = 2_000


class Ending(NamedTuple):
    """What is known when a reply is complete."""

    rest: str
    """Text that was held back and belongs to the answer."""
    numbers: tuple[int, ...]
    """Of the sources."""
    none: bool
    """The model says that there is no source, and so no answer."""


class TextReply:
    """Hands out an answer piece by piece and keeps the line `Sources: 4, 7` for the end.

    That line has nothing but numbers, perhaps with remarks in brackets, or "none" behind the mark, however this is
    spelt or translated, and stands alone or behind the end of a sentence, also in brackets; of several the last one
    counts. White space, what may be the beginning of that line, and what follows it is held back until it is known
    what it is. O(length).
    """

    def __init__(self) -> None:
        self._held = ""
        self._blank: list[str] = []
        """White space behind held white space: it decides nothing, and would be read again with each piece."""
        self._before = "\n"
        """The last character before what is held; an answer begins like a line."""
        self._line: str | None = None
        """The last line of sources so far, and below what follows it."""
        self._later: list[str] = []
        self._begun = False

    def feed(self, piece: str) -> str:
        """What of the answer is certain now; may be empty."""
        if piece.isspace() and (self._blank or self._held.isspace()):
            self._blank.append(piece)
            return ""
        self._hold(piece)
        return self._read(complete=False)

    def end(self) -> Ending:
        """The rest, when nothing more comes."""
        self._hold("")
        said = self._read(complete=True)
        line, self._line = self._line, None
        rest = said + self._out("".join([*self._later, self._held]).rstrip())
        named = "" if line is None else _COLON.split(line, maxsplit=1)[1]
        return Ending(rest, tuple(written_numbers(_AND.sub(",", named))), _NONE.fullmatch(named) is not None)

    def _hold(self, piece: str) -> None:
        self._held = "".join([self._held, *self._blank, piece])
        self._blank.clear()

    def _read(self, *, complete: bool) -> str:
        said, at = "", 0
        while mark := _MARK.search(text := self._before + self._held, at):
            at = mark.start("rest")
            is_line = "\n" in mark["gap"] or text[mark.start() - 1] in _SENTENCE_END
            if not is_line or len(mark["rest"]) > _LONGEST_REST:
                continue
            if not mark["end"] and not complete:
                if _may_name_sources(mark["rest"]):
                    return said + self._take(max(0, mark.start() - 1))
            elif _names_sources(mark["rest"]):
                start, end = max(0, mark.start() - 1), mark.end("rest") - 1
                said, at = said + self._take(start), 0
                said += self._release()
                self._line, self._held = self._held[: end - start], self._held[end - start :]
                self._before = self._line[-1]
        if complete:
            return said
        found = _MAY_BE.search(text, max(1, len(text) - _LOOKED_BACK))
        assert found is not None  # nothing, at the end, is a match
        return said + self._take(len(self._held[: found.start() - 1].rstrip()))

    def _take(self, count: int) -> str:
        """Move so many characters from what is held to the answer."""
        kept, self._held = self._held[:count], self._held[count:]
        self._before = kept[-1:] or self._before
        if self._line is None:
            return self._out(kept)
        self._later.append(kept)
        return ""

    def _release(self) -> str:
        """What was held for the last line of sources: another one has come."""
        released = "" if self._line is None else self._out("".join([self._line, *self._later]))
        self._line, self._later = None, []
        return released

    def _out(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
        self._begun = self._begun or bool(text)
        return text


def _names_sources(rest: str) -> bool:
    named = _REMARK.sub("", rest)
    return bool(_NONE.fullmatch(rest) or (_REST.fullmatch(named) and written_numbers(named)))


def _may_name_sources(rest: str) -> bool:
    """Whether it does when more comes."""
    return _names_sources(rest) or _REST.fullmatch(_WORD_SO_FAR.sub("", _REMARK.sub("", rest))) is not None
