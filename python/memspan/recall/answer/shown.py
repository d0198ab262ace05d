"""The memories that a model is shown for a question: summaries and details, within a number of tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timezone, tzinfo
from typing import Final

from memspan.recall.context import Budget, Context, build_context
from memspan.records import Record
from memspan.remember.searching.recall import Recalls

__all__ = ["Shown", "shown_memories"]

_SHARE_OF_SUMMARIES: Final = 3
"""At most one part in so many of the tokens: an answer needs details, and a summary is as long as several of them."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Numbered memories, as lines of a prompt's data."""

    summaries: tuple[str, ...]
    memories: tuple[str, ...]
    """Lines of days, of memories, and of gaps between them; see `Memory.context`."""
    context: Context
    """Both together."""

    def cited(self, numbers: Iterable[int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The ids of the memories with these numbers, each once and in the order of the text, and the numbers of none.

        Where several records say the same, each has a number of its own, so that each is its own source.
        """
        wanted = set(numbers)
        known = {
            number: source.id for number, source in enumerate(self.context.sources, 1) if number in wanted
        }
        return tuple(dict.fromkeys(known.values())), tuple(sorted(wanted.difference(known)))


def shown_memories(
    question: str,
    recalls: Recalls,
    budget: Budget,
    *,
    after: Mapping[str, Collection[str]],
    analyzer: str,
    zone: tzinfo = timezone.utc,
) -> Shown:
    """Lay out what a search found: abstracts in a block of their own, before the details (SimpleMem A.3).

    Every record gets a number, from 1, in the order in which it stands there: abstracts first. Abstracts have a third
    of the tokens at most, details what these leave. Arguments as for `build_context`.
    """
    abstracts = Recalls(one for one in recalls if _is_abstract(one.record))
    details = Recalls(one for one in recalls if not _is_abstract(one.record))
    abstracts.plan = details.plan = recalls.plan
    first = Context("", (), 0)
    if abstracts:
        part = budget.tokens // _SHARE_OF_SUMMARIES if details else budget.tokens
        first = build_context(
            question,
            abstracts,
            replace(budget, tokens=part),
            after=after,
            analyzer=analyzer,
            numbered_from=1,
            zone=zone,
        )
    second = Context("", (), 0)
    if details and budget.tokens > first.tokens:
        second = build_context(
            question,
            details,
            replace(budget, tokens=budget.tokens - first.tokens),
            after=after,
            analyzer=analyzer,
            numbered_from=1 + len(first.sources),
            zone=zone,
        )
    text = "\n".join(part.text for part in (first, second) if part.text)
    both = Context(text, first.sources + second.sources, first.tokens + second.tokens, recalls)
    return Shown(_inside(first), _inside(second), both)


def _is_abstract(record: Record) -> bool:
    """Whether it was made to sum up records that are there beside it."""
    return bool(record.sources and record.metadata.get("details"))


def _inside(context: Context) -> tuple[str, ...]:
    """The lines without the delimiters: prompts have their own."""
    return tuple(context.text.split("\n")[1:-1])
