"""Times to live: hidden at once, erased by the sweep."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory, Quotas, errors
from memspan.lifecycle import expiring
from memspan.lifecycle.expiring import Expired, expired_ids, sweep
from memspan.store import SqliteStore
from memspan.store.sqlite import reader
from memspan.times import from_micros, now_micros

HOUR = 3600
LATER = 2 * HOUR * 1_000_000


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with Memory(tmp_path / "m", "hash:16") as opened:
        yield opened


def end_of(memory: Memory, id_: str) -> float | None:
    """Seconds of a record's life."""
    record = memory.get(user="ana", id=id_)
    assert record is not None
    assert record.recorded_at is not None
    return None if record.expires_at is None else (record.expires_at - record.recorded_at).total_seconds()


def ids(memory: Memory, **more: Any) -> set[str]:
    return {one.id for one in memory.search("tea", user="ana", k=50, **more)}


def test_a_record_that_is_read_and_corrected_lives_as_long_as_its_kind(memory: Memory) -> None:
    memory.set_lifetime("episodic", HOUR)
    memory.add([{"id": "a", "text": "green tea"}, {"id": "b", "text": "black tea"}], user="ana")
    memory.add([{"id": "c", "text": "white tea"}], user="ana", ttl=2 * HOUR)
    read = [memory.get(user="ana", id=id_) for id_ in "abc"]
    memory.add_records([replace(record, text=f"no {record.text}") for record in read if record is not None])
    assert end_of(memory, "a") == end_of(memory, "b") == HOUR
    memory.set_lifetime("episodic", 3 * HOUR)
    assert end_of(memory, "a") == end_of(memory, "b") == 3 * HOUR
    memory.set_lifetime("episodic", None)
    assert end_of(memory, "a") is None
    assert end_of(memory, "c") == pytest.approx(2 * HOUR, abs=10), "an end of its own stays"


def test_it_is_gone_at_its_time_and_erased_by_the_sweep(memory: Memory, tmp_path: Path) -> None:
    memory.add([{"id": "b", "text": "green tea"}], user="ana", ttl=timedelta(hours=1))
    memory.add(
        [{"id": "a2", "text": "tea", "expires_at": from_micros(now_micros() + LATER)}], user="ana", ttl=1
    )
    memory.add([{"id": "a", "text": "sesame tea"}], user="ana", ttl=3)
    end = now_micros() + 3_000_000
    learnt = now_micros()
    assert ids(memory) == {"a", "b", "a2"}
    while now_micros() <= end:
        time.sleep(0.05)
    assert ids(memory) == ids(memory, as_of=learnt) == ids(memory, valid_at=learnt) == {"b", "a2"}
    assert [one.id for one in memory.latest(user="ana")] == ["a2", "b"]
    assert memory.history(user="ana", id="a") is None
    assert memory.get(user="ana", id="a") is not None
    assert expired_ids(memory._engine, None) == {"ana": ["a"]}
    assert sweep(memory._engine, "ben") == Expired()
    assert sweep(memory._engine) == Expired(records=1, users=1)
    assert memory.get(user="ana", id="a") is None
    assert sweep(memory._engine) == Expired()
    assert memory.verify() == []
    assert not any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())


def test_what_one_handle_had_no_time_to_wipe_another_one_does(memory: Memory, tmp_path: Path) -> None:
    def left() -> bool:
        return any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())

    memory.add([{"id": "a", "text": "sesame tea"}], user="ana", ttl=HOUR)
    with Memory(tmp_path / "m", "hash:16") as other:
        time_left = iter([True])
        later = now_micros() + LATER
        swept = sweep(memory._engine, now=later, in_time=lambda: next(time_left, False))
        assert swept == Expired(records=1, users=1, finished=False)
        assert left()
        assert sweep(other._engine, now=later) == Expired(), "so that nothing is left to do"
        assert not left()


def test_sleep_goes_on_beside_somebody_who_reads_for_long(
    memory: Memory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory.add([{"id": "a", "text": "sesame tea"}], user="ana", ttl=0.01)
    memory.add([{"id": id_, "text": "tea", "kind": "semantic"} for id_ in ("b", "c")], user="ana")
    time.sleep(0.05)
    memory._engine.store._busy_seconds = 0.05  # type: ignore[attr-defined]
    with SqliteStore(tmp_path / "m").reading() as reader:
        reader.users()
        done = memory.consolidate().upkeep
        assert done is not None
        assert (done.expired, done.merged, done.finished) == (1, 1, True)
    assert "their bytes are still there" in caplog.text
    memory.consolidate()
    assert not any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())


