"""`PlanByModel`: a language model's plan for a question (SimpleMem 2.3 and appendix A.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memspan.arguments import as_integer
from memspan.errors import invalid
from memspan.limits import MAX_K
from memspan.llm import LLM, Prompt, Usage
from memspan.llm.deadline import Late, within
from memspan.llm.prompts import render
from memspan.llm.protocol import Ready
from memspan.llm.when_ready import complete
from memspan.times import MIN_MICROS, Interval, Micros, from_micros, in_zone, to_micros

from .moment import moment_line
from .names import find_names
from .plan import Plan
from .times.written import is_plausible, written_interval
from .vocabulary import Vocabulary, fold

if TYPE_CHECKING:
    from .plan_reply import PlanReply, TimeRange

__all__ = ["FELL_BACK", "MAX_DEADLINE_MS", "PlanByModel", "Planned", "Withheld"]

FELL_BACK: Final = "planned by rules, for the model failed"
"""How the reason begins that a plan by rules has when a model was to make it."""

MAX_DEADLINE_MS: Final = 600_000
_MOST_COMPLEX: Final = 5
_MOST_SHOWN: Final = 100
_MOST_TIMES: Final = 8
_MOST_WORDS: Final = 32
_MOST_TAGS: Final = 3
_LONGEST: Final = 1_000
_DAY: Final = 86_400_000_000


class Withheld(NamedTuple):
    """What of a vocabulary a model is not told."""

    people: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()


class Planned(NamedTuple):
    """A plan, and what it cost."""

    plan: Plan
    usage: Usage
    model: str
    """As the server names it; the client's name where the call failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanByModel:
    """Let a model fill the plan that the rules began (SimpleMem 2.3).

    The model says how complex the question is, d, and the depth grows with it in proportion, n = least for d = 1 to
    most for d = 5; what a memory that answers would say (the semantic query); words that it must contain; times, names
    and tags. What it says is checked: a time that cannot be read or that nobody talks of, and a name or tag that the
    user's memories do not have, is dropped, with a reason in the plan. What it leaves out stays as the rules have it.
    The words that it gives are put beside the question's own and do not replace them, as in the paper: the
    learned ranking was fitted to BM25 scores of whole questions.

    The plan is still one native search over all views: a record that several find is in the result once.

    A model that fails, or is not done by the deadline, leaves the plan of the rules, and the plan's reasons say so.
    """

    least: int = 3
    """Memories for the simplest question."""
    most: int = 20
    """Memories for the most complex one."""
    deadline_ms: int = 10_000
    """Milliseconds that the model has, retries included."""

    def __post_init__(self) -> None:
        as_integer(self.least, "least", 1, MAX_K)
        as_integer(self.most, "most", 1, MAX_K)
        as_integer(self.deadline_ms, "deadline_ms", 1, MAX_DEADLINE_MS)
        if self.least > self.most:
            raise invalid("least", self.least, f"at most `most`, {self.most}")

    async def plan(
        self,
        llm: LLM,
        rules: Plan,
        *,
        now: datetime,
        vocabulary: Vocabulary,
        history: Sequence[Mapping[str, str]] = (),
        withheld: Withheld = Withheld(),  # noqa: B008
        ready: Ready | None = None,
    ) -> Planned:
        """The model's plan, or `rules` with the reason why not.

        Args:
            rules: what `plan_by_rules` made of the question.
            now: when the question is asked, aware; days are those of its zone.
            vocabulary: what the user's memories call people and things; at most 100 of each are shown to the model.
            history: what was said right before the question, H, as `checked_history` gives it.
            withheld: names and tags that the model is not told.
            ready: awaited before each request.
        """
        from .plan_reply import PlanReply

        prompt = plan_prompt(rules, now, vocabulary, history, withheld)
        try:
            asked = complete(llm, prompt, PlanReply, stage="plan", ready=ready)
            reply = await within(self.deadline_ms / 1000, asked)
        except Exception as error:
            spent = getattr(error, "usage", None)
            usage = spent if isinstance(spent, Usage) else Usage()
            return _fallback(rules, llm, f"{type(error).__name__}: {error}"[:200], usage)
        if isinstance(reply, Late):
            return _fallback(rules, llm, f"not done within {self.deadline_ms} ms", reply.usage)
        return Planned(self.filled(rules, reply.value, now, vocabulary), reply.usage, reply.model)

    def filled(self, rules: Plan, reply: PlanReply, now: datetime, vocabulary: Vocabulary) -> Plan:
        """The plan of the rules with what a reply says, where that holds."""
        reasons = ["planned by the model, from the plan of the rules"]
        k = self._depth(rules, reply, reasons)
        query = _text(reply.query)
        if query:
            reasons.append(f"query {query[:80]!r}: what an answer would say")
        names = _known(reply.names, "person", vocabulary, reasons)
        tags = _known(reply.tags, "tag", vocabulary, reasons)[:_MOST_TAGS]
        return replace(
            rules,
            semantic=query or rules.semantic,
            lexical=_lexical(rules.lexical, reply.keywords, reasons),
            intervals=_intervals(reply.times, now, reasons) or rules.intervals,
            tags=tags or rules.tags,
            names=names or rules.names,
            k=k,
            reasons=(*rules.reasons, *reasons),
        )

    def _depth(self, rules: Plan, reply: PlanReply, reasons: list[str]) -> int:
        why = f" ({_text(reply.reason)[:80]})" if _text(reply.reason) else ""
        if not 1 <= reply.complexity <= _MOST_COMPLEX:
            k = min(max(rules.k, self.least), self.most)
            reasons.append(f"depth {k}: the model gives no complexity from 1 to {_MOST_COMPLEX}")
            return k
        share = (reply.complexity - 1) / (_MOST_COMPLEX - 1)
        k = round(self.least + share * (self.most - self.least))
        reasons.append(f"depth {k}: complexity {reply.complexity} of {_MOST_COMPLEX}{why}")
        return k


