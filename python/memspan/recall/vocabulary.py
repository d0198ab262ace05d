"""What a user's memories call people and things, prepared for finding them in questions."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from memspan._core import NearWords
from memspan.arguments import as_texts
from memspan.recall.words import word_set

from .marks import MARKS, normalized
from .typos import slips_of
from .unspaced import UNSPACED, UnspacedWords

__all__ = ["COMMON", "Entry", "Source", "Vocabulary", "fold", "words_of"]

Source: TypeAlias = Literal["speaker", "name", "tag"]

# An underscore is a space, as in tags; so is where a script without spaces begins or ends.
_SIGN: Final = rf"[^\W_{UNSPACED}]"
_SIGNS: Final = rf"{_SIGN}+(?:[{MARKS}]+{_SIGN}*)*"
_WORD: Final = re.compile(rf"{_SIGNS}(?:['’]{_SIGNS})*|[{UNSPACED}]+")

# Never a name in a question, however near to one: "Will", "Mark" or "May" are only found with a capital.
COMMON: Final = word_set(
    "a about after again all also am an and any are as at be because been before being between both but by "
    "can could did do does doing done down during each else ever every few for from get gets getting give go "
    "goes going gone got had has have having he her here hers him his how i if in into is it its just know "
    "last let like list long look made make many mark may me mention might mine more most much must my name "
    "need never new next no not now of off often on once one only or other our out over own past people "
    "place places plan please said same say see shall she should show since so some still such take talk "
    "tell than that the their them then there these they thing things think this those through time times to "
    "told too took type under until up us use used very want was way we week well went were what when where "
    "which while who whom whose why will with without work would year yes yet you your month day first "
    "second best kind ago around started start friend friends together"
)


class Entry(NamedTuple):
    """A name or tag as the memories spell it."""

    text: str
    source: Source
    words: tuple[str, ...]


# Letters that are none with a mark on it, as the index folds them. In Turkish "Işıl" begins with the capital of "ı".
# Yeh and kaf are others on keyboards for Persian and Arabic.
_PLAIN: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "þ": "th", **dict(zip("đðħıłøŧŋɓɗƙƴ", "ddhilotnbdky", strict=True))}
    | {"\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643"}
)


def fold(text: str) -> str:
    """In lower case and without accents, so that "José" and "jose", "Łoś" and "los" are the same."""
    if text.isascii():
        return text.lower()
    # Letters of mathematics, which names on the web are written in, have no lower case before they are taken apart.
    apart = normalized("NFKD", text.casefold()).casefold()
    bare = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return normalized("NFC", bare.translate(_PLAIN))


def words_of(text: str) -> Iterator[re.Match[str]]:
    """The words of a text, each with an apostrophe and what follows it; a text without spaces is one."""
    return _WORD.finditer(text)


def _folded_words(text: str) -> tuple[str, ...]:
    if text.isascii():
        return tuple(_WORD.findall(text.lower()))
    return tuple(fold(match.group()).replace("’", "'") for match in words_of(text))


def _other_spellings(entry: Entry) -> Iterator[tuple[str, ...]]:
    """A speaker or name without its hyphens ("Annemarie"), or with its initials as one word ("JR Smith")."""
    words = entry.words
    if len(words) < 2:
        return
    if "-" in entry.text and " " not in entry.text:
        yield ("".join(words),)
    initials = next((at for at, word in enumerate(words) if len(word) > 1), len(words))
    if initials > 1:
        yield ("".join(words[:initials]), *words[initials:])


def _by_text(entries: Iterable[Entry]) -> dict[Source, dict[str, Entry]]:
    found: dict[Source, dict[str, Entry]] = {"speaker": {}, "name": {}, "tag": {}}
    for entry in entries:
        found[entry.source][entry.text] = entry
    return found


def _people(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield " ".join(entry.words)
        if entry.source == "speaker":
            yield from entry.words


class Vocabulary:
    """The speakers, names and tags of one user; immutable, and made once for many questions.

    Args:
        speakers: who said something, as the records have it.
        names: capitalised names and other entities out of the texts.
        tags: tags; underscores are spaces.
        before: one of the same user, from before some names came or went: what is known of the others is taken over,
            in a third of the time.

    Raises:
        InvalidArgumentError: one of them is no list of texts.
    """

    __slots__ = (
        "_by_word",
        "_by_words",
        "_first_words",
        "_near",
        "_slips",
        "_sorted",
        "_unspaced",
        "entries",
        "people",
        "speakers",
    )

    def __init__(
        self,
        *,
        speakers: Iterable[str] = (),
        names: Iterable[str] = (),
        tags: Iterable[str] = (),
        before: Vocabulary | None = None,
    ) -> None:
        entries: dict[tuple[str, ...], Entry] = {}
        known = _by_text(() if before is None else before.entries)
        given: tuple[tuple[Source, Iterable[str]], ...] = (
            ("speaker", speakers),
            ("name", names),
            ("tag", tags),
        )
        for source, texts in given:
            kept = known[source]
            for text in as_texts(texts, source + "s"):
                entry = kept.get(text) or Entry(text, source, _folded_words(text))
                words = entry.words
                if words and words not in entries:  # a speaker is no name besides
                    entries[words] = entry
        self.entries: tuple[Entry, ...] = tuple(entries.values())
        people = [entry for entry in self.entries if entry.source != "tag"]
        self._by_words = entries
        for entry in people:  # as they are, before other spellings of others
            for words in _other_spellings(entry):
                self._by_words.setdefault(words, entry)
        self._first_words: dict[str, int] = {}
        for spelled in self._by_words:
            first, length = spelled[0], len(spelled)
            if length > self._first_words.get(first, 0):
                self._first_words[first] = length
        self._by_word: dict[str, list[Entry]] = {}
        for entry in people:
            for word in entry.words:
                self._by_word.setdefault(word, []).append(entry)
        self._sorted = sorted(self._by_word)
        for entry in self.entries[len(people) :]:
            if len(entry.words) == 1:
                self._by_word.setdefault(entry.words[0], []).append(entry)
        self._near = NearWords(list(self._by_word))
        self._slips: dict[str, list[str]] = {}
        for word in self._sorted:
            for slip in slips_of(word):
                self._slips.setdefault(slip, []).append(word)
        self._unspaced = UnspacedWords(self._by_word, fold)
        self.people: frozenset[str] = frozenset(_people(people))
        """What `find_times` takes for names, folded: the speakers, each of their words, and the names."""
        self.speakers: frozenset[str] = frozenset(entry.text for entry in people if entry.source == "speaker")
        """The speakers, as the records have them."""

    def __len__(self) -> int:
        return len(self.entries)

    def most_words(self, first: str) -> int:
        """How many words the longest entry has that begins with this one; 0 if none does."""
        return self._first_words.get(first, 0)

    def whole(self, words: tuple[str, ...]) -> Entry | None:
        """The entry that is exactly these words."""
        return self._by_words.get(words)

    def containing(self, word: str) -> list[Entry]:
        """The speakers and names with this word, and the tags that are this word."""
        return self._by_word.get(word, [])

    def parts(self, text: str) -> list[tuple[int, int]]:
        """From where to where the words of one that `words_of` yields go; they are several only where a script without
        spaces holds words of speakers and names, or tags, of two signs or more."""
        cuts = [0, len(text)] if text.isascii() else self._unspaced.cuts(text)
        return list(pairwise(cuts))

    def with_prefix(self, prefix: str) -> list[str]:
        """The words of speakers and names that begin so, at most three. O(log n)."""
        at = bisect_left(self._sorted, prefix)
        return [word for word in self._sorted[at : at + 3] if word.startswith(prefix)]

    def near(self, word: str) -> list[tuple[int, str]]:
        """Words within the typing errors that both lengths allow, each after its distance, the nearest first. None are
        allowed below 5 letters, two from 9 to 14, one otherwise up to 40. O(words of such lengths).
        """
        return self._near.near(word)

    def slipped(self, word: str) -> list[str]:
        """The short words of speakers and names that this may be a slip of, see `slips_of`."""
        return self._slips.get(word, [])
