"""Days that are named by one of them: "around Christmas", "um den 5. Mai", "within two weeks of May 5"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from memspan.recall.words import word_set

from .amounts import read_amount
from .calendar import Span, Unit, moved, shifted
from .lexicon import Token
from .reading import Reading, Sentence
from .years import QUALIFIED

__all__ = ["days_around", "read_within", "widened"]

_WITHIN_OF: Final = ("day", "week", "weekend")
"""What has a before and an after; "within two weeks of last year" may be a part of it."""
_HEDGES: Final = word_set("about sometime probably maybe eod cob close end")
"""With the last of a day: "by EOD Friday", "by close of business on Friday"."""
_MOST_HEDGES: Final = 2
_AT_LEAST: Final = {
    "de": frozenset(["mindestens", "wenigstens", "etwa", "ungefähr"]),
    "fr": frozenset(["au moins", "environ"]),
    "es": frozenset(["al menos", "aproximadamente"]),
    "it": frozenset(["almeno", "circa"]),
    "pt": frozenset(["pelo menos"]),
    "nl": frozenset(["minstens", "ongeveer"]),
    "pl": frozenset(["co najmniej", "około"]),
    "ru": frozenset(["как минимум", "примерно"]),
}
_CLOSELY: Final = {
    "en": word_set("shortly right just soon immediately"),
    "de": word_set("kurz knapp direkt gleich unmittelbar"),
    "fr": word_set("juste peu"),
    "es": word_set("justo poco"),
    "it": word_set("poco subito appena"),
    "pt": word_set("pouco logo"),
    "nl": word_set("kort vlak net"),
    "pl": word_set("tuż krótko zaraz"),
    "ru": word_set("незадолго сразу вскоре"),
}
_CLOSE: Final[dict[Unit, int]] = {"day": 7, "week": 7, "weekend": 7, "month": 14}


def days_around(sentence: Sentence, at: int) -> int:
    """How many days on either side a token stands for; 0 for any but "around" and its like."""
    return sentence.value(at) or 0 if sentence.kind(at) == "on" else 0


def is_close(sentence: Sentence, at: int) -> bool:
    """Whether the word before a "before" or an "after" says that it is shortly so."""
    return at > 0 and sentence.tokens[at - 1].word in _CLOSELY[sentence.lexicon.language]


def just_beside(found: Reading, side: str) -> Reading | None:
    """The days right before or after a day, a week or a month ("shortly before Christmas"); `None` for other times."""
    days = _CLOSE.get(found.unit)
    if days is None or side not in ("before", "after"):
        return None
    start, end = found.span
    span = Span(shifted(start, days=-days), start) if side == "before" else Span(end, shifted(end, days=days))
    return found._replace(
        span=span,
        certainty=min(found.certainty, QUALIFIED),
        reason=f"{days} days {side} {found.reason}",
        partial=None,
        recurs=None,
    )


def past_hedges(sentence: Sentence, at: int) -> int:
    """Past what makes a bound less certain: "since at least 2019", "since about March", "after sometime in May"."""
    at_least = _AT_LEAST.get(sentence.lexicon.language)
    if at_least is not None:
        words = [token.word for token in sentence.tokens[at : at + 2]]
        return next((at + size for size in (1, 2) if " ".join(words[:size]) in at_least), at)
    for _ in range(_MOST_HEDGES):
        token = sentence.tokens[at] if at < len(sentence.tokens) else None
        if token is None or not (days_around(sentence, at) or _is_hedge(token)):
            break
        at += 1 + (token.kind == "word" and sentence.kind(at + 1) in ("in", "on"))
    return at


def _is_hedge(token: Token) -> bool:
    if token.kind == "word":
        return token.word in _HEDGES
    return token.kind == "more" and token.word == "at"  # "at least"


def read_within(
    sentence: Sentence, at: int, read: Callable[[Sentence, int], Reading | None]
) -> Reading | None:
    """As in "within two weeks of May 5": so long before the day, and so long after it."""
    if sentence.tokens[at].word != "within":
        return None
    amount = read_amount(sentence, at + 1)
    if amount is None or sentence.kind(amount.stop) != "of":
        return None
    found = read(sentence, amount.stop + 1)
    if found is None or found.unit not in _WITHIN_OF or found.span.start >= found.span.end:
        return None
    start, end = (
        moved(side, amount.unit, way * amount.high) for side, way in zip(found.span, (-1, 1), strict=True)
    )
    return found._replace(
        span=Span(start, end),
        certainty=min(found.certainty, QUALIFIED),
        reason=f"within {amount.high} {amount.unit} of {found.reason}",
        needs_preposition=False,
        partial=None,
        recurs=None,
    )


def widened(sentence: Sentence, days: int, first: int, found: Reading) -> Reading | None:
    """A day of a month, or one that has a name, with so many days on either side; `None` for any other time."""
    named = sentence.kind(sentence.skip(first, "the")) == "named"
    if found.unit != "day" or not (named or (found.partial is not None and found.partial.day is not None)):
        return None
    span = Span(shifted(found.span.start, days=-days), shifted(found.span.end, days=days))
    return found._replace(
        span=span,
        certainty=min(found.certainty, QUALIFIED),
        reason=f"within {days} days of {found.reason}",
        partial=None,
        recurs=None,
    )
