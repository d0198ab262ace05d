"""`kind_of`: what kind of answer a question wants, and by which rule."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from unicodedata import normalize

from memspan.arguments import as_text

from .kind_rules import KINDS_OF_QUESTION, KindName, rules_of
from .kind_tables.shorthand import spelled_out
from .question_language import languages_of
from .traditional import simplified

__all__ = ["QuestionKind", "kind_of"]

_LONGEST: Final = 2_000
"""Characters that are looked at: half of them from the start, half from the end, where the question itself stands."""

_QUOTED: Final = re.compile(r'"[^"]{1,300}"|“[^”]{1,300}”|«[^»]{1,300}»|`[^`]{1,300}`')
_PLAINLY: Final = {"en": spelled_out, "zh": simplified}
"""What brings the words of a language into the spelling of its rules."""


class QuestionKind(NamedTuple):
    """What a question wants."""

    main: KindName
    """The kind that the retrieval goes by: the first of `KINDS_OF_QUESTION` that has a rule which fits."""
    also: tuple[KindName, ...]
    """The other kinds that fit, in that order."""
    reasons: tuple[str, ...]
    """One for each kind: the rule, and the words that it found."""

    def __contains__(self, kind: object) -> bool:
        return kind == self.main or kind in self.also


def kind_of(question: str) -> QuestionKind:
    """The kind of a question, by rules that are read in order; a question without any is a lookup.

    Whatever stands in quotation marks is left out of it. Never raises but for an argument that is no text.

    Raises:
        InvalidArgumentError: `question` is no text.
    """
    text = as_text(question, "question")
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} {text[-_LONGEST // 2 :]}"
    text = normalize("NFC", text)  # as the tables spell letters with accents
    text = " ".join(_QUOTED.sub(" ", text.replace("’", "'")).lower().split())
    reasons: dict[KindName, str] = {}
    for language in languages_of(text):
        asked = _PLAINLY[language](text) if language in _PLAINLY else text
        for kind, pattern, reason in rules_of(language):
            if kind not in reasons and (match := pattern.search(asked)) is not None:
                reasons[kind] = f"{kind}: {reason} ({match.group().strip()[:60]!r})"
    _settle(reasons)
    kinds = [kind for kind in KINDS_OF_QUESTION if kind in reasons]
    if not kinds:
        return QuestionKind("lookup", (), ("lookup: no other rule fits",))
    return QuestionKind(kinds[0], tuple(kinds[1:]), tuple(reasons[kind] for kind in kinds))


def _settle(reasons: dict[KindName, str]) -> None:
    """Drop a kind whose words mean another one: "what did you recommend" asks for no advice, "how many days ago" for
    no list."""
    if "assistant" in reasons:
        reasons.pop("preference", None)
        reasons.pop("yes_no", None)
    if "when" in reasons and "counts" in reasons.get("list", "") and "time between" in reasons["when"]:
        del reasons["list"]
    if "summary" in reasons or "order" in reasons or "list" in reasons:
        reasons.pop("preference", None)
        reasons.pop("yes_no", None)
