"""What a model summed up of topic segments as statements, each below the segment that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .clean import clean_text
from .event_time import SpokenTimes
from .grounding import grounded
from .stage import Tools
from .taken import taken
from .values import Statement, Turn, Window

if TYPE_CHECKING:
    from .replies.extract import Extracted
    from .replies.summarise import SummarisedSegment, SummariseReply

__all__ = ["entries_of", "owners", "summed_by_number"]


def owners(segments: Sequence[Window]) -> list[int]:
    """The number of the segment of each turn that is shown, from 1."""
    return [number for number, segment in enumerate(segments, 1) for _ in segment.turns]


def summed_by_number(reply: SummariseReply, shown: Sequence[Window]) -> dict[int, SummarisedSegment]:
    """The reply's segments by number; what it says twice about one is joined.

    A segment that was shown alone is the only one that the reply can be about, whatever number it has there. Where all
    that stands below a number is about one other segment, and nothing below that one's number is, the model counted in
    its own way, such as from 0.
    """
    found: dict[int, SummarisedSegment] = {}
    for number, summed in zip(_numbers(reply.segments, shown), reply.segments, strict=True):
        first = found.get(number)
        if first is None:
            found[number] = summed
        else:
            more = {"topic": first.topic or summed.topic, "entries": [*first.entries, *summed.entries]}
            found[number] = first.model_copy(update=more)
    return found


def _numbers(summed: Sequence[SummarisedSegment], shown: Sequence[Window]) -> list[int]:
    """Which segment each is about."""
    if len(shown) == 1:
        return [1] * len(summed)
    owner = dict(enumerate(owners(shown), 1))
    about = [{owner[n] for entry in one.entries for n in entry.turns if n in owner} for one in summed]
    right = {one.segment for one, named in zip(summed, about, strict=True) if one.segment in named}
    return [
        min(named) if len(named) == 1 and named.isdisjoint(right) else one.segment
        for one, named in zip(summed, about, strict=True)
    ]


def entries_of(
    shown: Sequence[Window], by_number: Mapping[int, SummarisedSegment], tools: Tools, *, stage: str
) -> Iterator[Statement]:
    """The entries as statements with the topic of their segment, whose turns are their sources.

    Turns of another segment are no sources beside those of an entry's own one; an entry that names no others was
    written below the wrong segment. One of a segment and of turns that were not shown is dropped. All of it is noted.
    """
    spoken = SpokenTimes()
    for number, summed in sorted(by_number.items()):
        segment = shown[number - 1] if 1 <= number <= len(shown) else None
        if segment is not None and not summed.entries:
            topic = _topic(shown, by_number, number)
            tools.note("nothing kept", topic=topic, turns=[turn.id for turn in segment.turns])
    entries = [(number, entry) for number, summed in sorted(by_number.items()) for entry in summed.entries]
    for number, entry in taken(entries, tools, stage=stage):
        for statement in _grounded(shown, number, entry, by_number, tools, stage, spoken):
            yield replace(statement, salience=None)  # nobody judged it


def _grounded(
    shown: Sequence[Window],
    number: int,
    entry: Extracted,
    by_number: Mapping[int, SummarisedSegment],
    tools: Tools,
    stage: str,
    spoken: SpokenTimes,
) -> list[Statement]:
    numbered = [turn for segment in shown for turn in segment.turns]
    owner = dict(enumerate(owners(shown), 1))
    elsewhere = sorted({n for n in entry.turns if owner.get(n, number) != number})
    if elsewhere:
        tools.note("turns of another segment", statement=clean_text(entry.content), numbers=elsewhere)
    whole: Sequence[Turn] = numbered
    named = entry.turns
    if elsewhere and all(owner.get(n) != number for n in named):
        number = owner[elsewhere[0]]
    elif 1 <= number <= len(shown):
        whole = shown[number - 1].turns
        named = [n for n in named if n not in elsewhere]
    else:
        tools.note("dropped", reason="unknown segment", statement=clean_text(entry.content))
        return []
    entry = entry.model_copy(update={"turns": named, "topic": ""})
    topic = _topic(shown, by_number, number)
    return grounded([entry], numbered, whole, tools, stage=stage, topic=topic, whole=whole, spoken=spoken)


def _topic(shown: Sequence[Window], by_number: Mapping[int, SummarisedSegment], number: int) -> str | None:
    given = clean_text(by_number[number].topic) if number in by_number else ""
    return given or shown[number - 1].topic