def plan_prompt(
    rules: Plan,
    now: datetime,
    vocabulary: Vocabulary,
    history: Sequence[Mapping[str, str]] = (),
    withheld: Withheld = Withheld(),  # noqa: B008
) -> Prompt:
    """What the model is asked: the question, its time, what was said before it, the vocabulary, and what the rules
    found."""
    known: dict[str, list[str]] = {"people": [], "tags": []}
    for entry in vocabulary.entries:
        kind = "tags" if entry.source == "tag" else "people"
        if len(known[kind]) < _MOST_SHOWN and entry.text not in getattr(withheld, kind):
            known[kind].append(entry.text)
    found: dict[str, Any] = {
        "times": [[_written(start, now), _written(end, now, last=True)] for start, end in rules.intervals],
        "names": [name for name in rules.names if name not in withheld.people],
        "tags": [tag for tag in rules.tags if tag not in withheld.tags],
    }
    data = {"question": rules.question, "asked": moment_line(now), "known": known, "rules": found}
    return render("plan", data={**data, "history": list(history)})


def _fallback(rules: Plan, llm: LLM, why: str, usage: Usage | None = None) -> Planned:
    plan = replace(rules, reasons=(*rules.reasons, f"{FELL_BACK}: {why}"))
    return Planned(plan, usage or Usage(), llm.model)


def _text(text: str) -> str:
    return " ".join(text[:_LONGEST].replace("\0", " ").split())


def _written(side: Micros | None, now: datetime, *, last: bool = False) -> str:
    """A side of an interval, in the zone of `now`; of the last one the last moment inside, as models give it."""
    if side is None:
        return ""
    zone = now.tzinfo or timezone.utc
    at = in_zone(from_micros(side), zone)
    if _is_midnight(side, now):
        return (in_zone(from_micros(side - 1), zone) if last and side > MIN_MICROS else at).date().isoformat()
    return at.isoformat()


def _is_midnight(moment: Micros, now: datetime) -> bool:
    at = in_zone(from_micros(moment), now.tzinfo or timezone.utc)
    return (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)


def _lexical(asked: str, keywords: Sequence[str], reasons: list[str]) -> str:
    """The question's words and those of the keywords that it lacks."""
    there = f" {fold(asked)} "
    added = []
    for word in map(_text, keywords[:_MOST_WORDS]):
        if word and f" {fold(word)} " not in there:
            added.append(word)
            there += fold(word) + " "
    if added:
        reasons.append("words added: " + ", ".join(word[:40] for word in added))
    return " ".join([asked, *added])


def _known(given: Sequence[str], what: str, vocabulary: Vocabulary, reasons: list[str]) -> tuple[str, ...]:
    """Names, or tags, as the vocabulary spells them; others are dropped."""
    kept: dict[str, None] = {}
    for name in map(_text, given[:_MOST_WORDS]):
        found = find_names(name.replace("_", " "), vocabulary) if name else []
        fit = [one.name for one in found if (one.source == "tag") == (what == "tag")]
        kept |= dict.fromkeys(fit)
        if name and not fit:
            reasons.append(f"dropped: {what} {name[:40]!r} is not in the memory")
    if kept:
        reasons.append(f"the model names {what} " + ", ".join(repr(name) for name in kept))
    return tuple(kept)


def _intervals(times: Sequence[TimeRange], now: datetime, reasons: list[str]) -> tuple[Interval, ...]:
    """The ranges that hold, half-open, each once; others are dropped."""
    kept: dict[Interval, None] = {}
    for time in times[:_MOST_TIMES]:
        given = f"{time.start[:40]} to {time.end[:40]}"
        if not _text(time.start) and not _text(time.end):
            continue
        interval, wrong = _interval(time, now)
        if interval is None:
            reasons.append(f"dropped: time {given!r} {wrong}")
        else:
            kept[interval] = None
            reasons.append(f"time {given}: by the model")
    return tuple(kept)


def _interval(time: TimeRange, now: datetime) -> tuple[Interval | None, str]:
    sides: list[Micros | None] = []
    for position, text in enumerate((_text(time.start), _text(time.end))):
        span = written_interval(text, now) if text else None
        if text and span is None:
            return None, "cannot be read"
        sides.append(None if span is None else span[position])
    start, end = sides
    if start is not None and end == start + 1 and _is_midnight(start, now):
        end = start + _DAY  # of a day that is written as "2023-05-08T00:00:00" twice
    if start is not None and end is not None and start >= end:
        return None, "ends before it starts"
    if not is_plausible((start, end), to_micros(now)):
        return None, "is nothing that people talk of"
    return (start, end), ""
