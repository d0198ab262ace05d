"""Made tags of a real conversation, where it is: in $MEMSPAN_DATA, or in ../shared/data beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memspan import Memory
from memspan.formats import read_turns
from memspan.ingestion import IngestReport, ingest_turns

DATA = Path(os.environ.get("MEMSPAN_DATA") or Path(__file__).parents[4] / "shared" / "data")
USER = "conv-26"


def test_tags_of_a_conversation_are_a_hierarchy_that_tells_records_apart(tmp_path: Path) -> None:
    file = DATA / "locomo" / "locomo5.json"
    if not file.is_file():
        pytest.skip(f"no locomo/locomo5.json in '{DATA}'; set MEMSPAN_DATA to the folder with the data sets")
    turns = [turn for turn in read_turns(file) if turn.user == USER]
    with Memory(tmp_path / "m.memspan", "hash") as memory:
        ingest_turns(memory, turns, IngestReport())
        report = memory.tag(USER)
        tags = {tag.name: tag for tag in memory.tags(user=USER)}
    assert report.records == len(turns)
    # Each record that changed got tags, as there were none before.
    assert report.changed > len(turns) / 2
    assert len(tags) == report.tags
    assert max(tag.records for tag in tags.values()) <= len(turns) / 2
    assert max(tag.specificity for tag in tags.values()) >= 2
    # Specificity is the longest path from a root: where it grows along every edge, there is no cycle.
    assert all(tags[above].specificity < tag.specificity for tag in tags.values() for above in tag.parents)
    assert sum(len(tag.parents) for tag in tags.values()) == report.relations
