"""Quotas: what goes when a kind is full, what never goes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from index_helpers import DIM, vector
from slow_path import slow_add

import memspan

ADDS: list[Callable[..., list[str]]] = [memspan.Index.add, slow_add]


def limited(eviction: str = "value", **capacities: int) -> memspan.Index:
    index = memspan.Index(DIM, track_uses=True)
    index.set_quotas(user=None, capacities=capacities or {"episodic": 3}, eviction=eviction)
    return index


@pytest.mark.parametrize("add", ADDS)
def test_the_oldest_goes_first(add: Callable[..., list[str]]) -> None:
    index = limited("oldest")
    for number, at in enumerate([5, 1, 3]):
        assert add(index, user="ana", id=f"m{number}", at=at, importance=1.0) == []
    assert add(index, user="ana", id="new", at=0) == ["m1"]
    assert add(index, user="ana", id="newer", at=9) == ["new"]
    assert add(index, user="ana", id="fact", at=9, kind="semantic") == []
    assert add(index, user="ben", id="m0", at=0) == []
    assert index.ids(user="ana") == ["fact", "m0", "m2", "newer"]


def test_of_one_time_the_first_id_goes_first() -> None:
    index = limited("oldest")
    for id in ("m10", "m9", "m11"):
        index.add(user="ana", id=id, at=0)
    assert index.add(user="ana", id="m12", at=0) == ["m9"]


@pytest.mark.parametrize("how", ["memory", "file", "eviction"])
def test_what_comes_is_compared_with_what_came_before_it_left_memory(how: str, tmp_path: Path) -> None:
    limit = 1 if how == "eviction" else None
    index = memspan.Index(DIM, max_resident_bytes=limit)
    index.set_quotas(user="ana", capacities={"episodic": 3})
    index.add(user="ana", id="old", at=1, embedding=vector(0, 0, 1))
    index.add(user="ana", id="said", at=2, embedding=vector(1))
    if how == "eviction":
        index.add(user="ben", id="x", at=1)
    elif how == "file":
        index.save(tmp_path / "index")
        index = memspan.Index.load(tmp_path / "index")
    index.add(user="ana", id="said again", at=3, embedding=vector(1))
    assert index.add(user="ana", id="new", at=4, embedding=vector(0, 1)) == ["said"]


def test_what_comes_without_evictions_is_compared_too() -> None:
    """As where an index is built again from a store, before anything is evicted from it."""
    index = limited(episodic=3)
    for ids, ats, axis in ((["old"], [1], (0, 0, 1)), (["said", "said again"], [2, 3], (1,))):
        index.add_many(user="ana", ids=ids, ats=ats, embeddings=[vector(*axis)] * len(ids), evict=False)
    assert index.add(user="ana", id="new", at=4, embedding=vector(0, 1)) == ["said"]


@pytest.mark.parametrize("taken", [False, True])
def test_uses_beyond_what_can_be_counted_stay_as_many(taken: bool) -> None:
    index = limited(episodic=2)
    index.add(user="ana", id="never used", at=1)
    index.add(user="ana", id="popular", at=0)
    index.set_uses(user="ana", ids=["popular"], counts=[2**32 - 1], lasts=[0])
    index.note_uses(user="ana", ids=["popular"])
    if taken:
        index.take_uses(user="ana")
    assert index.add(user="ana", id="new", at=2) == ["never used"]


@pytest.mark.parametrize("add", ADDS)
def test_the_least_important_goes_first(add: Callable[..., list[str]]) -> None:
    index = limited()
    for id, importance in (("high", 0.9), ("unknown", None), ("low", 0.1)):
        add(index, user="ana", id=id, at=0, importance=importance)
    assert add(index, user="ana", id="x", at=0, importance=0.0) == ["low"]
    assert add(index, user="ana", id="y", at=0, importance=1.0) == ["x"]
    assert add(index, user="ana", id="z", at=0, importance=1.0) == ["unknown"]


def test_what_is_used_stays() -> None:
    index = limited()
    for number in range(3):
        index.add(user="ana", id=f"m{number}", at=number, embedding=vector(*(0.0,) * number, 1.0))
    assert index.search(user="ana", embedding=vector(1), k=1).ids == ["m0"]
    assert index.add(user="ana", id="new", at=0) == ["m1"]
    assert index.note_uses(user="ana", ids=["m2", "nothing"]) == 1
    assert index.add(user="ana", id="newer", at=0) == ["new"]


def test_what_is_said_again_goes_first() -> None:
    index = limited()
    index.add(user="ana", id="unlike", at=0, embedding=vector(0, 1))
    index.add(user="ana", id="said", at=1, embedding=vector(1))
    index.add(user="ana", id="again", at=2, embedding=vector(1, 0.1))
    assert index.add(user="ana", id="new", at=3) == ["said"]
    assert index.add(user="ana", id="newer", at=3) == ["unlike"]


def test_what_is_gone_goes_before_all_others() -> None:
    index = limited(episodic=4)
    index.add(user="ana", id="low", at=0, importance=0.0)
    index.add(user="ana", id="retired", at=1, importance=1.0, retired_at="2020-01-02")
    index.add(user="ana", id="expired", at=1, importance=1.0, expires_at="2020-01-01")
    index.add(user="ana", id="later", at=1, importance=0.1, expires_at="2999-01-01")
    going = [index.add(user="ana", id=f"new{number}", at=9, importance=1.0) for number in range(4)]
    assert going == [["expired"], ["retired"], ["low"], ["later"]]


def test_pinned_records_never_go() -> None:
    index = limited("oldest")
    index.add(user="ana", id="old", at=0, pinned=True, expires_at="2001-01-01")
    index.add(user="ana", id="middle", at=1)
    index.add(user="ana", id="young", at=2)
    assert index.pin(user="ana", ids=["middle", "nothing"]) == 1
    assert index.add(user="ana", id="new", at=3) == ["young"]
    assert index.pin(user="ana", ids=["old", "middle"], pinned=False) == 2
    assert index.add(user="ana", id="newer", at=3) == ["old"]
    assert index.stats(user="ana")["pinned"] == 0


@pytest.mark.parametrize("add", ADDS)
def test_a_kind_full_of_pins_refuses_more(add: Callable[..., list[str]]) -> None:
    index = limited(episodic=2)
    for id in ("a", "b"):
        add(index, user="ana", id=id, at=0, text="old", pinned=True)
    for pinned in (False, True):
        with pytest.raises(memspan.QuotaError, match="'c'.*'ana'.*2 episodic.*pin"):
            add(index, user="ana", id="c", at=0, pinned=pinned)
    with pytest.raises(memspan.QuotaError):
        index.add_many(user="ana", ids=["fact", "c"], ats=[0, 0], kinds=["semantic", "episodic"])
    with pytest.raises(memspan.QuotaError):
        index.add_many(users=["ben", "ana"], ids=["a", "c"], ats=[0, 0])
    assert index.users() == ["ana"]
    assert index.ids(user="ana") == ["a", "b"]
    assert add(index, user="ana", id="a", at=0, text="new", pinned=True) == []
    assert index.search(user="ana", text="new").ids == ["a"]
    assert add(index, user="ana", id="b", at=0) == []
    assert add(index, user="ana", id="c", at=0) == ["b"]


def test_no_room_at_all() -> None:
    index = limited(episodic=0)
    with pytest.raises(memspan.QuotaError, match="0 episodic"):
        index.add(user="ana", id="a", at=0)
    assert index.add(user="ana", id="a", at=0, kind="vault") == []
    assert index.users() == ["ana"]


def test_replacing_takes_no_room() -> None:
    index = limited("oldest")
    for number in range(3):
        index.add(user="ana", id=f"m{number}", at=number)
    assert index.add(user="ana", id="m0", at=9) == []
    assert index.add(user="ana", id="m0", at=9, kind="semantic") == []
    assert index.add(user="ana", id="m0", at=9) == []
    assert index.add(user="ana", id="m3", at=9) == ["m1"]


def test_batches() -> None:
    index = limited("oldest")
    index.add(user="ana", id="m0", at=0)
    evicted = index.add_many(
        users=["ana", "ben", *["ana"] * 4], ids=["m1", "m1", "m2", "m3", "m4", "m0"], ats=[1, 1, 2, 3, 4, 5]
    )
    assert evicted == [("ana", "m1"), ("ana", "m2")]
    assert index.ids(user="ana") == ["m0", "m3", "m4"]
    assert index.add_many(user="ana", ids=["x", "y"], ats=[0, 1], evict=False) == []
    assert index.stats(user="ana")["kinds"] == {"episodic": 5}
    assert index.evict(user="ana", most=1) == ["x"]
    assert index.evict(user="ana") == ["y"]
    assert index.evict(user="ana") == index.evict(user="nobody") == []


def test_a_quota_that_shrinks() -> None:
    index = limited("oldest", episodic=500)
    index.add_many(user="ana", ids=[f"m{number:03}" for number in range(500)], ats=range(500))
    index.set_quotas(user="ana", capacities={"episodic": 100}, eviction="oldest")
    assert len(index.add(user="ana", id="new", at=600)) == 32
    assert index.evict(user="ana") == [f"m{number:03}" for number in range(32, 401)]
    assert index.stats(user="ana")["kinds"] == {"episodic": 100}
    index.set_quotas(user="ana", capacities={"semantic": 1}, eviction="oldest")
    assert index.add(user="ana", id="newer", at=600) == []
    index.set_quotas(user="ana", capacities=None)
    assert index.add(user="ana", id="newest", at=600) == []
    assert index.quotas(user="ana") is None
    assert index.quotas(user=None) == ({"episodic": 500}, "oldest")


def test_own_quotas_go_before_those_of_everybody() -> None:
    index = limited("oldest", episodic=1)
    index.set_quotas(user="ana", capacities={"episodic": None})
    for number in range(3):
        index.add(user="ana", id=f"m{number}", at=number)
    assert index.quotas(user="ana") == ({}, "value")
    index.forget(user="ana")
    assert index.quotas(user="ana") is None
    index.add(user="ana", id="m0", at=0)
    assert index.add(user="ana", id="m1", at=0) == ["m0"]


def test_a_snapshot_keeps_quotas_and_uses(tmp_path: Path) -> None:
    index = limited(episodic=3)
    index.set_quotas(user="nobody", capacities={"vault": 7}, eviction="oldest")
    index.add(user="ana", id="said", at=9, embedding=vector(1))
    index.add(user="ana", id="again", at=0, embedding=vector(1))
    index.add(user="ana", id="other", at=0)
    index.note_uses(user="ana", ids=["again", "again", "other"])
    index.take_uses(user="ana")
    index.note_uses(user="ana", ids=["other"])
    index.save(tmp_path / "index")
    loaded = memspan.Index.load(tmp_path / "index", verify=True)
    assert loaded.quotas(user=None) == ({"episodic": 3}, "value")
    assert loaded.quotas(user="nobody") == ({"vault": 7}, "oldest")
    assert loaded.take_uses(user="ana")[:2] == (["other"], [1])
    assert [loaded.add(user="ana", id=f"m{number}", at=1, importance=1.0) for number in range(3)] == [
        ["said"],
        ["again"],
        ["other"],
    ]


def test_uses_are_handed_out_once() -> None:
    index = memspan.Index(DIM, track_uses=True)
    for number in range(5):
        index.add(user="ana", id=f"m{number}", at=number, text="kite")
    index.search(user="ana", text="kite", k=5)
    index.search(user="ana", text="kite", k=5, track=False)
    index.search(user="ana", k=1)
    index.latest(user="ana")
    index.latest(user="ana", kinds=["episodic"])
    index.latest(user="ana", between=[(0, 9), (20, None)])
    index.search_many(
        [memspan.Query(user="ana", text="kite", k=1), memspan.Query(user="ana", k=1, track=False)]
    )
    ids, counts, lasts = index.take_uses(user="ana")
    assert dict(zip(ids, counts.tolist(), strict=True)) == {"m0": 1, "m1": 1, "m2": 1, "m3": 1, "m4": 3}
    now = index.set_uses(user="ana", ids=["m0"], counts=[0], lasts=["2023-01-01"])
    assert now == 1
    assert lasts.dtype == np.int64
    assert np.all(lasts % 1_000_000 == 0)
    assert index.take_uses(user="ana")[0] == []
    index.note_uses(user="ana", ids=["m1"])
    index.remove(user="ana", ids=["m1"])
    assert index.take_uses(user="ana")[0] == []
    assert index.take_uses(user="nobody")[0] == []


def test_without_tracking_nothing_is_counted() -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="m", at=0)
    index.search(user="ana")
    assert index.note_uses(user="ana", ids=["m"]) == 0
    assert index.set_uses(user="ana", ids=["m", "nothing"], counts=[4, 1], lasts=[0, 0]) == 1
    index.search(user="ana")
    assert index.take_uses(user="ana")[0] == []


def test_uses_that_were_set_count_for_the_value() -> None:
    index = limited()
    for number in range(3):
        index.add(user="ana", id=f"m{number}", at=number)
    index.set_uses(
        user="ana", ids=["m0", "m1"], counts=np.array([3, 2**32 - 1], np.uint32), lasts=np.zeros(2, np.int64)
    )
    index.note_uses(user="ana", ids=["m1"])
    assert index.add(user="ana", id="new", at=0, importance=1.0) == ["m2"]
    index.set_uses(user="ana", ids=["m1"], counts=[0], lasts=["2023-01-01"])
    assert index.add(user="ana", id="newer", at=0, importance=1.0) == ["m1"]


@pytest.mark.parametrize("masked", ["counts", "lasts"])
def test_uses_under_a_mask_are_refused(masked: str) -> None:
    index = limited()
    uses = {"counts": np.ones(2, np.uint32), "lasts": np.ones(2, np.int64)}
    uses[masked] = np.ma.masked_array(uses[masked], mask=[False, True])
    with pytest.raises(memspan.InvalidArgumentError, match=rf"^{masked}\[1\]"):
        index.set_uses(user="ana", ids=["m0", "m1"], **uses)


def test_uses_of_users_who_leave_memory() -> None:
    index = memspan.Index(DIM, track_uses=True, max_resident_bytes=20_000)
    for user in range(60):
        index.add(user=f"u{user}", id="m", at=0, text="kite " * 50)
    for _ in range(2):
        for user in range(60):
            assert index.search(user=f"u{user}", text="kite").ids == ["m"]
    assert index.stats()["resident_users"] < 60
    assert {index.take_uses(user=f"u{user}")[1].tolist() == [2] for user in range(60)} == {True}


BAD: list[tuple[str, dict[str, Any]]] = [
    ("capacities", {"capacities": 5}),
    ("capacities", {"capacities": [("episodic", 5)]}),
    ("capacities", {"capacities": {"dream": 5}}),
    ("capacities", {"capacities": {1: 5}}),
    ("capacities[episodic]", {"capacities": {"episodic": -1}}),
    ("capacities[episodic]", {"capacities": {"episodic": 2**32 - 1}}),
    ("capacities[episodic]", {"capacities": {"episodic": 1.5}}),
    ("capacities[episodic]", {"capacities": {"episodic": True}}),
    ("eviction", {"eviction": "newest"}),
    ("eviction", {"eviction": None}),
    ("user", {"user": ""}),
    ("user", {"user": 5}),
]


@pytest.mark.parametrize(("argument", "changed"), BAD)
def test_bad_quotas_change_nothing(argument: str, changed: dict[str, Any]) -> None:
    index = limited(episodic=3)
    with pytest.raises(memspan.InvalidArgumentError) as caught:
        index.set_quotas(**{"user": "ana", "capacities": {"episodic": 1}, "eviction": "oldest"} | changed)
    assert str(caught.value).startswith(argument + ": got ")
    assert index.quotas(user="ana") is None
    assert index.quotas(user=None) == ({"episodic": 3}, "value")


@pytest.mark.parametrize(
    ("argument", "counts", "lasts"),
    [
        ("counts", [1], [0, 0]),
        ("counts", 5, [0, 0]),
        ("counts[1]", [1, -1], [0, 0]),
        ("counts[0]", [2**32, 1], [0, 0]),
        ("counts[0]", [1.5, 1], [0, 0]),
        ("lasts", [1, 1], [0]),
        ("lasts", [1, 1], "20"),
        ("lasts[1]", [1, 1], [0, "yesterday"]),
        ("lasts[0]", [1, 1], [None, 0]),
    ],
)
def test_bad_uses(argument: str, counts: Any, lasts: Any) -> None:
    index = limited()
    index.add(user="ana", id="a", at=0)
    with pytest.raises(memspan.InvalidArgumentError) as caught:
        index.set_uses(user="ana", ids=["a", "b"], counts=counts, lasts=lasts)
    assert str(caught.value).startswith(argument + ": got ")


@pytest.mark.parametrize("flag", [None, 1, "yes"])
def test_bad_flags(flag: Any) -> None:
    index = limited()
    for call in (
        lambda: memspan.Index(DIM, track_uses=flag),
        lambda: index.add_many(user="ana", ids=["a"], ats=[0], evict=flag),
        lambda: index.pin(user="ana", ids=["a"], pinned=flag),
        lambda: index.search(user="ana", track=flag),
    ):
        with pytest.raises(memspan.InvalidArgumentError):
            call()
    assert index.users() == []


def test_searches_while_records_come_and_go() -> None:
    index = limited(episodic=200)
    random = np.random.default_rng(5)
    rows = random.normal(size=(64, DIM)).astype(np.float32)
    found = [0, 0]
    done = False

    def search(place: int) -> None:
        number = 0
        while not done:
            hits = index.search(user="ana", embedding=rows[number % 64], text="kite", k=5)
            assert len(set(hits.ids)) == len(hits)
            found[place] += len(hits)
            number += 1

    threads = [Thread(target=search, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    evicted: set[str] = set()
    try:
        for number in range(3000):
            evicted.update(
                index.add(
                    user="ana", id=f"m{number}", at=number, text=f"kite {number}", embedding=rows[number % 64],
                    pinned=number % 100 == 0,
                )
            )  # fmt: skip
            if number % 500 == 0:
                index.take_uses(user="ana")
    finally:
        done = True
        for thread in threads:
            thread.join()
    assert len(index) == 200
    assert set(index.ids(user="ana")).isdisjoint(evicted)
    assert len(evicted) == 2800
    assert not {id for id in evicted if int(id[1:]) % 100 == 0}
    assert sum(found) > 0


REFUSED: dict[str, Callable[[memspan.Index, str], object]] = {
    "a record": lambda index, user: index.add(
        user=user, id="a", at=0, text="", embedding=[1.0, 1.0], kind="resource"
    ),
    "records": lambda index, user: index.add_many(
        users=["ana", user, user],
        ids=["a", "b", "c"],
        ats=[0, 1, 2],
        texts=[""] * 3,
        embeddings=np.ones((3, 2), np.float32),
        pins=[False, True, True],
    ),
    "a relation": lambda index, user: index.relate(user=user, parent="a", child="a"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_write_leaves_no_user(name: str) -> None:
    index = memspan.Index(2, auto_consolidate=False)
    index.set_quotas(user=None, capacities={"episodic": 1, "resource": 0})
    before = index.stats()["bytes"]
    for number in range(100):
        with pytest.raises((memspan.QuotaError, memspan.TagCycleError)):
            REFUSED[name](index, f"user {number}")
    assert index.stats()["bytes"] - before < 10_000, "not two kilobytes each"
    assert index.users() == []
    index.add(user="user 7", id="a", at=0, text="", embedding=[1.0, 1.0])
    assert index.users() == ["user 7"]
