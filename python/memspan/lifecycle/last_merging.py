"""Where the last consolidation of a user's memories ended, as its report says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from memspan.store import StoreReader
from memspan.times import Micros

from .duplicates import Merging

__all__ = ["ACTION", "Last", "as_json", "last_of", "reported"]

ACTION: Final = "consolidate"


class Last(NamedTuple):
    """What the next one goes on from."""

    merging: Mapping[str, Any]
    """The settings; with others, all memories are news."""
    since: Micros | None
    """The moment from which on memories are news; `None`: all are."""


def last_of(reader: StoreReader, user: str, merging: Merging) -> Last:
    """The last one with these settings that came to its end, whether it was undone or not."""
    settings = as_json(merging)
    reports = (run.report for run in reader.runs.runs(user=user) if run.action == ACTION)
    report = next((report for report in reports if report.get("merging") == settings), None)
    return Last(settings, None if report is None else int(report["since"]))


def reported(last: Last) -> dict[str, Any]:
    """What the report of one that ended says, for `last_of`."""
    return {"since": last.since, "merging": last.merging}


def as_json(merging: Merging) -> dict[str, Any]:
    """Settings as JSON gives them back."""
    settings = {**asdict(merging), "within": merging.within.total_seconds()}
    loaded: dict[str, Any] = json.loads(json.dumps(settings))
    return loaded
