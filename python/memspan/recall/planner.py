"""`plan_by_rules`: a plan for a question, without a model."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final

from memspan.arguments import as_text
from memspan.errors import invalid
from memspan.times import Interval, TimeLike, from_micros, in_zone, zone_of

from .all_of_a_time import asks_for_all_of_a_time
from .how_to import asks_how_to
from .kinds import QuestionKind, kind_of
from .left_out import without_left_out
from .marks import normalized
from .names import FoundName, find_names
from .plan import Plan, ViewWeights
from .settings import SETTINGS
from .times import FoundTime, find_times
from .vocabulary import Vocabulary
from .wording import bare_question

__all__ = ["plan_by_rules"]

_LONGEST_QUERY: Final = 10_000
_OF_A_TIME: Final = 0.1
"""What words, meaning and neighbours count where a question asks for all of a time, which goes before them."""

_DEEPEST: Final = 20
"""SimpleMem's depth ends here, too; only what wants many mentions goes beyond."""


def plan_by_rules(question: str, *, now: TimeLike, vocabulary: Vocabulary) -> Plan:
    """What to look for and how, by rules, each of which leaves its reason in the plan.

    Args:
        now: what "last week" is counted from: an aware `datetime`, ISO 8601 text or integer microseconds.
        vocabulary: what this user's memories call people and things.

    Raises:
        InvalidArgumentError: `question` is no text or blank, or `vocabulary` no `Vocabulary`.
        TimeError: `now` is no time, or has no zone.
    """
    text = as_text(question, "question")
    if not text.strip():
        raise invalid("question", question, "text that is not blank")
    text = normalized("NFC", text)  # as the tables of words spell letters with accents
    found_names = without_left_out(text, find_names(text, vocabulary))
    times = find_times(text, now, names=vocabulary.people)
    found_names = [name for name in found_names if not _is_time(name, times)]
    kind = kind_of(text)
    setting = SETTINGS[kind.main]
    reasons = [*kind.reasons, f"depth {setting.k}, sessions {setting.sessions}: {setting.reason}"]

    asked = semantic_query(question)
    if asked != " ".join(text.split()):
        reasons.append(f"query {asked[:80]!r}: without what the question says about itself")
    reasons += [_name_reason(name) for name in found_names]
    zone = zone_of(now)
    reasons += [_time_reason(time, zone) for time in times]

    how_to = asks_how_to(asked)
    if how_to is not None:
        reasons.append(f"procedures, too: asks how something is done ({how_to[:60]!r})")

    names = tuple(name.name for name in found_names if name.source != "tag")
    tags = tuple(name.name for name in found_names if name.source == "tag")
    k = _depth(kind, setting.k, names, times, reasons)
    all_of_it = asks_for_all_of_a_time(text, times, found_names)
    if all_of_it:
        k = max(k, _DEEPEST)
        reasons.append(
            f"depth {k}, spread over the time, words and meaning count little: asks for all of a time"
        )
    return Plan(
        question=question,
        semantic=asked,
        lexical=_lexical(asked, found_names, reasons),
        intervals=_intervals(times),
        tags=tags,
        names=names,
        kind=kind.main,
        also=kind.also,
        record_kinds=() if how_to is None else ("procedural",),
        k=k,
        weights=ViewWeights(semantic=_OF_A_TIME, lexical=_OF_A_TIME) if all_of_it else ViewWeights(),
        smoothing=_OF_A_TIME if all_of_it else 1.0,
        sessions=setting.sessions,
        spread=_wants_steps(kind, reasons) or all_of_it,
        distinct=setting.distinct or _only_lists(kind),
        reasons=tuple(reasons),
    )


def _is_time(name: FoundName, times: list[FoundTime]) -> bool:
    """Whether what is like a name is a time: "im Juli" is no Julia, "hier matin" no Martin and "em março" no Marco."""
    start, end = name.span
    if not any(time.span[0] <= start and end <= time.span[1] for time in times):
        return False
    return name.how in ("prefix", "typo") or (
        name.how == "exact" and name.text.casefold() != name.name.casefold()
    )


def semantic_query(question: str) -> str:
    """What a plan by rules has as its semantic query, which nothing but the question decides. O(its length)."""
    return bare_question(normalized("NFC", question)[:_LONGEST_QUERY])


def _only_lists(kind: QuestionKind) -> bool:
    """Whether it wants each thing once: who counts or adds up wants every mention."""
    return kind.main == "list" and not kind.reasons[0].startswith(("list: counts", "list: adds up"))


def _wants_steps(kind: QuestionKind, reasons: list[str]) -> bool:
    """Whether it asks for an order of several things, and not only which of two came first."""
    steps = kind.main == "order" and kind.reasons[0].startswith("order: asks for an order")
    if steps:
        reasons.append("spread over the time: steps of an order")
    return steps


def _depth(
    kind: QuestionKind, k: int, names: tuple[str, ...], times: list[FoundTime], reasons: list[str]
) -> int:
    """Deeper where a question has several parts; up to 20 where it does not list."""
    if k >= _DEEPEST:
        return k
    more = 0
    if len(names) > 1:
        more += 5
        reasons.append("depth +5: names several")
    if len(times) > 1:
        more += 5
        reasons.append("depth +5: several times")
    if "update" in kind and kind.main != "update":
        more += 2
        reasons.append("depth +2: may have changed")
    return min(k + more, _DEEPEST)


def _lexical(asked: str, names: list[FoundName], reasons: list[str]) -> str:
    """With the names as the memories spell them, where the question spells them otherwise."""
    missing = [name.name for name in names if name.how in ("prefix", "typo") and name.source != "tag"]
    if missing:
        reasons.append("words added: " + ", ".join(missing))
    return " ".join([asked, *missing])


def _intervals(times: list[FoundTime]) -> tuple[Interval, ...]:
    return tuple(dict.fromkeys(time.interval for time in times))


def _name_reason(name: FoundName) -> str:
    return f"{name.source} {name.name!r}: {name.how} ({name.text!r})"


def _time_reason(time: FoundTime, zone: tzinfo) -> str:
    sides = [
        ".." if side is None else f"{in_zone(from_micros(side), zone):%Y-%m-%d %H:%M}"
        for side in time.interval
    ]
    return f"time {sides[0]} to {sides[1]}: {time.relation} {time.reason} ({time.text!r})"
