"""Legal holds: nothing that is held goes, by whatever way."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.records import Record
from memspan.remember.endings import holding, pinning
from memspan.times import from_micros

AT = from_micros(1_700_000_000_000_000)
Open = Callable[..., Memory]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add_records(
        [
            Record(id="turn", user="ana", text="turn", at=AT, session="s", tags=("t",)),
            Record(id="fact", user="ana", text="fact", at=AT, sources=("turn",)),
            Record(id="turn@5", user="ana", text="was", at=AT, metadata={"version_of": "turn"}),
            Record(id="other", user="ana", text="other", at=AT),
            Record(id="turn", user="ben", text="turn of ben", at=AT),
        ]
    )
    return memory


def held(memory: Memory) -> set[str]:
    with memory._engine.store.reading() as reader:
        return {each.id for each in reader.fetch("ana", reader.ids("ana")).values() if each.held}


def test_what_is_held_cannot_be_forgotten(filled: Memory) -> None:
    assert filled.hold(user="ana", id="turn") == 2
    assert held(filled) == {"turn", "turn@5"}, "older versions are held with it"
    for selectors in (
        {"id": "turn"},
        {"session": "s"},
        {"id": ["other", "turn"]},
        {"kinds": ["episodic"]},
        {},
    ):
        with pytest.raises(errors.HeldError, match="are held; nothing was erased") as caught:
            filled.forget(user="ana", **selectors)  # type: ignore[arg-type]
        assert caught.value.held == 2
    assert {each.id for each in filled.latest(user="ana")} >= {"turn", "fact", "other"}
    assert filled.forget(user="ana", id="fact") == 1, "what was derived is not held"
    assert filled.forget(user="ben") == 1
    assert filled.verify() == []
    assert filled.release(user="ana", id="turn") == 2
    assert filled.forget(user="ana", session="s") == 2
    assert filled.verify() == []


def test_what_would_go_with_it_is_not_lost_either(filled: Memory) -> None:
    filled.hold(user="ana", id="fact")
    with pytest.raises(errors.HeldError, match="1 of the 3 records"):
        filled.forget(user="ana", id="turn")
    assert filled.get(user="ana", id="turn") is not None
    with pytest.raises(errors.HeldError, match="1 of the 4 records"):
        filled.forget(user="ana")


def test_a_hold_lasts(filled: Memory, open_memory: Open) -> None:
    assert filled.hold(user="ana", session="s") == 2
    assert filled.hold(user="ana", session="s") == 0, "it is held already"
    filled.add([{"id": "turn", "text": "says something else", "at": AT}], user="ana")
    assert "turn" in held(filled), "also when it is written anew"
    filled.add("added later", user="ana")
    filled.tag("ana")
    filled.close()
    memory = open_memory()
    assert {"turn", "turn@5"} <= held(memory)
    record = memory.get(user="ana", id="turn")
    assert record is not None
    assert record.held
    with pytest.raises(errors.HeldError):
        memory.forget(user="ana", id="turn")


def test_everything_is_held_that_is_there(filled: Memory) -> None:
    assert filled.hold(user="ana") == 4
    filled.add([{"id": "new", "text": "new"}], user="ana")
    assert filled.forget(user="ana", id="new") == 1
    assert filled.release(user="ana") == 4
    assert filled.release(user="ana") == 0
    assert filled.hold(user="nobody") == 0
    assert filled.verify() == []


def test_tags_and_vectors_stay(filled: Memory) -> None:
    before = filled.get(user="ana", id="turn")
    filled.hold(user="ana", id="turn")
    after = filled.get(user="ana", id="turn")
    assert before is not None
    assert after is not None
    assert (before.tags, before.text, before.recorded_at) == (after.tags, after.text, after.recorded_at)
    assert before.embedding is not None
    assert after.embedding is not None
    assert before.embedding.tolist() == after.embedding.tolist()


def test_other_handles_see_it(filled: Memory, open_memory: Open) -> None:
    other = open_memory()
    assert other.get(user="ana", id="turn") is not None
    filled.hold(user="ana", id="turn")
    with pytest.raises(errors.HeldError):
        other.forget(user="ana", id="turn")
    assert filled.verify() == other.verify() == []


def test_the_bound_and_the_asynchronous_forms(filled: Memory) -> None:
    ana = filled.user("ana")
    assert asyncio.run(ana.ahold(id="turn")) == 2
    assert ana.release(kinds=["episodic"]) == 2
    assert [entry.action for entry in ana.audit()][-2:] == ["hold", "release"]


def test_the_error_pickles() -> None:
    error = pickle.loads(pickle.dumps(errors.HeldError(2, 1000)))
    assert (error.held, error.records) == (2, 1000)
    assert "2 of the 1,000 records" in str(error)


@pytest.mark.parametrize("call", ["hold", "pin"])
def test_others_write_between_slices_and_an_interrupted_call_goes_on(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    memory = open_memory()
    ids = memory.add([{"id": f"m{number}", "text": f"turn {number}"} for number in range(600)], user="ana")
    module = holding if call == "hold" else pinning
    enter = module.audited
    entered: list[int] = []

    def stops(*arguments: Any, **details: Any) -> None:
        if entered:
            raise KeyboardInterrupt
        entered.append(len(details["ids"]))
        enter(*arguments, **details)

    def again() -> int:
        return memory.hold(user="ana") if call == "hold" else memory.pin(user="ana", ids=ids)

    with monkeypatch.context() as patch:
        patch.setattr(module, "audited", stops)
        with pytest.raises(KeyboardInterrupt):
            again()
    (first,) = entered
    assert 0 < first < 600
    assert again() == 600 - first
    assert again() == 0
    assert sum(len(entry.records) for entry in memory.audit(action=call)) == 600
    assert memory.verify() == []
    if call == "hold":
        assert memory.release(user="ana") == 600


def test_a_version_of_a_moment_ago_is_held(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text that was to be held is that of a version when the turn of the record comes."""
    memory = open_memory()
    memory.add([{"id": f"m{number:03}", "text": f"turn {number}"} for number in range(300)], user="ana")
    other = open_memory()
    enter = holding.audited
    entered: list[Any] = []

    def then_overwritten(*arguments: Any, **details: Any) -> None:
        enter(*arguments, **details)
        entered.append(details["ids"])

    monkeypatch.setattr(holding, "audited", then_overwritten)
    slice_of = holding._hold

    def beside(*arguments: Any) -> int:
        if len(entered) == 1:
            other.add([{"id": "m299", "text": "something else"}], user="ana")
        return slice_of(*arguments)

    monkeypatch.setattr(holding, "_hold", beside)
    assert memory.hold(user="ana") == 301
    (version,) = (id_ for id_ in held(memory) if "@" in id_)
    with pytest.raises(errors.HeldError):
        memory.forget(user="ana", id=version)


def test_a_release_reads_no_more_than_what_is_held(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100,000 records 23 were held: 4.7 s."""
    monkeypatch.setattr(holding, "_SLICE", 8)
    memory.add([{"id": f"m{n:02}", "text": f"text {n}"} for n in range(40)], user="ana")
    memory.hold(user="ana", id=["m03", "m20"])
    memory.add([{"id": "m20", "text": "other text"}, {"id": "m30", "text": "other text"}], user="ana")
    memory.hold(user="ana", id=[each for each in all_ids(memory) if each.startswith("m30@")])
    asked: list[str] = []
    hold = holding._hold
    monkeypatch.setattr(holding, "_hold", lambda *a: asked.extend(a[2]) or hold(*a))
    assert memory.release(user="ana") == 4
    assert len(asked) <= 5
    assert held(memory) == set()
    memory.hold(user="ana", id=[each for each in all_ids(memory) if each.startswith("m30@")])
    assert memory.release(user="ana", id="m30") == 1, "an older version is released with it"


def all_ids(memory: Memory) -> list[str]:
    with memory._engine.store.reading() as reader:
        return reader.ids("ana")
