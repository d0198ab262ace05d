"""What the rules of the grammar pass to each other: the sentence, and what a part of it was read as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from memspan.recall.words import word_set

from .calendar import Span, Unit
from .lexicon import Lexicon, Token
from .partial import Partial

__all__ = ["Reading", "Sentence"]

# After one of these a time expression is over, so that the word before it does not belong to what follows
# ("in the fall of", "in spring we", but not "a spring break").
_CLOSERS = word_set(
    "a about alone am an and are as at but can could did do does for from had has have he her here his "
    "how i in into is it its me my not of on or our please she should so than that the their them then "
    "there they to too until was we were what when where which while who whom whose why will with would "
    "you your noon midday midnight lunchtime go again ago already also both ever if just like only still together"
)
_NO_END: Final = frozenset(["word", "blob", "number", "decimal", "clock", "unit", "every"])


class Reading(NamedTuple):
    """Some tokens read as a time, of which `stop` is the first that does not belong to it."""

    span: Span
    stop: int
    certainty: float
    reason: str
    unit: Unit
    """The unit that was named, which "the week of" and "before" go by."""
    needs_preposition: bool = False
    """Only a time after a preposition, because the word is often something else ("may", "2000", "fall")."""
    partial: Partial | None = None
    """The date as written, for ranges in which one end lends the other its month or year."""
    recurs: Unit | None = None
    """There is one every such unit, and the latest was taken: what stands beside it may say which ("in May last
    year"). `None` where it is certain."""
    denied: bool = False
    """Whether a "not" before it says that it is no matter."""
    whole: Span | None = None
    """What it is the beginning or the end of: all of it lies "before the end of May"."""
    within: Span | None = None
    """The period said before it, in which the rest of a list lies, too ("last year in May and in June")."""


@dataclass(slots=True)
class Sentence:
    """The tokens of one text, and what they are resolved against."""

    tokens: list[Token]
    lexicon: Lexicon
    now: datetime
    last: Reading | None = None
    """The expression before."""
    ahead: dict[int, Reading | None] = field(default_factory=dict)
    """What lists have read beyond the token they were at, by the token where it begins."""
    look: Callable[[Sentence], list[bool]] | None = None
    """Says for each token whether what is said there is about what is to come; asked where it matters."""
    to_come: list[bool] | None = None
    """What it said."""

    def as_of(self, now: datetime) -> Sentence:
        """The same, resolved against another moment."""
        return Sentence(self.tokens, self.lexicon, now, self.last, look=self.look, to_come=self.to_come)

    def looks_ahead(self, at: int) -> bool:
        """Whether a token stands in what is about what is to come."""
        if self.to_come is None:
            self.to_come = [] if self.look is None else self.look(self)
        return at < len(self.to_come) and self.to_come[at]

    def read_ahead(self, at: int, read: Callable[[Sentence, int], Reading | None]) -> Reading | None:
        """What begins at a token, read once however many elements of a list look ahead to it."""
        if at not in self.ahead:
            self.ahead[at] = read(self, at)
        return self.ahead[at]

    def kind(self, at: int) -> str:
        """The kind of a token; empty text beyond the ends."""
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else ""

    def value(self, at: int) -> Any:
        """The value of a token that exists."""
        return self.tokens[at].value

    def skip(self, at: int, *kinds: str) -> int:
        """The position after any number (at most three) of tokens of these kinds."""
        stop = at + 3
        while at < stop and self.kind(at) in kinds:
            at += 1
        return at

    def ends_at(self, at: int) -> bool:
        """Whether no more of a time follows there: a sign, the end, or a word of which none is made."""
        kind = self.kind(at)
        return kind in ("", "comma", "dot", "other") or (kind == "word" and self.closes(at))

    def closes(self, at: int) -> bool:
        """Whether the token at that position cannot continue a noun that began before it."""
        kind = self.kind(at)
        if kind in ("", "comma", "dot", "other"):
            return True
        token = self.tokens[at]
        if kind in _NO_END:
            return self.lexicon.language != "en" or token.word in _CLOSERS
        return True

    def closes_day(self, at: int) -> bool:
        """The same behind a day, whose hour may follow: "oct 9 11am", "friday 7 pm"."""
        if self.kind(at) == "number" and self.kind(at + 1):
            return self.lexicon.language != "en" or self.tokens[at + 1].word in ("am", "pm")
        return self.closes(at) or self.kind(at) == "clock"
