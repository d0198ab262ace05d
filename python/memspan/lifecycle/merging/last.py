"""Where the last consolidation of a user's memories ended, as its report says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from time import sleep
from typing import Any, Final, NamedTuple

from memspan.lifecycle.undo.journal import read_before
from memspan.records import Record
from memspan.store import StoreReader
from memspan.store.runs import RunChange
from memspan.times import Micros

from .duplicates import Merging

__all__ = ["ACTION", "Last", "as_json", "last_of", "news_of", "reported"]

ACTION: Final = "consolidate"
_AT_ONCE: Final = 32
"""Records that are read before other threads get the interpreter."""


class Last(NamedTuple):
    """What the next one goes on from."""

    merging: Mapping[str, Any]
    """The settings; with others, all memories are news."""
    sequence: int | None = None
    """The point of the store's sequence from which on what is written is news; `None`: everything is."""
    since: Micros = 0
    """The latest moment of the clock at such a point: what was recorded later is news, whoever wrote it again."""


def last_of(reader: StoreReader, user: str, merging: Merging) -> Last:
    """The last one with these settings that came to its end, whether it was undone or not."""
    settings = as_json(merging)
    reports = reader.runs.reports(user, ACTION)
    report = next((report for report in reports if report.get("merging") == settings), None)
    return (
        Last(settings) if report is None else Last(settings, report.get("sequence", 0), int(report["since"]))
    )


def reported(last: Last) -> dict[str, Any]:
    """What the report of one that ended says, for `last_of`."""
    return last._asdict()


def news_of(reader: StoreReader, user: str, last: Last, kinds: Sequence[str]) -> dict[str, Micros] | None:
    """The records of these kinds that are new since the last one, by id, with when they say that they were recorded;
    `None`: all.

    The sequence of the store tells what was written since, whatever the clock said. What earlier ones compared is
    written again when it stays for others, and when it is undone; it is no news, unless it says something else.
    O(records written since, and what runs changed of them).
    """
    if last.sequence is None:
        return None
    news = reader.learnt_after(user, last.sequence, kinds)
    older = [id_ for id_, recorded in news.items() if recorded < last.since]
    changes = reader.runs.changes_of(user, older)
    if changes:
        ids = dict.fromkeys(run for run, _ in changes)
        runs = [run for id_ in ids for run in reader.runs.runs(user=user, id=id_)]
        compared = {run.id for run in runs if "merging" in run.report or run.state == "undone"}
        left = [change for run, change in changes if run in compared and change.before is not None]
        del changes
        # Piece by piece they are let go of, too: thousands at once would keep the interpreter for milliseconds.
        while left:
            piece = left[-_AT_ONCE:]
            del left[-_AT_ONCE:]
            stored = reader.fetch(user, [change.record for change in piece])
            sleep(0)
            for change in piece:
                if change.record in stored and _says(stored[change.record], change, user):
                    news.pop(change.record, None)
    return news


def _says(record: Record, change: RunChange, user: str) -> bool:
    before = read_before(change, user).record
    return (before.text, before.recorded_at) == (record.text, record.recorded_at)


@lru_cache(maxsize=8)
def as_json(merging: Merging) -> Mapping[str, Any]:  # asked twice for each user of a consolidation
    """Settings as JSON gives them back; not to be changed."""
    settings = {**asdict(merging), "within": merging.within.total_seconds()}
    loaded: dict[str, Any] = json.loads(json.dumps(settings))
    return loaded