def test_versions_go_with_their_record_and_held_ones_stay(memory: Memory) -> None:
    for text in ("one tea", "two tea"):
        memory.add([{"id": "a", "text": text}, {"id": "b", "text": text}], user="ana", ttl=HOUR)
    memory.hold(user="ana", id="b")
    assert sweep(memory._engine, now=now_micros() + LATER).records == 2
    with memory._engine.store.reading() as reader:
        left = reader.ids("ana")
    assert {id_.split("@")[0] for id_ in left} == {"b"}
    assert len(left) == 2


def test_the_same_again_may_live_longer(memory: Memory) -> None:
    memory.add([{"id": "a", "text": "tea"}], user="ana", ttl=10)
    first = memory.get(user="ana", id="a")
    memory.add([{"id": "a", "text": "tea"}], user="ana", ttl=1000)
    again = memory.get(user="ana", id="a")
    assert first is not None
    assert again is not None
    assert again.recorded_at == first.recorded_at
    assert again.expires_at > first.expires_at + timedelta(seconds=900)  # type: ignore[operator]
    memory.add([{"id": "a", "text": "other tea"}], user="ana")
    after = memory.get(user="ana", id="a")
    assert after is not None
    assert after.expires_at == again.expires_at, "what was to be gone does not stay because it is corrected"


def test_what_expired_is_as_good_as_erased_when_it_comes_again(memory: Memory) -> None:
    memory.add([{"id": "a", "text": "tea"}], user="ana", ttl=0.05)
    time.sleep(0.1)
    memory.add([{"id": "a", "text": "other tea"}], user="ana")
    assert ids(memory) == {"a"}
    assert end_of(memory, "a") is None
    assert memory.stats("ana")["records"] == 1, "no version"


def test_lifetimes_of_kinds(memory: Memory) -> None:
    memory.add([{"id": "old", "text": "tea", "kind": "semantic"}], user="ana")
    memory.add([{"id": "own", "text": "tea", "kind": "semantic"}], user="ana", ttl=7)
    assert memory.set_lifetime("semantic", HOUR) == 1
    memory.add([{"id": "new", "text": "tea", "kind": "semantic"}, {"id": "turn", "text": "tea"}], user="ana")
    assert [end_of(memory, id_) for id_ in ("old", "new", "turn")] == [HOUR, HOUR, None]
    assert memory.lifetimes() == memory.lifetimes("ana") == {"semantic": HOUR}
    assert memory.set_lifetime("semantic", timedelta(seconds=60), "ana") == 2
    assert [end_of(memory, id_) for id_ in ("old", "new")] == [60, 60]
    assert end_of(memory, "own") == pytest.approx(7, abs=0.1)
    assert memory.set_lifetime("semantic", 90) == 0, "this user has another one"
    assert memory.user("ana").lifetimes() == {"semantic": 60}
    assert memory.set_lifetime("semantic", None, "ana") == 2
    assert [end_of(memory, id_) for id_ in ("old", "new")] == [90, 90], "as everybody's"
    assert memory.set_lifetime("semantic", None, "ana") == 0, "there was none of their own"
    assert memory.set_lifetime("semantic", None) == 2
    assert [end_of(memory, id_) for id_ in ("old", "new")] == [None, None]
    assert memory.lifetimes("ana") == {}
    assert end_of(memory, "own") == pytest.approx(7, abs=0.1)


def test_what_takes_the_place_of_another_one_lives_as_long_as_its_kind(memory: Memory) -> None:
    memory.add([{"id": "old", "text": "tea"}], user="ana")
    memory.set_lifetime("episodic", HOUR)
    new = memory.supersede(user="ana", id="old", text="coffee")
    assert end_of(memory, new) == HOUR
    memory.undo(memory.runs("ana")[0].id)
    assert ids(memory) == {"old"}


def test_what_was_made_of_others_lives_as_long_as_its_kind_and_not_longer_than_what_was_given_an_end(
    memory: Memory,
) -> None:
    memory.set_lifetime("episodic", 100)
    memory.add([{"id": "turn", "text": "tea"}], user="ana")
    memory.add([{"id": "whispered", "text": "secret tea"}], user="ana", ttl=50)
    memory.add([{"id": "murmured", "text": "secret milk"}], user="ana", ttl=80)
    memory.add(
        [
            {"id": "fact", "text": "she drinks tea", "kind": "semantic", "sources": ["turn"]},
            {"id": "rumour", "text": "a secret", "kind": "semantic", "sources": ["murmured", "whispered"]},
        ],
        user="ana",
    )
    assert end_of(memory, "fact") is None
    assert end_of(memory, "rumour") == pytest.approx(50, abs=1)
    assert sweep(memory._engine, now=now_micros() + LATER).records == 4
    with memory._engine.store.reading() as reader:
        assert reader.ids("ana") == ["fact"]


