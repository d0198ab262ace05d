"""The lines of a context, and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from .cleaning import CLOSE, OPEN
from .entry import Candidate, Entry, day_label
from .tokens import TokenCounter

__all__ = ["GAP", "Layout"]

GAP = "…"
"""Stands where a session goes on after turns that are left out."""

_HOUR = " 00:00"


class Layout:
    """Writes entries as text::

        <memories>
        Mon 8 May 2023
        [D1:3] Caroline: I went to a support group yesterday.
        [D1:4] Melanie: How was it?
        …
        [D1:9] Caroline: I am thinking of counselling.
        Thu 25 May 2023
        [D2:1] Melanie: I ran a race last Saturday.
        </memories>

    In the order of time. A line with a date opens each day of each session; it has the hour, too, where a day has
    several. Lines below one date that no `…` parts are one passage: they follow each other in their session (records
    without a session: on their day), whatever was made of other turns between them. Days and hours are those of the
    zone that the question was asked in.

    Args:
        after: for each id, what comes after it in its session: the next record, and the next of its kind.
        count: counts tokens; each line once.
        first: the number of the first record, for those whose id cannot stand for them.
    """

    def __init__(self, after: Mapping[str, Collection[str]], count: TokenCounter, *, first: int = 1) -> None:
        self._after = after
        self._count = count
        self._first = first
        self._known: dict[str, int] = {}
        self._lines_of: dict[Entry, str] = {}
        self.frame = self.cost(OPEN) + self.cost(CLOSE)

    def cost(self, line: str) -> int:
        """The tokens of a line with its line break."""
        known = self._known.get(line)
        if known is None:
            known = self._known[line] = self._count(line + "\n")
        return known

    def tokens(self, entries: Iterable[Entry]) -> int:
        """The sum over the lines: that of the text, but for what a counter saves or adds where lines meet."""
        ordered = sorted(entries, key=_place)
        return self.frame + sum(map(self.cost, self._lines(ordered, map(self.draft, ordered))))

    def draft(self, entry: Entry) -> str:
        """Its line while the numbers of the sources are not known."""
        line = self._lines_of.get(entry)
        if line is None:
            line = self._lines_of[entry] = _line(entry, {})
        return line

    def most_around(self, entry: Entry) -> int:
        """The most that the lines around an entry's own can grow by when it comes in: it may part a passage, be the
        second of its day, and leave gaps on both sides.
        """
        return 3 * self.cost(day_label(entry.shown.local.date()) + _HOUR) + 2 * self.cost(GAP)

    def most_joined(self, candidate: Candidate) -> int:
        """The most that a line can grow by when a record that says the same joins it."""
        return self.cost(f", {_name(candidate, {})} {day_label(candidate.local.date())}")

    def written(self, entries: Iterable[Entry]) -> tuple[str, list[tuple[Entry, Candidate, str]]]:
        """The text, and every record in it with its label, in the order of the text; empty without entries."""
        ordered = sorted(entries, key=_place)
        if not ordered:
            return "", []
        labels: dict[str, str] = {}
        sources: list[tuple[Entry, Candidate, str]] = []
        for entry in ordered:
            for each in entry.members:
                labels[each.id] = each.label or f"#{self._first + len(sources)}"
                sources.append((entry, each, labels[each.id]))
        return "\n".join(
            (OPEN, *self._lines(ordered, [_line(entry, labels) for entry in ordered]), CLOSE)
        ), sources

    def _lines(self, ordered: Sequence[Entry], lines: Iterable[str]) -> Iterator[str]:
        blocks = [(entry.shown.session, entry.shown.local.date()) for entry in ordered]
        opened = [block for i, block in enumerate(blocks) if i == 0 or block != blocks[i - 1]]
        days = Counter(day for _, day in opened)
        of_kind: dict[str, str] = {}
        for i, (entry, line) in enumerate(zip(ordered, lines, strict=True)):
            session, day = blocks[i]
            shown = entry.shown
            if i == 0 or blocks[i - 1] != blocks[i]:
                of_kind.clear()
                hour = f" {entry.shown.local:%H:%M}" if days[day] > 1 else ""
                yield day_label(day) + hour
            elif session is not None and not self._follows(
                shown.id, (ordered[i - 1].shown.id, of_kind.get(shown.kind))
            ):
                yield GAP
            of_kind[shown.kind] = shown.id
            yield line

    def _follows(self, id_: str, before: Iterable[str | None]) -> bool:
        return any(id_ in self._after.get(one, ()) for one in before if one is not None)


def _line(entry: Entry, labels: Mapping[str, str]) -> str:
    """`[label] speaker: text`; other days of records that say the same stand with their labels."""
    day = entry.shown.local.date()
    names = []
    for each in entry.members:
        name = _name(each, labels)
        other = each.local.date()
        names.append(name if other == day else f"{name} {day_label(other)}")
    speaker = f"{entry.shown.speaker}: " if entry.shown.speaker else ""
    return f"[{', '.join(names)}] {speaker}{entry.text}"


def _name(candidate: Candidate, labels: Mapping[str, str]) -> str:
    """What stands for it; while labels are unknown, something as long as most."""
    return labels.get(candidate.id) or candidate.label or "#99"


def _place(entry: Entry) -> tuple[object, int, str]:
    return entry.place
