"""Which memories tell of what happened at a time of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from time import sleep
from typing import Final

from memspan.lifecycle.sleep.queues import said_at, turn_times
from memspan.recall.times.past import tells_of_past
from memspan.recall.times.told import tells_of_past_abroad
from memspan.recall.words import word_set
from memspan.records import Record
from memspan.store import StoreReader
from memspan.store.sqlite.statements import chunks

__all__ = ["days_of_events"]

_DAY: Final = timedelta(days=1)
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_PRESENT: Final = word_set("is are am isn't aren't i'm we're they're")
_BEFORE_MANY: Final = word_set("the my your his her our their its all some many few both two these those")
_AT_ONCE: Final = 32
_IN_A_ROW: Final = 16
"""Memories that are looked at before other threads get the interpreter, some tenths of a millisecond."""
_LOOKED_AT: Final = 1_000
"""Characters of a text whose verbs are looked at."""


def days_of_events(reader: StoreReader, user: str, records: Iterable[Record]) -> dict[str, date]:
    """By id, the day (UTC) of what happened, of memories that tell of the past and were told at another time than
    theirs: "Ana ran a marathon" of last year, and of this one, is two events. What is so ("Ana lives in Porto"), or was
    told without its time, is the same whenever it is told.

    Verbs are those of the languages whose times are read; what is told in others has no day. O(texts, and sources of
    what is found).
    """
    found = []
    for number, record in enumerate(records):
        if number % _IN_A_ROW == 0:
            sleep(0)
        if _is_apart(record, record.recorded_at) and _has_happened(record):
            found.append(record)
    sources = dict.fromkeys(id_ for record in found for id_ in record.sources)
    turns: dict[str, datetime] = {}
    for piece in chunks(list(sources), _AT_ONCE):
        turns |= turn_times(reader.fetch(user, piece).values())
        sleep(0)
    return {
        record.id: record.at.date()
        for record in found
        if _is_apart(record, said_at(record, turns) or record.recorded_at)
    }


def _is_apart(record: Record, told: datetime | None) -> bool:
    return record.kind != "episodic" and told is not None and abs(record.at - told) > _DAY


def _has_happened(record: Record) -> bool:
    words = _WORD.findall(record.text[:_LOOKED_AT].lower())
    if tells_of_past(words) and _PRESENT.isdisjoint(words) and not _is_of_one(words):
        return True
    return tells_of_past_abroad(record.text)


def _is_of_one(words: Sequence[str]) -> bool:
    """Whether a verb in the present stands behind a name: "Ana owns a bicycle made in Italy"."""
    return len(words) > 1 and words[1][-1] == "s" and words[1] != "was" and words[0] not in _BEFORE_MANY
