"""`ingest_turns`: what stays and what the report says when the work ends early, and turns without a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memspan import Memory
from memspan.errors import FormatError
from memspan.formats import Turn
from memspan.ingestion import IngestReport, ingest_turns

AT = datetime(2020, 1, 1, tzinfo=timezone.utc)


def test_time_passes_before_the_first_commit(tmp_path: Path) -> None:
    def turns() -> Iterator[Turn]:
        yield Turn(user="ana", text="tea", position=0)
        raise KeyboardInterrupt

    report = IngestReport()
    with Memory(tmp_path / "m", "hash") as memory, pytest.raises(KeyboardInterrupt):
        ingest_turns(memory, turns(), report)
    assert report.total == 0
    assert report.seconds > 0


@pytest.mark.parametrize("batch", [1, 256])
def test_a_turn_without_a_time_does_not_follow_another_of_its_batch(tmp_path: Path, batch: int) -> None:
    began = datetime.now(timezone.utc)
    turns = [
        Turn(user="ana", id="old", text="tea", at=AT, session="a", position="f:1"),
        Turn(user="ana", id="new", text="coffee", session="b", position="f:2"),
    ]
    with Memory(tmp_path / "m", "hash") as memory:
        ingest_turns(memory, turns, IngestReport(), batch=batch)
        old, new = memory.get(user="ana", id="old"), memory.get(user="ana", id="new")
    assert old is not None
    assert old.at == AT
    assert new is not None
    assert new.at >= began - timedelta(seconds=1)


def test_what_a_memory_refuses_costs_no_other_turn(tmp_path: Path) -> None:
    turns = [
        Turn(user="ana", id="a", text="tea", at=AT, position="f:1"),
        Turn(user="ana", id="b", text="milk", position="f:2"),
        Turn(user="ana", id="c", text="big", at=AT, metadata={"n": 1 << 64}, position="f:3"),
        Turn(user="ana", id="d", text="after", at=AT, position="f:4"),
    ]
    report = IngestReport()
    with Memory(tmp_path / "m", "hash") as memory:
        with pytest.raises(FormatError, match=r"^f:3: .*'n'.*18446744073709551616"):
            ingest_turns(memory, turns, report)
        kept = {record.id for record in memory.latest(user="ana", k=10)}
    assert kept == {"a", "b"}
    assert report.turns == {"ana": 2}