def test_a_longer_life_of_a_kind_is_none_of_what_was_made_of_what_has_an_end(memory: Memory) -> None:
    memory.set_lifetime("semantic", 20)
    memory.add([{"id": "whispered", "text": "secret tea"}], user="ana", ttl=50)
    rumours = [{"id": f"rumour {i}", "text": f"a secret {i}", "sources": ["whispered"]} for i in range(4)]
    memory.add([*rumours, {"id": "fact", "text": "tea is hot"}], user="ana", kind="semantic")
    memory.set_quotas(Quotas(capacity=9, eviction="oldest"), user="ana")
    away, stay = ["rumour 0", "rumour 1"], ["rumour 2", "rumour 3"]
    assert {one.id for one in memory.evicted("ana")} == set(away)
    assert end_of(memory, stay[0]) == end_of(memory, "fact") == 20
    memory.set_lifetime("semantic", 100)
    assert [end_of(memory, id_) for id_ in stay] == [pytest.approx(50, abs=1)] * 2
    assert end_of(memory, "fact") == 100
    memory.set_lifetime("semantic", None)
    assert [end_of(memory, id_) for id_ in stay] == [pytest.approx(50, abs=1)] * 2
    assert end_of(memory, "fact") is None
    memory.set_quotas(None, user="ana")
    assert sorted(memory.restore(user="ana", ids=away)) == away
    assert [end_of(memory, id_) for id_ in away] == [pytest.approx(50, abs=1)] * 2
    assert memory.verify() == []


def test_an_end_that_comes_later_is_one_of_all_that_was_made_of_it(memory: Memory) -> None:
    turn = {"id": "turn", "text": "secret tea"}
    memory.add(turn, user="ana")
    memory.add([{"id": "fact", "text": "a secret", "sources": ["turn"]}], user="ana", kind="semantic")
    memory.add([{"id": "guess", "text": "another", "sources": ["fact"]}], user="ana", kind="semantic")
    memory.add([{"id": "short", "text": "the last", "sources": ["fact"]}], user="ana", kind="semantic", ttl=5)
    memory.tag("ana")
    before = memory.get(user="ana", id="fact")
    memory.add(turn, user="ana", ttl=50)
    assert [end_of(memory, id_) for id_ in ("turn", "fact", "guess")] == [pytest.approx(50, abs=1)] * 3
    assert end_of(memory, "short") == 5
    after = memory.get(user="ana", id="fact")
    assert before is not None
    assert after is not None
    assert (before.tags, before.recorded_at) == (after.tags, after.recorded_at)
    memory.add(turn, user="ana", ttl=500)
    assert end_of(memory, "fact") == pytest.approx(50, abs=1)
    # Other words are no end of what was said before.
    memory.add([{"id": "other", "text": "milk"}], user="ana")
    memory.add([{"id": "free", "text": "white", "sources": ["other"]}], user="ana", kind="semantic")
    memory.add([{"id": "other", "text": "bread"}], user="ana", ttl=50)
    assert end_of(memory, "free") is None


def test_what_is_made_of_what_was_evicted_lives_no_longer(memory: Memory) -> None:
    memory.set_quotas(Quotas(capacity=10, eviction="oldest"), user="ana")
    memory.add([{"id": "whispered", "text": "secret tea", "at": 0}], user="ana", ttl=50)
    memory.add([{"text": f"turn {i}"} for i in range(9)], user="ana")
    assert "whispered" in {one.id for one in memory.evicted("ana")}
    memory.add([{"id": "rumour", "text": "a secret", "sources": ["whispered"]}], user="ana", kind="semantic")
    assert end_of(memory, "rumour") == pytest.approx(50, abs=1)


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), "1h", True, timedelta(0), 1e12])
def test_times_that_nothing_lives(memory: Memory, ttl: Any) -> None:
    with pytest.raises(errors.TimeError, match="ttl"):
        memory.add("tea", user="ana", ttl=ttl)
    with pytest.raises(errors.TimeError, match="ttl"):
        memory.set_lifetime("semantic", ttl)
    assert memory.users() == []


def test_an_unknown_kind(memory: Memory) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="kind"):
        memory.set_lifetime("odd", 1)


def test_many_slices(memory: Memory) -> None:
    memory.add([f"tea {number}" for number in range(600)], user="ana", ttl=HOUR)
    memory.add("stays", user="ana")
    assert sweep(memory._engine, now=now_micros() + LATER) == Expired(records=600, users=1)
    assert memory.stats("ana")["records"] == 1
    assert memory.verify() == []


