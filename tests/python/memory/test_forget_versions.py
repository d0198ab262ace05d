"""An older version that is forgotten alone takes with it all that holds what its record said then, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from memspan.lifecycle.quotas import Quotas
from memspan.memory import Memory
from memspan.store.runs import RunChange

SECRET = "wolfsbane"
Open = Callable[..., Memory]
ONE_OF_EACH = Quotas(capacity=3, shares={"episodic": 0.34, "semantic": 0.33, "procedural": 0.33})
TWO_OF_EACH = Quotas(
    capacity=6, shares={"episodic": 0.34, "semantic": 0.33, "procedural": 0.33}, eviction="oldest"
)


def files_with(folder: Path, word: str) -> list[str]:
    found = (file for file in folder.rglob("*") if file.is_file())
    return [file.name for file in found if word.encode() in file.read_bytes()]


def version_of(memory: Memory, id_: str) -> str:
    history = memory.history(user="ana", id=id_)
    assert history is not None
    return history.versions[0].record.id


def test_what_a_run_could_undo_goes_with_the_version_that_said_it(path: Path, memory: Memory) -> None:
    memory.add(
        [{"id": "m1", "text": f"It is {SECRET}"}, {"id": "m2", "text": "a rose"}], user="ana", session="s1"
    )
    memory.retire(user="ana", ids=["m1", "m2"])
    (run,) = memory.runs("ana")
    memory.add([{"id": "m1", "text": "It is a lily"}], user="ana")
    memory.retire(user="ana", ids=["m1"])
    assert memory.forget(user="ana", session="s1", between=(None, None), kinds=["episodic"]) == 2
    assert memory.get(user="ana", id="m1") is not None
    assert files_with(path.parent, SECRET) == []
    assert memory.undo(memory.runs("ana")[0].id).restored == 1, "of the wording that stays"
    assert memory.undo(run.id).restored == 0
    assert memory.verify() == []


def test_what_a_run_could_undo_of_other_wordings_stays(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "first"}], user="ana")
    memory.add([{"id": "m1", "text": "second"}], user="ana")
    memory.retire(user="ana", ids=["m1"])
    assert memory.forget(user="ana", id=version_of(memory, "m1")) == 1
    assert memory.undo(memory.runs("ana")[0].id).restored == 1
    assert [record.text for record in memory.latest("ana")] == ["second"]


def test_what_was_made_of_a_version_is_not_kept_for_undoing(path: Path, memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "a rose"}], user="ana")
    made = {"type": "record", "id": "gone", "at": "2024-01-01", "sources": ["m1"], "kind": "semantic"}
    then = memory.get(user="ana", id="m1")
    memory.add([{"id": "m1", "text": "a lily"}], user="ana")
    now = memory.get(user="ana", id="m1")
    assert then is not None
    assert then.recorded_at is not None
    assert now is not None
    assert now.recorded_at is not None
    lines = [
        {**made, "text": f"of {SECRET}", "recorded_at": then.recorded_at.isoformat()},
        {**made, "text": "of the lily", "recorded_at": "2999-01-01T00:00:00+00:00"},
    ]
    with memory._engine.store.writing() as writer:
        writer.runs.begin("ana", "run", "consolidate", 1)
        writer.runs.note("run", [RunChange("gone", json.dumps(line), None, None) for line in lines])
        writer.runs.end("run", "{}", 2)
    assert memory.forget(user="ana", id=version_of(memory, "m1")) == 1
    assert files_with(path.parent, SECRET) == []
    with memory._engine.store.reading() as reader:
        assert ["of the lily" in (each.before or "") for each in reader.runs.changes("run")] == [True]


def test_one_in_the_cold_tier_takes_only_what_was_made_of_it(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "a rose"}], user="ana")
    memory.add([{"id": "m1", "text": "a lily"}], user="ana")
    memory.add([{"id": "fact", "text": "lilies", "kind": "semantic", "sources": ["m1"]}], user="ana")
    memory.pin(user="ana", ids=["m1"])
    memory.set_quotas(ONE_OF_EACH, user="ana")
    version = version_of(memory, "m1")
    assert [one.id for one in memory.evicted("ana")] == [version]
    assert memory.forget(user="ana", id=version) == 1
    assert {record.id for record in memory.latest("ana")} == {"m1", "fact"}


def test_what_was_made_of_it_goes_from_the_cold_tier_too(path: Path, memory: Memory) -> None:
    memory.add([{"id": "m1", "text": f"It is {SECRET}"}], user="ana")
    fact = {"id": "fact", "text": f"of {SECRET}", "kind": "semantic", "sources": ["m1"], "at": "2020-01-01"}
    memory.add([fact], user="ana")
    memory.add([{"id": "m1", "text": "It is a lily"}], user="ana")
    memory.add([{"id": f"n{n}", "text": f"harmless {n}", "kind": "semantic"} for n in range(2)], user="ana")
    memory.set_quotas(TWO_OF_EACH, user="ana")
    assert [one.id for one in memory.evicted("ana")] == ["fact"]
    assert memory.forget(user="ana", id=version_of(memory, "m1")) == 2
    assert memory.evicted("ana") == []
    assert files_with(path.parent, SECRET) == []


def test_where_it_pointed_to_goes_with_it(path: Path, memory: Memory) -> None:
    folder = path.parent / "files"
    folder.mkdir()
    for name in (SECRET, "harmless"):
        (folder / name).write_text("text")
        memory.add_resource(folder / name, user="ana", id=name[:1])
    memory.add_resource(folder / "harmless", user="ana", id="h", description="pointed to again")
    memory.add([{"id": "w", "text": "no resource any more"}], user="ana")
    source = (folder / SECRET).as_uri()
    assert memory.forget(user="ana", source=source) == 1
    assert memory.forget(user="ana", id=version_of(memory, "h")) == 1
    (folder / SECRET).unlink()
    assert files_with(path.parent, SECRET) == []
    assert [each.id for each in memory.resources("ana")] == ["h"]
