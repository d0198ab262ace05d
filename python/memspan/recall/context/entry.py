"""One memory of a context while it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timezone, tzinfo
from typing import Final

from memspan.record_order import record_order
from memspan.remember.searching.recall import Recall
from memspan.times import in_zone

from .cleaning import one_line, plain_label, speaker_label
from .duplicates import Wording

__all__ = ["Candidate", "Entry", "day_label"]

# Not through `strftime`, whose names depend on the process's locale.
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day_label(day: date) -> str:
    """`Mon 8 May 2023`: with the weekday, because people say "last Friday"."""
    return f"{_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


class Candidate:
    """A record that the search found, its words made safe for a prompt."""

    __slots__ = ("label", "local", "rank", "recall", "speaker", "text", "wording")

    def __init__(
        self, recall: Recall, rank: int, zone: tzinfo = timezone.utc, *, numbered: bool = False
    ) -> None:
        self.recall: Final = recall
        self.rank: Final = rank
        self.local: Final = in_zone(recall.at, zone)
        self.text: Final = one_line(recall.text)
        self.speaker: Final = speaker_label(recall.record.speaker or "")
        self.label: Final = None if numbered else plain_label(recall.id)
        self.wording: Final = Wording(self.speaker, self.text)

    @property
    def id(self) -> str:
        return self.recall.id

    @property
    def at(self) -> datetime:
        return self.recall.at

    @property
    def session(self) -> str | None:
        return self.recall.record.session

    @property
    def kind(self) -> str:
        return self.recall.record.kind

    def lines(self) -> list[str]:
        """The lines of `text`, each as it stands there; only `text` where what had to be made safe spans several."""
        lines = [line for line in map(one_line, self.recall.text.splitlines()) if line]
        return lines if " ".join(lines) == self.text else [self.text]


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A line of the context: a record's text, or a part of it, and the records that say the same."""

    shown: Candidate
    text: str
    same: Sequence[Candidate] = field(default=())
    """Best first; not `shown` itself."""

    @property
    def rank(self) -> int:
        """That of the best record it stands for."""
        return min(each.rank for each in self.members)

    @property
    def members(self) -> tuple[Candidate, ...]:
        """`shown`, then those that say the same."""
        return (self.shown, *self.same)

    @property
    def place(self) -> tuple[datetime, int, str]:
        """Where it stands among the others."""
        return record_order(self.shown.at, self.shown.id)
