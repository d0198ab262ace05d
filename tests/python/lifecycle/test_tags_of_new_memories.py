"""Which tags a memory has that takes the place of others, and which of them count as made."""

from __future__ import annotations

from pathlib import Path

from memspan import HashEmbedder, Memory, Record
from memspan.lifecycle.sleep.applying import apply_changes
from memspan.lifecycle.sleep.changes import Change
from memspan.remember.tagging.made_tags import write_made_tags
from memspan.times import from_micros


def fact(id: str, text: str, tag: str) -> Record:
    at = from_micros(1_700_000_000_000_000)
    return Record(id=id, user="ana", text=text, at=at, recorded_at=at, kind="semantic", tags=(tag,))


def test_given_tags_stay_given_and_made_ones_made(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=16)) as memory:
        memory.add_records([fact("a", "green tea", "drink"), fact("b", "green tea now", "hot")])
        with memory._engine.changing() as change:
            write_made_tags(change, "ana", {"a": ("hot", "tea"), "b": ("leaf",)})
        a, b = (memory.get(user="ana", id=id_) for id_ in "ab")
        assert a is not None
        assert b is not None
        (made,) = apply_changes(
            memory._engine, [Change(action="merge", ending=(a, b), text="green tea, hot")]
        ).made
        new = memory.get(user="ana", id=made)
        assert new is not None
        assert new.tags == ("drink", "hot", "tea", "leaf")
        with memory._engine.store.reading() as reader:
            assert reader.made_tags("ana")[made] == ("tea", "leaf")
        memory.untag("ana")
        new = memory.get(user="ana", id=made)
        assert new is not None
        assert new.tags == ("drink", "hot")
