"""A legal hold reaches the cold tier: what lies there is not erased either, and comes back held."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from numbered_turns import live, turns

from memspan import Quotas, errors
from memspan.memory import Memory
from memspan.records import Record
from memspan.times import from_micros

AT = from_micros(1_700_000_000_000_000)
OLDEST = Quotas(capacity=10, eviction="oldest")
Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """m0 to m5 are in the cold tier, m6 to m9 in memory."""
    opened = open_memory(quotas=OLDEST)
    opened.add(turns(*range(10), session="s"), user="ana")
    return opened


def cold(memory: Memory) -> dict[str, bool]:
    """What lies in the cold tier, and whether it is held."""
    return {each.id: each.record.held for each in memory.evicted(user="ana")}


def test_everything_is_held_and_released(memory: Memory) -> None:
    assert memory.hold(user="ana", id="m0") == 1
    assert memory.hold(user="ana") == 9
    assert memory.hold(user="ana", session="s") == 0
    assert cold(memory) == {f"m{i}": True for i in range(6)}
    assert memory.stats("ana")["held"] == 10 == memory.stats()["held"]
    for selectors in ({"id": "m0"}, {"id": ["m0", "m1"]}, {"session": "s"}, {"kinds": ["episodic"]}, {}):
        with pytest.raises(errors.HeldError, match="held; nothing was erased"):
            memory.forget(user="ana", **selectors)  # type: ignore[arg-type]
    assert len(cold(memory)) == 6
    assert memory.release(user="ana", id=["m0", "m9"]) == 2
    assert memory.forget(user="ana", id="m0") == 1
    with pytest.raises(errors.HeldError, match="8 of the 9 records"):
        memory.forget(user="ana")
    assert memory.release(user="ana") == 8
    assert memory.stats("ana")["held"] == 0
    assert not any(cold(memory).values())
    assert memory.forget(user="ana") == 9
    assert memory.verify() == []


def test_a_hold_lasts_through_times_to_live(memory: Memory) -> None:
    memory.add(turns(*range(20, 30), session="t"), user="ana", ttl=0.2)
    assert memory.hold(user="ana", session="t") == 10
    time.sleep(0.25)
    memory.consolidate("ana")
    assert set(cold(memory)) >= {f"m{i}" for i in range(20, 26)}
    memory.release(user="ana", session="t")
    memory.consolidate("ana")
    assert set(cold(memory)) == {f"m{i}" for i in range(10)}
    assert live(memory) == set()


def test_it_comes_back_held(memory: Memory) -> None:
    memory.hold(user="ana", id=["m0", "m1"])
    assert memory.restore(user="ana", ids=["m0"]) == ["m0"]
    memory.add(turns(1, session="s"), user="ana")
    memory.add(turns(10, 11, 12), user="ana")
    assert {"m0", "m1"} <= live(memory), "and is not evicted again"
    for id_ in ("m0", "m1"):
        with pytest.raises(errors.HeldError):
            memory.forget(user="ana", id=id_)
    assert memory.verify() == []


def test_other_words_leave_a_held_version(memory: Memory) -> None:
    memory.hold(user="ana", id="m0")
    memory.set_quotas(None)
    memory.add([{"id": "m0", "text": "other words"}], user="ana")
    history = memory.history(user="ana", id="m0")
    assert history is not None
    assert [(each.record.text, each.record.held) for each in history.versions] == [
        ("turn number 0", True),
        ("other words", True),
    ]


def test_words_that_no_version_could_keep_stay(memory: Memory) -> None:
    long = "x" * 510
    memory.add(
        [{"id": "secret", "text": "a label", "kind": "vault"}, {"id": long, "text": "long"}], user="ana"
    )
    memory.hold(user="ana", id=["secret", long])
    for id_, kind in (("secret", "vault"), (long, "episodic")):
        with pytest.raises(errors.HeldError, match="to overwrite"):
            memory.add([{"id": id_, "text": "other words", "kind": kind}], user="ana")
    assert memory.get(user="ana", id="secret").text == "a label"  # type: ignore[union-attr]


def test_what_a_run_made_and_is_held_is_not_undone(memory: Memory) -> None:
    memory.add([{"id": "f", "text": "a fact", "kind": "semantic"}], user="ana")
    new = memory.supersede(user="ana", id="f", text="another fact")
    (run,) = memory.runs("ana")
    memory.add([{"text": f"fact {i}", "kind": "semantic"} for i in range(6)], user="ana")
    assert new in cold(memory)
    memory.hold(user="ana", id=new)
    with pytest.raises(errors.UndoError, match="held"):
        memory.undo(run.id)
    memory.undo(run.id, leave_changed=True)
    assert cold(memory)[new]


def test_exports_take_holds_along_and_do_not_replace_what_is_held(
    memory: Memory, open_memory: Open, path: Path
) -> None:
    before = io.StringIO()
    memory.export("ana", before)
    memory.hold(user="ana", id=["m0", "m9"])
    held = io.StringIO()
    memory.export("ana", held)
    other = open_memory(path.with_name("other"), quotas=OLDEST)
    other.load(io.StringIO(held.getvalue()))
    assert cold(other)["m0"]
    other.load(io.StringIO(before.getvalue().replace("turn number 0", "something else")))
    assert cold(other)["m0"]
    (m0,) = [each.record for each in other.evicted(user="ana") if each.id == "m0"]
    assert m0.text == "turn number 0"


def test_versions_in_the_cold_tier_are_held_with_their_record(memory: Memory) -> None:
    memory.add([{"id": "m9", "text": "other words"}], user="ana")
    memory.add(turns(10, 11, 12), user="ana")
    version = next(id_ for id_ in cold(memory) if "@" in id_)
    assert memory.hold(user="ana", id="m9") == 2
    assert cold(memory)[version]
    with pytest.raises(errors.HeldError):
        memory.forget(user="ana", id=version)
    assert memory.release(user="ana", id="m9") == 2


def test_what_is_held_is_neither_retired_nor_superseded(open_memory: Open) -> None:
    memory = open_memory()
    memory.add_records(
        [Record(id=id_, user="ana", text=id_, at=AT, kind="semantic") for id_ in ("a", "b", "c")]
    )
    memory.hold(user="ana", id="a")
    with pytest.raises(errors.HeldError, match="1 of the 2 records to retire is held; nothing was changed"):
        memory.retire(user="ana", ids=["a", "b"])
    with pytest.raises(errors.HeldError, match="to supersede is held"):
        memory.supersede(user="ana", id="a", text="another")
    with pytest.raises(errors.HeldError, match="to supersede is held"):
        memory.supersede(user="ana", id="a", by="b")
    assert {each.id for each in memory.latest(user="ana")} == {"a", "b", "c"}
    assert memory.runs("ana") == []
    memory.supersede(user="ana", id="c", by="a")
    assert memory.retire(user="ana", ids=["b"]) == 1
    memory.release(user="ana")
    assert memory.retire(user="ana", ids=["a", "b"]) == 1


def test_a_record_that_says_that_it_has_ended_does_not_end_what_is_held(
    open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory, other = open_memory(), open_memory(path.with_name("other"))
    memory.add([{"id": id_, "text": f"the fact {id_}"} for id_ in ("a", "b")], user="ana")
    file = io.StringIO()
    memory.export("ana", file)
    other.load(io.StringIO(file.getvalue()))
    other.hold(user="ana", id="a")
    memory.retire(user="ana", ids=["a", "b"])
    ended = memory.get(user="ana", id="a")
    assert ended is not None
    with pytest.raises(errors.HeldError, match="to retire is held; nothing was changed"):
        other.add_records([ended])
    file = io.StringIO()
    memory.export("ana", file)
    assert other.load(io.StringIO(file.getvalue())) == 2
    assert "record 'a' of user 'ana' (retire) is left out: it is held here" in caplog.text
    kept, gone = other.get(user="ana", id="a"), other.get(user="ana", id="b")
    assert kept is not None
    assert gone is not None
    assert (kept.retired_at, kept.until, kept.metadata, kept.held) == (None, None, {}, True)
    assert gone.retired_at is not None
    assert [each.id for each in other.latest(user="ana")] == ["a"]


def test_a_file_does_not_replace_what_is_held_without_a_version(
    open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory, other = open_memory(), open_memory(path.with_name("other"))
    memory.add([{"id": "a", "text": "a label", "kind": "vault"}, {"id": "b", "text": "more"}], user="ana")
    other.add([{"id": "a", "text": "what was said"}], user="ana")
    other.hold(user="ana")
    file = io.StringIO()
    memory.export("ana", file)
    assert other.load(io.StringIO(file.getvalue())) == 2
    assert "record 'a' of user 'ana' (overwrite) is left out" in caplog.text
    assert {each.text for each in other.latest(user="ana")} == {"what was said", "more"}
