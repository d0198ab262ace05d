"""`ingest_turns`: what the report says when the work ends early."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memspan import Memory
from memspan.formats import Turn
from memspan.ingestion import IngestReport, ingest_turns


def test_time_passes_before_the_first_commit(tmp_path: Path) -> None:
    def turns() -> Iterator[Turn]:
        yield Turn(user="ana", text="tea", position=0)
        raise KeyboardInterrupt

    report = IngestReport()
    with Memory(tmp_path / "m", "hash") as memory, pytest.raises(KeyboardInterrupt):
        ingest_turns(memory, turns(), report)
    assert report.total == 0
    assert report.seconds > 0
