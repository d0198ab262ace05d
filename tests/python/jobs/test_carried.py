"""What jobs were shown and made goes along in exports, so that `forget` finds it wherever it is loaded."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import Custom, ScriptedModel, derived, recipe_of, repeat_all

from memspan import FormatError, Memory, Quotas

SECRET = "Wolfsbane"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        yield memory


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "other").mkdir()
    with opened(tmp_path / "other" / "b") as memory:
        yield memory


def opened(path: Path) -> Memory:
    recipe = recipe_of(Custom(do=repeat_all), history=1)
    return Memory(path, "hash:32", recipe=recipe, llm=ScriptedModel(), auto_consolidate=False)


def exported(memory: Memory, user: str | None = None, **options: Any) -> str:
    output = io.StringIO()
    memory.export(user, output, **options)
    return output.getvalue()


def carry(memory: Memory, other: Memory, **options: Any) -> None:
    other.load(io.StringIO(exported(memory, **options)))
    assert other.verify() == []


def heard(memory: Memory, user: str = "ana") -> list[str]:
    return [record.text for record in derived(memory, user)]


def leaks(path: Path) -> list[str]:
    return [file.name for file in path.parent.iterdir() if SECRET.encode() in file.read_bytes()]


def shown_both(memory: Memory) -> None:
    """One job is shown both turns."""
    memory.add([{"id": "m1", "text": SECRET}, {"id": "m2", "text": "tea"}], user="ana", session="s")
    memory.process()
    assert heard(memory) == [f"heard {SECRET} tea"]
    assert derived(memory)[0].sources == ("m2",)


@pytest.mark.parametrize("records_only", [False, True])
def test_what_names_other_sources_is_forgotten_where_it_was_loaded(
    memory: Memory, other: Memory, tmp_path: Path, records_only: bool
) -> None:
    shown_both(memory)
    carry(memory, other, records_only=records_only)
    assert other.forget(user="ana", id="m1") == 2
    assert heard(other) == []
    assert other.verify() == []
    assert leaks(tmp_path / "other" / "b") == []
    assert other.process().done == 1
    assert heard(other) == ["heard tea"]


def test_what_a_later_job_was_shown(memory: Memory, other: Memory) -> None:
    memory.add({"id": "m1", "text": SECRET}, user="ana", session="s")
    memory.process()
    memory.add({"id": "m2", "text": "tea"}, user="ana", session="s")
    memory.process()
    assert heard(memory) == [f"heard {SECRET}", f"heard {SECRET} tea"]
    carry(memory, other)
    assert other.forget(user="ana", id="m1") == 3
    assert heard(other) == []


def test_what_lies_in_the_cold_tier(memory: Memory, other: Memory, tmp_path: Path) -> None:
    shown_both(memory)
    memory.set_quotas(Quotas(capacity=3, eviction="oldest"), user="ana")
    assert [one.id for one in memory.evicted(user="ana")] == ["m1"]
    carry(memory, other)
    assert other.forget(user="ana", id="m1") == 2
    assert leaks(tmp_path / "other" / "b") == []


def test_a_turn_that_is_corrected_there_is_read_again(memory: Memory, other: Memory) -> None:
    shown_both(memory)
    carry(memory, other)
    other.add({"id": "m1", "text": "coffee"}, user="ana", session="s")
    assert other.process().done == 1
    assert heard(other) == ["heard coffee tea"]


def test_what_was_corrected_and_not_read_again_yet_is_read_there(memory: Memory, other: Memory) -> None:
    shown_both(memory)
    memory.add({"id": "m1", "text": "coffee"}, user="ana", session="s")
    carry(memory, other)
    assert [job.state for job in other.jobs()] == ["pending"]
    assert other.process().done == 1
    assert heard(other) == ["heard coffee tea"]


def test_turns_that_were_read_need_not_be_read_again(memory: Memory, other: Memory) -> None:
    shown_both(memory)
    memory.add({"id": "m3", "text": "later"}, user="ana", session="s")
    carry(memory, other)
    (job,) = other.jobs()
    assert (job.id, job.state, job.turns, job.records) == (memory.jobs()[0].id, "done", 2, 1)
    assert other.enqueue() == 1
    other.process()
    assert heard(other) == [f"heard {SECRET} tea", "heard tea later"]


def test_loading_again_changes_nothing(memory: Memory, other: Memory) -> None:
    shown_both(memory)
    before = memory.jobs()
    for _ in range(2):
        carry(memory, other)
        carry(other, memory)
    assert memory.jobs() == before
    assert sorted(exported(memory).splitlines()) == sorted(exported(other).splitlines())


def test_what_was_forgotten_and_came_back_is_forgotten_again(memory: Memory, path: Path) -> None:
    shown_both(memory)
    file = exported(memory)
    memory.forget(user="ana", id="m1")
    memory.process()
    memory.load(io.StringIO(file))
    assert heard(memory) == [f"heard {SECRET} tea"]
    memory.forget(user="ana", id="m1")
    assert leaks(path) == []
    assert memory.process().done == 1
    assert heard(memory) == ["heard tea"]
    assert memory.verify() == []


def test_a_copy_of_a_user_in_the_same_store(memory: Memory) -> None:
    shown_both(memory)
    file = exported(memory).replace('"user": "ana"', '"user": "ben"')
    for _ in range(2):
        memory.load(io.StringIO(file))
    assert len(memory.jobs("ben")) == 1
    assert memory.forget(user="ben", id="m1") == 2
    assert heard(memory, "ben") == []
    assert heard(memory) == [f"heard {SECRET} tea"]
    assert memory.verify() == []


def test_what_the_file_leaves_out_is_not_named(memory: Memory, other: Memory) -> None:
    shown_both(memory)
    lines = exported(memory).splitlines(keepends=True)
    other.load(io.StringIO("".join(line for line in lines if '"id": "m1"' not in line)))
    assert other.verify() == []
    assert [job.turns for job in other.jobs()] == [1]
    assert '"m1"' not in exported(other)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user", ""),
        ("id", None),
        ("recipe", 3),
        ("session", []),
        ("done", 1),
        ("turns", "m1"),
        ("made", [""]),
    ],
)
def test_broken_lines(memory: Memory, other: Memory, field: str, value: Any) -> None:
    shown_both(memory)
    *lines, job, end = exported(memory).splitlines()
    broken = json.dumps({**json.loads(job), field: value})
    with pytest.raises(FormatError, match=f":5: {field}"):
        other.load(io.StringIO("\n".join([*lines, broken, end])))
    assert len(heard(other)) == 1
    assert other.verify() == []
