"""Which jobs `Memory.add` makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_recipe import recipe_of

from memspan import errors
from memspan.memory import Memory
from memspan.records import Record
from memspan.store.sqlite import job_writer
from memspan.times import from_micros

Open = Callable[..., Memory]


def shape(memory: Memory) -> list[tuple[str, str | None, int, str]]:
    return [(job.user, job.session, job.turns, job.state) for job in memory.jobs()]


def test_the_turns_of_a_session_come_together_until_somebody_begins(memory: Memory) -> None:
    memory.add(["a", "b"], user="ana", session="s1")
    memory.add("c", user="ana", session="s2")
    memory.add("d", user="ana", session="s1")
    memory.add("e", user="ana")
    memory.add("f", user="ben", session="s1")
    assert shape(memory) == [
        ("ana", "s1", 3, "pending"),
        ("ana", "s2", 1, "pending"),
        ("ana", None, 1, "pending"),
        ("ben", "s1", 1, "pending"),
    ]
    assert memory.process(user="ana").done == 3
    memory.add(["g", "h"], user="ana", session="s1")
    assert shape(memory)[0] == ("ana", "s1", 3, "done")
    assert shape(memory)[4] == ("ana", "s1", 2, "pending")
    assert [job.user for job in memory.jobs(user="ben")] == ["ben"]
    assert len(memory.jobs(state="done")) == 3
    assert len({job.id for job in memory.jobs()}) == 5


def test_sessions_of_one_call(memory: Memory) -> None:
    memory.add([{"session": "x", "messages": ["a", "b"]}, {"session": "y", "messages": ["c"]}], user="ana")
    assert shape(memory) == [("ana", "x", 2, "pending"), ("ana", "y", 1, "pending")]


def test_no_jobs_without_stages(open_memory: Open) -> None:
    memory = open_memory(recipe="verbatim")
    memory.add(["a", "b"], user="ana")
    assert memory.jobs() == []
    assert memory.process().done == 0


def test_only_turns_are_processed(memory: Memory) -> None:
    memory.add("known already", user="ana", kind="semantic")
    memory.add("secret", user="ana", kind="vault")
    memory.add({"text": "derived", "sources": ["m1"]}, user="ana")
    memory.add_records([Record(id="r", user="ana", text="complete", at=from_micros(0))])
    assert memory.jobs() == []


def test_the_same_message_again_makes_no_job(memory: Memory) -> None:
    message = {"id": "m1", "text": "a", "at": 0}
    memory.add([message], user="ana")
    memory.add([message], user="ana")
    assert shape(memory) == [("ana", None, 1, "pending")]
    memory.process()
    memory.add([message], user="ana")
    assert shape(memory) == [("ana", None, 1, "done")]
    memory.add([{**message, "importance": 0.5}], user="ana")
    assert shape(memory) == [("ana", None, 1, "done")], "what stages see did not change"


def test_long_sessions_are_cut(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_writer, "MOST_TURNS", 4)
    memory.add([f"turn {i}" for i in range(3)], user="ana", session="s")
    memory.add([f"turn {i}" for i in range(3, 10)], user="ana", session="s")
    assert [job.turns for job in memory.jobs()] == [4, 4, 2]
    with memory._engine.store.reading() as reader:
        ids = [id_ for pk in (1, 2, 3) for id_ in reader.jobs.turns(pk)[0]]
        assert [reader.fetch("ana", ids)[id_].text for id_ in ids] == [f"turn {i}" for i in range(10)]


def test_a_failing_add_makes_no_job(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise errors.StoreError("no room")

    monkeypatch.setattr(job_writer.SqliteJobWriter, "enqueue", refuse)
    with pytest.raises(errors.StoreError, match="no room"):
        memory.add("a", user="ana")
    assert memory.users() == []
    assert memory.verify() == []


def test_jobs_keep_their_recipe_and_wait_for_who_knows_it(
    open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory()
    memory.add("a", user="ana")
    memory.close()
    memory = open_memory(recipe=recipe_of(name="other"))
    memory.add("b", user="ana")
    memory.add("c", user="ben")
    assert [(job.recipe, job.turns) for job in memory.jobs()] == [("tiny", 1), ("other", 1), ("other", 1)]
    report = memory.process(jobs_in_flight=1)
    assert (report.done, report.failed, report.parked, report.waiting) == (2, 0, 0, 1)
    assert [record.message for record in caplog.records if "'tiny'" in record.message] == [
        "jobs of recipe 'tiny', which is not known here, are left to others: "
        "Memory(path, recipe=...) opens the memory with it"
    ]
    (waiting,) = memory.jobs(state="pending")
    assert (waiting.recipe, waiting.attempts) == ("tiny", 0)
    memory.close()
    memory = open_memory()
    report = memory.process()
    assert (report.done, report.waiting) == (1, 0)
    assert memory.verify() == []


@pytest.mark.parametrize("recipe", ["unknown", None, 7, ""])
def test_unknown_recipes(path: Path, recipe: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^recipe: got"):
        Memory(path, "hash:32", recipe=recipe)  # type: ignore[arg-type]
    assert not path.exists()


@pytest.mark.parametrize("llm", [7, "", object()])
def test_unusable_models(path: Path, llm: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^llm: got"):
        Memory(path, "hash:32", llm=llm)  # type: ignore[arg-type]
    assert not path.exists()
