"""Made tags and relations go with the last words that they came from, from every file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tagged_talk import talk

from memspan import Quotas
from memspan.memory import Memory

Open = Callable[..., Memory]


@pytest.fixture
def talked(memory: Memory) -> Memory:
    memory.add(talk(), user="ana", at="2024-01-01")
    return memory


def test_forgetting_erases_made_tags(open_memory: Open, path: Path) -> None:
    memory = open_memory()
    memory.add(talk(), user="ana", at="2024-01-01")
    memory.add("Something else", user="ben")
    memory.tag()
    assert "kiln" in {tag.name for tag in memory.tags(user="ana")}

    def bytes_of_all_files() -> bytes:
        return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())

    assert b"kiln" in bytes_of_all_files()
    for id_ in ("m1", "m4"):
        memory.forget(user="ana", id=id_)
    assert "kiln" not in {tag.name for tag in memory.tags(user="ana")}
    assert b"kiln" not in bytes_of_all_files()
    assert b"harbour" in bytes_of_all_files()
    memory.forget(user="ana")
    assert b"harbour" not in bytes_of_all_files()
    memory.close()
    assert b"harbour" not in bytes_of_all_files()


@pytest.mark.parametrize("how", ["overwritten", "evicted"])
def test_forgetting_erases_made_relations_of_what_is_not_in_memory_any_more(
    talked: Memory, path: Path, how: str
) -> None:
    def mentioned() -> bool:
        return any(b"pottery_class" in file.read_bytes() for file in path.parent.iterdir())

    talked.tag("ana")
    with talked._engine.store.reading() as reader:
        assert "pottery_class" in {relation.child for relation in reader.made_relations("ana")}
    gone = ["m0", "m1"]
    if how == "overwritten":
        talked.add([{"id": id_, "text": "nothing"} for id_ in gone], user="ana", at="2024-01-01")
    else:
        talked.pin(user="ana", ids=[f"m{i}" for i in range(2, 6)])
        talked.set_quotas(Quotas(capacity=10), user="ana")
        assert {one.id for one in talked.evicted("ana")} == set(gone)
    assert mentioned()
    talked.forget(user="ana", id=gone)
    assert not mentioned()
    assert "pottery" in {tag.name for tag in talked.tags("ana")}
    assert talked.verify() == []


def test_undoing_erases_made_relations_of_what_it_removes(talked: Memory, path: Path) -> None:
    talked.supersede(user="ana", id="m0", text="I joined the pottery guild near the harbour")
    talked.supersede(user="ana", id="m1", text="The pottery guild has a kiln")
    talked.relate(user="ana", parent="crafts", child="arts")
    talked.tag("ana")

    def mentioned() -> bool:
        return any(b"guild" in file.read_bytes() for file in path.parent.iterdir())

    with talked._engine.store.reading() as reader:
        assert "pottery_guild" in {relation.child for relation in reader.made_relations("ana")}
    relations = talked.stats("ana")["relations"]
    assert mentioned()
    for run in talked.runs("ana"):
        talked.undo(run.id)
    assert 0 < talked.stats("ana")["relations"] < relations
    assert not mentioned()
    assert "crafts" in {tag.name for tag in talked.tags("ana")}
    assert talked.verify() == []


def test_forgetting_leaves_relations_of_what_may_be_restored(talked: Memory) -> None:
    talked.add(talk("n", tags=["clay"]), user="ana", at="2023-01-01")
    talked.relate(user="ana", parent="crafts", child="clay")
    talked.set_quotas(Quotas(capacity=10), user="ana")
    away = [one.id for one in talked.evicted("ana") if "clay" in one.record.tags]
    assert len(away) == 6
    talked.forget(user="ana", id=away[0])
    talked.set_quotas(None, user="ana")
    talked.restore(user="ana", ids=away)
    assert {tag.name: tag.children for tag in talked.tags("ana")}["crafts"] == ("clay",)
    talked.set_quotas(Quotas(capacity=10), user="ana")
    talked.forget(user="ana", id=away)
    assert talked.stats("ana")["relations"] == 0
