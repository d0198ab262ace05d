"""Integers that are seconds or milliseconds since 1970 are refused where memories are told or asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import numpy as np
import pytest

from memspan.errors import TimeError
from memspan.memory import Memory
from memspan.records import Record

SECONDS, MILLISECONDS, MICROSECONDS = 1_717_000_000, 1_717_000_000_000, 1_717_000_000_000_000


def _record(at: Any, **more: Any) -> Record:
    return Record(id="r", user="ana", text="I moved to Porto.", at=at, **more)


CALLS: dict[str, Callable[[Memory, Any], Any]] = {
    "at": lambda memory, at: memory.add("I moved to Porto.", user="ana", at=at),
    "at of a message": lambda memory, at: memory.add([{"text": "I moved to Porto.", "at": at}], user="ana"),
    "at of a session": lambda memory, at: memory.add([{"messages": ["Hello."], "at": at}], user="ana"),
    "at of a record": lambda memory, at: memory.add_records([_record(at)]),
    "end of a record": lambda memory, end: memory.add_records([_record(0, expires_at=end)]),
    "retirement of a record": lambda memory, end: memory.add_records([_record(0, retired_at=end)]),
    "learning of a record": lambda memory, then: memory.add_records([_record(0, recorded_at=then)]),
    "now": lambda memory, now: memory.search("Where do I live?", user="ana", now=now),
    "between": lambda memory, start: memory.search("Where?", user="ana", between=(start, None)),
    "between of several": lambda memory, start: memory.search("Where?", user="ana", between=[(start, None)]),
    "as_of": lambda memory, then: memory.search("Where do I live?", user="ana", as_of=then),
    "valid_at": lambda memory, then: memory.search("Where do I live?", user="ana", valid_at=then),
    "before": lambda memory, before: memory.compress("ana", before=before),
    "since": lambda memory, since: memory.audit(since=since),
    "between of latest": lambda memory, end: memory.latest("ana", between=(None, end)),
    "between of what to forget": lambda memory, end: memory.forget(user="ana", between=(None, end)),
    "between of a context": lambda memory, end: memory.context("Where?", user="ana", between=(None, end)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_seconds_and_milliseconds_are_refused(memory: Memory, call: Callable[[Memory, Any], Any]) -> None:
    for number, unit, factor in (
        (SECONDS, "seconds", "1,000,000"),
        (np.int64(SECONDS), "seconds", "1,000,000"),
        (MILLISECONDS, "milliseconds", "1,000"),
    ):
        with pytest.raises(TimeError, match=f"reads as {unit}: multiply by {factor}, "):
            call(memory, number)
    assert not memory.users()


def test_a_record_does_not_end_in_1970_for_them(memory: Memory) -> None:
    memory.add({"id": "r", "text": "I moved to Porto."}, user="ana")
    with pytest.raises(TimeError, match="reads as seconds"):
        memory.retire(user="ana", ids=["r"], at=SECONDS)
    with pytest.raises(TimeError, match="reads as milliseconds"):
        memory.supersede(user="ana", id="r", text="I moved to Lund.", at=MILLISECONDS)
    assert memory.search("Where do I live?", user="ana")[0].id == "r"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_microseconds_and_other_times_are_not(memory: Memory, call: Callable[[Memory, Any], Any]) -> None:
    for time in (MICROSECONDS, np.int64(MICROSECONDS), 0, "1970-01-01T00:30", datetime.now(timezone.utc)):
        call(memory, time)
