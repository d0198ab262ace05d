"""`find_names`: whom and what of the user's own vocabulary a question names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from memspan.arguments import as_text
from memspan.errors import invalid

from .everyday import is_everyday
from .name_cases import Cases, case_forms, cases_in
from .topic_verbs import topic_verbs
from .vocabulary import COMMON, Entry, Source, Vocabulary, fold, words_of
from .words import word_set

__all__ = ["FoundName", "How", "find_names"]

How: TypeAlias = Literal["exact", "inflected", "part", "prefix", "typo"]

_CERTAINTY: Final[dict[How, float]] = {
    "exact": 1.0,
    "inflected": 0.9,
    "part": 0.8,
    "prefix": 0.6,
    "typo": 0.5,
}
_SHORTEST_PREFIX: Final = 3
_MOST_SHARED: Final = 3
"""A word that more names have in common says nothing."""
# Common words that are names of people, too: with a capital, a part of one is enough.
_PEOPLE: Final = word_set("mark may will")
# Of those, what nobody but a person has something: "Will's car", but "May's bills".
_OWNERS: Final = word_set("mark will")
# Behind these they are people, too: "what did mark say", "does will know".
_ASKING: Final = word_set("did didn't didnt does doesn't doesnt has hasn't hasnt")
# Common words that tell something as a tag.
_TOPICS: Final = word_set("friend friends plan work")
# Names that are nouns or verbs as well, behind one of those that no person has before it: "the bill", "my hope".
_WORDS_TOO: Final = word_set(
    "amber angel art autumn basil bill brook buck bud carol chase chip chuck cliff crystal daisy dale dawn drew eve "
    "faith ford frank ginger grace grant guy harmony hazel heather herb holly hope hunter iris ivy jack jade jay joy "
    "king lance lane lily melody miles olive pat pearl penny pepper porter prince ray reed river rob robin rock rose "
    "rosemary ruby sandy sky skip star stone sue summer victor violet wade"
)
_NO_PERSON_BEHIND: Final = word_set(
    "the a an my your his her our their these those some any every each much many"
)
# Before "May" they make a month of it, as a number behind it does.
_OF_MONTHS: Final = word_set("in during early late mid last next this")
# So do these, unless a verb follows: "until May came".
_OF_BOTH: Final = word_set("since until till")
_FOLLOWS: Final = re.compile(r"[ \t]+([^\W\d_]+)")
_NO_VERBS: Final = word_set(
    "and or of last this next when what who whom whose where why how which the a an my our your his her their i we you "
    "he she they it there to till until in on at for with by but not"
)
# What French and Italian put before a name, without its vowel: "d'Ana".
_ELIDED: Final = word_set("c d j l m n qu s t all dall dell nell sull un")
# What Korean writes to the end of a name or noun: "민수는", "민수씨에게", "학교에서".
_PARTICLES: Final = re.compile(
    r"(?<=[가-힣]{2})(?:은|는|이|가|을|를|의|와|과|랑|도|만|에|께서?|에게서?|한테서?|에서|으로|로|하고|까지|부터|처럼|보다|아|야)$"
)
_TITLES: Final = re.compile("(?<=[가-힣]{2})[씨님이]$")
_SENTENCE_ENDS: Final = frozenset(".!?:;\n")
_SCANNED: Final = 10_000
_MOST: Final = 32


class FoundName(NamedTuple):
    """One name or tag that a question holds."""

    name: str
    """As the vocabulary spells it."""
    source: Source
    text: str
    """As the question spells it."""
    span: tuple[int, int]
    how: How
    """As it is, with an ending ("Melanie's", "dogs"), a part of a longer name, the start of one ("Mel"), or with
    typing errors."""
    certainty: float


class _Word(NamedTuple):
    folded: str
    bare: str
    start: int
    end: int
    capital: bool
    proper: bool
    """Its capital is none that the first word of a sentence has, a text in capitals, or a month; or it owns or does
    something as only a person does."""
    verb: bool
    """It is "work" or "plan" as a verb, which no tag means."""
    thing: bool
    """It is a word, and not the name that is written so: "the bill"."""
    cases: Cases
    """In which language it may stand in another case, as a name with its capital does."""

    def forms(self) -> Iterator[str]:
        """The word as it is, then without what may have been added to it or changed in it."""
        yield from (self.folded, self.bare, *_endings(self.bare))
        yield from case_forms(self.bare, self.cases)


def find_names(question: str, vocabulary: Vocabulary) -> list[FoundName]:
    """The speakers, names and tags that a question holds, in the order of their first mention.

    The best reading of every word wins: as it is, with an ending, a part of a longer name (of three at most), the
    start of a name (from 3 letters on, with a capital, and only of one), or a name with typing errors (one from 5
    letters on, two from 9 to 14; in shorter ones, with a capital and not as the first word, two neighbours exchanged
    of 4 letters, or one left out of 5). Everyday words of English are no typing errors ("weather", Heather).
    What is found is a hint and never a filter. The first 10,000 characters are read; O(words).

    Raises:
        InvalidArgumentError: `question` is no text, or `vocabulary` no `Vocabulary`.
    """
    text = as_text(question, "question")[:_SCANNED]
    if not isinstance(vocabulary, Vocabulary):
        raise invalid("vocabulary", vocabulary, "a memspan.recall.vocabulary.Vocabulary")
    words = list(_words(text, vocabulary))
    found: dict[str, FoundName] = {}
    at = 0
    while at < len(words) and len(found) < _MOST:
        length, matches = _longest(words, at, vocabulary)
        if not matches:
            length, matches = 1, _by_one_word(words[at], vocabulary)
        start, end = words[at].start, words[at + length - 1].end
        for how, entry in matches:
            name = FoundName(entry.text, entry.source, text[start:end], (start, end), how, _CERTAINTY[how])
            if entry.text not in found or found[entry.text].certainty < name.certainty:
                found[entry.text] = name
        at += length
    return list(found.values())


def _words(text: str, vocabulary: Vocabulary) -> Iterator[_Word]:
    shouted = text.isupper()
    verbs = topic_verbs(text)
    cases = cases_in(text)
    before, end = "", 0
    for start, stop in _places(text, vocabulary):
        word = text[start:stop]
        folded = fold(word)
        bare = folded
        if not folded.isalnum():
            folded = folded.replace("’", "'")
            bare = _bare(folded)
        capital = word[0].isupper()
        first = end == 0 or not _SENTENCE_ENDS.isdisjoint(text[end:start])
        month = bare == "may" and _is_month(before, text, stop)
        owner = bare in _OWNERS and folded.endswith("'s") and before not in _NO_PERSON_BEHIND
        proper = owner or (capital and not (first or shouted or month))
        proper = proper or (bare in _PEOPLE and (before in _ASKING or text[start - 1 : start] == "@"))
        thing = not capital and before in _NO_PERSON_BEHIND and _is_word_too(bare)
        declined: Cases = cases if capital else ""
        yield _Word(folded, bare, start, stop, capital, proper, start in verbs, thing, declined)
        before, end = folded, stop


def _is_word_too(bare: str) -> bool:
    return bare in _WORDS_TOO or any(word in _WORDS_TOO for word in _endings(bare))


def _places(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """From where to where the words go."""
    for match in words_of(text):
        at = match.start()
        for start, stop in vocabulary.parts(match.group()):
            yield at + start, at + stop


def _is_month(before: str, text: str, end: int) -> bool:
    """Whether the words around "May" make a month of it."""
    if before in _OF_MONTHS or text[end : end + 2].strip().isdecimal():
        return True
    follows = _FOLLOWS.match(text, end)
    return before in _OF_BOTH and (follows is None or follows[1].lower() in _NO_VERBS)


def _bare(word: str) -> str:
    """A word without its last apostrophe and what follows it ("o'brien's"), or what stands before it ("d'ana")."""
    start, _, rest = word.rpartition("'")
    if start in _ELIDED and len(rest) > 1:
        return rest
    return word if start in ("", "o") else start


def _endings(word: str) -> Iterator[str]:
    """The word without an ending that a plural or a genitive may have added, or a particle."""
    if len(word) > 3 and word.endswith("s"):
        yield word[:-1]
        if word.endswith("es"):
            yield word[:-2]
        if word.endswith("ies"):
            yield word[:-3] + "y"
    if not word.isascii():
        bare = _PARTICLES.sub("", word)
        yield from (bare, _TITLES.sub("", bare))


def _longest(words: list[_Word], at: int, vocabulary: Vocabulary) -> tuple[int, list[tuple[How, Entry]]]:
    """The entry of most words that stands here in full; the last word may have an ending, each an apostrophe."""
    first = words[at]
    forms = dict.fromkeys(first.forms())
    most = min(max(map(vocabulary.most_words, forms)), len(words) - at)
    for size in range(most, 0, -1):
        last = words[at + size - 1]
        if size == 1:
            starts: list[tuple[str, ...]] = [()]
        else:
            starts = [tuple(word.folded for word in words[at : at + size - 1])]
            bare = tuple(word.bare for word in words[at : at + size - 1])
            starts += [bare] if bare != starts[0] else []
        for start in starts:
            for end in dict.fromkeys(last.forms()):
                entry = vocabulary.whole((*start, end))
                if entry is None or (size == 1 and _too_common(first, entry)):
                    continue
                plain = start == starts[0] and end == last.folded
                return size, [("exact" if plain else "inflected", entry)]
    return 1, []


def _too_common(word: _Word, entry: Entry) -> bool:
    """Whether "will" or "may", or "the bill", is the word, and not the person."""
    if word.thing and entry.source == "speaker":
        return True
    if word.bare not in COMMON:
        return False
    return word.verb or word.bare not in _TOPICS if entry.source == "tag" else not word.proper


def _by_one_word(word: _Word, vocabulary: Vocabulary) -> list[tuple[How, Entry]]:
    bare = word.bare
    if word.thing:
        return []
    if bare in COMMON:
        found = vocabulary.containing(bare) if word.proper and bare in _PEOPLE else []
        people = [entry for entry in found if entry.source != "tag"]
        return [("part", entry) for entry in people] if len(people) <= _MOST_SHARED else []
    if bare.isdecimal():
        return []
    for form in dict.fromkeys(word.forms()):
        if len(form) >= _SHORTEST_PREFIX and (found := vocabulary.containing(form)):
            return [("part", entry) for entry in found] if len(found) <= _MOST_SHARED else []
    if word.capital and len(bare) >= _SHORTEST_PREFIX:
        longer = vocabulary.with_prefix(bare)
        if len(longer) == 1:
            return [("prefix", entry) for entry in vocabulary.containing(longer[0]) if entry.source != "tag"]
    if word.capital and word.start > 0 and len(slipped := vocabulary.slipped(bare)) == 1:
        return [("typo", entry) for entry in vocabulary.containing(slipped[0]) if entry.source != "tag"]
    if is_everyday(bare, proper=word.proper):
        return []  # "how's the weather", where somebody is called Heather
    near = vocabulary.near(bare)
    if not near or (len(near) > 1 and near[1][0] == near[0][0]):
        return []  # as near to another name: no telling
    return [("typo", entry) for entry in vocabulary.containing(near[0][1])]