def test_export_keeps_ends_and_versions(memory: Memory, tmp_path: Path) -> None:
    memory.add([{"id": "a", "text": "tea"}], user="ana", ttl=HOUR)
    memory.add([{"id": "a", "text": "other tea"}], user="ana")
    memory.retire(user="ana", ids=["a"])
    memory.export(None, tmp_path / "out.jsonl")
    with Memory(tmp_path / "other", "hash:16") as other:
        other.load(tmp_path / "out.jsonl")
        assert other.load(tmp_path / "out.jsonl") == 2
        assert contents(other) == contents(memory)


def contents(memory: Memory) -> list[Any]:
    with memory._engine.store.reading() as reader:
        rows = [
            (one.id, one.text, one.recorded_at, one.retired_at, one.expires_at, one.until, dict(one.metadata))
            for page in reader.scan(None, 99)
            for one in page
        ]
    return sorted(rows, key=lambda row: row[0])


@pytest.mark.parametrize("held", [False, True])
def test_an_original_lives_as_long_as_its_record(memory: Memory, held: bool) -> None:
    text = "Anna said that she will move to Lisbon in May because the new office there opens."
    (id_,) = memory.add(text, user="ana", ttl=HOUR)
    memory.compress("ana", "uniform", 0.4)
    if held:
        memory.hold(user="ana", id=id_)
    for user in ("ben", "ana", None):
        sweep(memory._engine, user, now_micros() + LATER)
        original = memory.original(user="ana", id=id_)
        assert (original is not None) == (held or user == "ben")
        assert (memory.get(user="ana", id=id_) is None) == (original is None)
    if held:
        memory.release(user="ana", id=id_)
        sweep(memory._engine, None, now_micros() + LATER)
        assert memory.original(user="ana", id=id_) is None
    assert memory.verify() == []


def test_the_cold_tier_expires_in_slices(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiring, "_SLICE", 2)
    memory.add([{"id": f"m{n}", "text": f"sesame tea {n}"} for n in range(7)], user="ana", ttl=HOUR)
    memory.set_quotas(Quotas(capacity=5), user="ana")
    memory.consolidate("ana")
    left = len(memory.latest(user="ana"))
    assert len(memory.evicted(user="ana")) == 7 - left > 4
    sweep(memory._engine, "ben", now_micros() + LATER)
    assert len(memory.evicted(user="ana")) == 7 - left
    sweep(memory._engine, "ana", now_micros() + LATER)
    assert memory.evicted(user="ana") == []
    assert not any(b"sesame tea 0" in file.read_bytes() for file in tmp_path.iterdir())


def test_users_one_after_the_other_take_one_rewriting(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewritten: list[float] = []
    rewrite = SqliteStore._rewrite
    monkeypatch.setattr(
        SqliteStore, "_rewrite", lambda self, *how: rewritten.append(now_micros()) or rewrite(self, *how)
    )

    def left() -> bool:
        return any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())

    def expire(*users: str) -> None:
        for user in users:
            memory.add("sesame tea", user=user, ttl=HOUR)
        for user in users:
            assert sweep(memory._engine, user, now_micros() + LATER).finished

    expire("ana", "ben", "cleo", "dan")
    assert len(rewritten) == 1
    assert left()
    SqliteStore(tmp_path / "m").close()
    assert len(rewritten) == 1, "an opening has nothing to go on with"
    sweep(memory._engine, None, now_micros() + LATER)
    assert len(rewritten) == 2
    assert not left()
    expire("ana", "ben")
    assert len(rewritten) == 2
    monkeypatch.setattr(reader, "_ERASING_PAUSE", 0)
    SqliteStore(tmp_path / "m").close()
    assert len(rewritten) == 2, "nobody who opens it waits for that"
    sweep(memory._engine, "eve", now_micros() + LATER)
    assert len(rewritten) == 3, "when the pause is over"
    assert not left()


def test_what_waits_to_be_erased_goes_with_the_next_forget(memory: Memory, tmp_path: Path) -> None:
    for user in ("ana", "ben"):
        memory.add("sesame tea", user=user, ttl=HOUR)
        sweep(memory._engine, user, now_micros() + LATER)
    memory.add("green tea", user="ana")
    memory.forget(user="ana")
    assert not any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_time_of_rewriting_that_nobody_wrote_keeps_nothing_waiting(memory: Memory, tmp_path: Path) -> None:
    for user in ("ana", "ben"):
        memory.add("sesame tea", user=user, ttl=HOUR)
        assert sweep(memory._engine, user, now_micros() + LATER).finished
    with memory._engine.store.writing() as writer:
        writer.set_meta(reader.ERASED, "soon")
    assert sweep(memory._engine, "ana", now_micros() + LATER).finished
    assert not any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())
