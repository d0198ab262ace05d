"""`stats`, `verify`, relations: what they count and refuse."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from memspan import Quotas, errors
from memspan.memory import Memory
from memspan.remember import statistics
from memspan.store import Extent
from memspan.store.sqlite.reader import SqliteReader
from memspan.times import from_micros

Open = Callable[..., Memory]


def test_stats(memory: Memory, path: Path) -> None:
    memory.add(
        [{"id": "a", "text": "x", "session": "s", "at": 0}, {"text": "y", "kind": "vault", "at": 1}],
        user="ana",
    )
    memory.add("z", user="ben")
    memory.relate(user="ana", parent="p", child="c")
    everything, ana = memory.stats(), memory.stats("ana")
    json.dumps([everything, ana])
    assert everything["path"] == str(path)
    assert (everything["users"], everything["records"], everything["sequence"]) == (2, 3, 3)
    assert everything["bytes"]["database"] > 0
    assert (ana["user"], ana["records"], ana["sessions"], ana["relations"]) == ("ana", 2, 1, 1)
    assert ana["kinds"] == {"episodic": 1, "vault": 1}
    assert (ana["first"], ana["last"]) == ("1970-01-01T00:00:00+00:00", "1970-01-01T00:00:00.000001+00:00")
    assert ana["index"]["records"] == 2
    assert memory.stats("nobody")["records"] == 0
    with pytest.raises(errors.InvalidArgumentError, match="^user"):
        memory.stats("")


def test_sessions_are_counted_where_they_lie(memory: Memory) -> None:
    for user in ("ana", "ben"):
        memory.add(
            [
                {"text": f"turn {number}", "session": f"s{number}", "kind": kind, "at": number}
                for number in range(3000)
                for kind in ("episodic", "semantic")
            ],
            user=user,
        )
    memory.add("without", user="ana", at=3001)
    memory.stats()
    tracemalloc.start()
    try:
        stats = memory.stats()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (stats["sessions"], memory.stats("ben")["sessions"]) == (6000, 3000)
    assert stats["kinds"] == {"episodic": 6001, "semantic": 6000}
    assert stats["last"] == "1970-01-01T00:00:00.003001+00:00"
    assert peak < 500_000


@pytest.mark.parametrize("seed", range(3))
def test_the_index_knows_what_there_is(open_memory: Open, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """`stats` does not read a page of each record, but where there are many users, or not all are in memory."""
    chance = random.Random(seed)
    memory = open_memory(max_resident_bytes=1 if seed == 2 else None)
    asked: list[str | None] = []
    extent = SqliteReader.extent

    def read(self: SqliteReader, user: str | None = None) -> Extent:
        asked.append(user)
        return extent(self, user)

    monkeypatch.setattr(SqliteReader, "extent", read)
    memory.set_quotas(Quotas(capacity=60))
    for _ in range(30):
        user = chance.choice(["ana", "ben", "eve"])
        ids = list({f"m{chance.randrange(40)}" for _ in range(5)})
        action = chance.randrange(6)
        if action < 3:
            fields = {"session": chance.choice([None, "s1", "s2", f"s{chance.random()}"])}
            turns = [
                {"id": id_, "text": f"turn {chance.random()}", "at": chance.randrange(99), **fields}
                for id_ in ids
            ]
            memory.add(turns, user=user, kind=chance.choice(["episodic", "semantic", "vault"]))
        elif action == 3:
            memory.forget(user=user, id=ids)
        elif action == 4:
            memory.restore(user=user, ids=[each.id for each in memory.evicted(user=user, k=2)])
        else:
            memory.retire(user=user, ids=[id_ for id_ in ids[:1] if memory.get(user=user, id=id_)])
        with memory._engine.store.reading() as reader:
            for scope in (None, user):
                kinds, sessions, first, last = extent(reader, scope)
                stats = memory.stats(scope)
                assert (stats["kinds"], stats["sessions"]) == (kinds, sessions)
                assert stats["records"] == sum(kinds.values())
                for name, moment in (("first", first), ("last", last)):
                    assert stats[name] == (None if moment is None else from_micros(moment).isoformat())
    assert set(asked) == ({None} if seed == 2 else set())
    asked.clear()
    memory.add([{"id": "m1", "text": "turn", "session": "s1"}], user="joe")
    assert memory.stats("joe")["sessions"] == 1
    assert asked == []
    monkeypatch.setattr(statistics, "_FEW_USERS", 1)
    memory.stats()
    assert asked == [None]


def test_stats_of_the_life_of_records(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    first, second = open_memory(), open_memory()
    first.add([{"id": f"m{i}", "text": f"turn {i}", "at": i} for i in range(5)], user="ana")
    for memory in (first, second):
        plain = memory.stats("ana")
        assert [plain[name] for name in ("retired", "versions", "held", "expiring")] == [0, 0, 0, 0]
    first.add([{"id": "m0", "text": "another wording", "at": 0}], user="ana")
    first.retire(user="ana", ids=["m1"])
    first.hold(user="ana", id=["m2", "m3"])
    first.add([{"id": "short", "text": "soon gone", "at": 9}], user="ana", ttl=3600)
    (tmp_path / "file").write_text("x")
    first.add_resource(tmp_path / "file", user="ana", id="r")
    first.add("z", user="ben")
    for memory in (first, second):
        for stats in (memory.stats("ana"), memory.stats()):
            assert (stats["retired"], stats["versions"], stats["held"], stats["expiring"]) == (2, 1, 2, 1)
            assert (stats["resources"], stats["secrets"]) == (1, 0)
        assert memory.stats("ana")["records"] == 8
        assert memory.stats("ana")["index"]["retired"] == 2
        assert memory.stats("ben")["retired"] == 0


def test_verify_finds_every_difference(memory: Memory) -> None:
    memory.add([{"id": f"m{i}", "text": "x", "tags": ["t"]} for i in range(3)], user="ana")
    memory.add("x", user="ben")
    memory.relate(user="ana", parent="p", child="t")
    index = memory._engine.current()
    index.remove(user="ana", ids=["m1"])
    index.add(user="carl", id="ghost", at=0)
    index.unrelate(user="ana", parent="p", child="t")
    index.relate(user="ana", parent="x", child="y")
    problems = memory.verify()
    for part in [
        "knows user 'carl'",
        "user 'ana' has 2 records, the store 3",
        "record 'm1' of user 'ana' is missing",
        "lacks the tag 'p'",
        "unknown tag 'x'",
        "lacks the relation ('p', 't')",
        "unknown relation ('x', 'y')",
    ]:
        assert any(part in problem for problem in problems), part


def test_relations(memory: Memory) -> None:
    assert memory.relate(user="ana", parent="Out Doors", child="Camping")
    assert not memory.relate(user="ana", parent="out_doors", child="camping")
    assert memory.relate(user="ana", parent="camping", child="tents")
    with pytest.raises(errors.TagCycleError, match="out_doors.*camping.*tents"):
        memory.relate(user="ana", parent="tents", child="out doors")
    assert memory.verify() == []
    assert memory.unrelate(user="ana", parent="camping", child="tents")
    assert not memory.unrelate(user="ana", parent="camping", child="tents")
    assert not memory.unrelate(user="nobody", parent="camping", child="tents")
    assert memory.verify() == []
    for bad in [
        {"parent": "", "child": "a"},
        {"parent": "a", "child": None},
        {"parent": "a", "child": "x" * 200},
    ]:
        with pytest.raises(errors.InvalidArgumentError):
            memory.relate(user="ana", **bad)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="^user"):
        memory.relate(user="", parent="a", child="b")


def test_who_had_nothing_but_a_relation_is_no_user_without_it(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    memory.relate(user="ana", parent="camping", child="tents")
    assert memory.users() == other.users() == ["ana"]
    memory.unrelate(user="ana", parent="camping", child="tents")
    assert memory.users() == other.users() == []
    memory.relate(user="ana", parent="tents", child="camping")
    assert [tag.name for tag in other.tags("ana")] == ["camping", "tents"]
    assert memory.verify() == []
