"""Quotas of a memory: what is kept, what goes, and who hears of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from numbered_turns import live, turns

from memspan import InvalidArgumentError, Memory, QuotaError, Quotas, Record, StoreError
from memspan.remember.capacity import quotas as quotas_module
from memspan.remember.capacity.quotas import enforce, excess
from memspan.store import SqliteStore

Open = Callable[..., Memory]
OLDEST = Quotas(capacity=10, eviction="oldest")
"""4 episodic, 4 semantic (3.5 rounded up first), 2 procedural."""


def cold(memory: Memory, user: str = "ana") -> list[str]:
    return [evicted.id for evicted in memory.evicted(user=user)]


def test_the_oldest_of_a_kind_makes_room(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    assert OLDEST.capacities["episodic"] == 4
    for n in range(7):
        memory.add(turns(n), user="ana")
    memory.add([{"id": "fact", "text": "a fact", "at": -5, "kind": "semantic"}], user="ana")
    assert live(memory) == {"m3", "m4", "m5", "m6", "fact"}
    assert cold(memory) == ["m2", "m1", "m0"]
    assert {recall.id for recall in memory.search("turn", user="ana", k=50)} == live(memory)
    assert memory.verify() == []


def test_many_at_once(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    assert memory.add(turns(*range(300)), user="ana") == [f"m{n}" for n in range(300)]
    assert live(memory) == {"m296", "m297", "m298", "m299"}
    assert memory.stats("ana")["cold"] == {"evicted": 296, "originals": 0}
    assert memory.verify() == []


def test_the_least_important_makes_room(open_memory: Open) -> None:
    memory = open_memory(quotas=Quotas(capacity=10))
    for n in range(4):
        memory.add(turns(n, importance=0.9 - n / 10), user="ana")
    memory.add(turns(9, importance=1.0), user="ana")
    assert cold(memory) == ["m3"]


def test_pinned_records_never_go(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(0, 1), user="ana")
    assert memory.pin(user="ana", ids=["m0", "unknown"]) == 1
    assert memory.pin(user="ana", ids=["m0"]) == 0
    memory.add(turns(*range(2, 9)), user="ana")
    assert live(memory) == {"m0", "m6", "m7", "m8"}
    record = memory.get(user="ana", id="m0")
    assert record is not None
    assert record.pinned
    assert memory.stats("ana")["pinned"] == 1
    assert memory.unpin(user="ana", ids=["m0", "m6"]) == 1
    memory.add(turns(9), user="ana")
    assert live(memory) == {"m6", "m7", "m8", "m9"}
    assert memory.verify() == []


def test_a_kind_full_of_pins_refuses(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(*range(4)), user="ana")
    memory.pin(user="ana", ids=[f"m{n}" for n in range(4)])
    for more in (turns(5), turns(*range(5, 400))):
        with pytest.raises(QuotaError, match="episodic"):
            memory.add(more, user="ana")
    memory.add([{"id": "fact", "text": "a fact", "kind": "semantic"}], user="ana")
    assert live(memory) == {"m0", "m1", "m2", "m3", "fact"}
    assert cold(memory) == []
    assert memory.verify() == []


def test_pins_survive_another_content(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(0, tags=["given"]), user="ana")
    memory.tag("ana")
    before = memory.get(user="ana", id="m0")
    memory.pin(user="ana", ids=["m0"])
    after = memory.get(user="ana", id="m0")
    assert before is not None
    assert after is not None
    assert after.tags == before.tags
    with memory._engine.store.reading() as reader:
        assert set(reader.made_tags("ana").get("m0", ())) == set(before.tags) - {"given"}
    memory.add([{"id": "m0", "text": "something else", "at": 0}], user="ana")
    memory.add(turns(*range(2, 9)), user="ana")
    assert "m0" in live(memory)


def test_users_of_their_own(open_memory: Open) -> None:
    memory = open_memory()
    assert memory.quotas() is None
    assert memory.quotas("ana") is None
    memory.set_quotas(Quotas(capacity=5, eviction="oldest"))
    memory.set_quotas(OLDEST, user="ana")
    memory.set_quotas(Quotas(), user="eve")
    for user in ("ana", "ben", "eve"):
        memory.add(turns(*range(20)), user=user)
    assert [len(live(memory, user)) for user in ("ana", "ben", "eve")] == [4, 2, 20]
    assert memory.quotas("ana") == OLDEST
    assert memory.quotas("ben") == memory.quotas() == Quotas(capacity=5, eviction="oldest")
    assert memory.user("ana").quotas() == OLDEST
    assert memory.set_quotas(None, user="ana") == 2
    assert live(memory) == {"m18", "m19"}
    assert memory.set_quotas(None) == 0
    memory.add(turns(*range(30, 40)), user="ben")
    assert len(live(memory, "ben")) == 12
    assert memory.verify() == []


def test_shrinking(open_memory: Open) -> None:
    memory = open_memory()
    memory.add(turns(*range(1500)), user="ana")
    memory.add(turns(*range(3)), user="ben")
    assert memory.set_quotas(OLDEST) == 1496
    assert live(memory) == {"m1496", "m1497", "m1498", "m1499"}
    assert live(memory, "ben") == {"m0", "m1", "m2"}
    assert memory.set_quotas(OLDEST) == 0
    assert memory.set_quotas(Quotas(capacity=3, eviction="oldest")) == 3 + 2
    assert (live(memory), live(memory, "ben")) == ({"m1499"}, {"m2"})
    assert memory.verify() == []


def test_what_is_too_much(open_memory: Open) -> None:
    memory = open_memory()
    memory.add(turns(*range(9)), user="ana")
    assert excess(memory._engine, "ana") == {} == excess(memory._engine, "nobody")
    with memory._engine.changing() as change:
        change.writer.quotas.set(None, OLDEST.dump())
    # Another process set them, and died before it got to this user.
    other = open_memory()
    assert excess(other._engine, "ana") == {"episodic": 5}
    assert enforce(other._engine, "ana") == 5
    assert enforce(other._engine, "ana") == 0
    assert excess(memory._engine, "ana") == {}
    assert live(memory) == {"m5", "m6", "m7", "m8"}
    assert memory.verify() == []


def test_shrinking_below_the_pinned_is_refused(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(*range(4)), user="ana")
    memory.pin(user="ana", ids=["m0", "m1", "m2"])
    for user in (None, "ana"):
        with pytest.raises(QuotaError, match=r"3 records of kind 'episodic' of user 'ana'.* capacity of 2"):
            memory.set_quotas(5, user=user)
    assert memory.quotas("ana") == OLDEST
    assert live(memory) == {"m0", "m1", "m2", "m3"}
    memory.set_quotas(OLDEST, user="ana")
    memory.set_quotas(5)
    assert memory.quotas("ana") == OLDEST
    assert live(memory) == {"m0", "m1", "m2", "m3"}


def test_falling_back_below_the_pinned_is_refused(open_memory: Open) -> None:
    memory = open_memory()
    memory.set_quotas(OLDEST, user="ana")
    memory.add(turns(*range(4)), user="ana")
    memory.pin(user="ana", ids=["m0", "m1", "m2"])
    memory.set_quotas(5)
    with pytest.raises(QuotaError, match=r"3 records of kind 'episodic' of user 'ana'.* capacity of 2"):
        memory.set_quotas(None, user="ana")
    assert memory.quotas("ana") == OLDEST
    assert live(memory) == {"m0", "m1", "m2", "m3"}
    memory.set_quotas(None)
    memory.set_quotas(None, user="ana")
    assert memory.quotas("ana") is None


@pytest.mark.parametrize("value", [0, -1, True, "many", {"capacity": 5}, 2])
def test_refused_quotas_change_nothing(open_memory: Open, value: Any) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(*range(4)), user="ana")
    with pytest.raises(InvalidArgumentError):
        memory.set_quotas(value)
    with pytest.raises(InvalidArgumentError):
        memory.set_quotas(OLDEST, user="")
    with pytest.raises(InvalidArgumentError):
        open_memory(quotas=value)
    assert memory.quotas() == OLDEST
    assert len(live(memory)) == 4


def test_quotas_outlive_the_handle(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(*range(6)), user="ana")
    memory.close()
    memory = open_memory()
    assert memory.quotas() == OLDEST
    memory.add(turns(6), user="ana")
    assert live(memory) == {"m3", "m4", "m5", "m6"}
    memory._engine.snapshots.path.unlink(missing_ok=True)
    memory.close()
    memory = open_memory(quotas=5)
    assert live(memory) == {"m5", "m6"}
    assert memory.verify() == []


def test_other_handles_follow(open_memory: Open) -> None:
    one, other = open_memory(), open_memory()
    one.add(turns(*range(8)), user="ana")
    assert len(other.latest(user="ana", k=50)) == 8
    other.set_quotas(OLDEST)
    assert {recall.id for recall in one.latest(user="ana", k=50)} == {"m4", "m5", "m6", "m7"}
    one.add(turns(8), user="ana")
    assert {recall.id for recall in other.latest(user="ana", k=50)} == {"m5", "m6", "m7", "m8"}
    other.add(turns(9), user="ana")
    one.restore(user="ana", ids=["m0"], pin=True)
    for memory in (one, other):
        assert {recall.id for recall in memory.latest(user="ana", k=50)} == {"m0", "m7", "m8", "m9"}
        assert memory.verify() == []


def test_resources_and_vault_apart(open_memory: Open) -> None:
    memory = open_memory(quotas=Quotas(capacity=12, resource=1, vault=1, eviction="oldest"))
    for kind in ("episodic", "vault", "resource"):
        memory.add([{"id": f"{kind}{n}", "text": kind, "kind": kind, "at": n} for n in range(6)], user="ana")
    assert live(memory) == {"episodic2", "episodic3", "episodic4", "episodic5", "vault5", "resource5"}
    assert [evicted.id for evicted in memory.evicted(user="ana", kinds=["vault"])] == [
        f"vault{n}" for n in (4, 3, 2, 1, 0)
    ]


def test_loading_keeps_to_quotas(open_memory: Open, tmp_path: Any) -> None:
    memory = open_memory()
    memory.add(turns(*range(900)), user="ana")
    memory.export("ana", tmp_path / "ana.jsonl")
    copy = open_memory(tmp_path / "copy.memspan", quotas=OLDEST)
    assert copy.load(tmp_path / "ana.jsonl") == 900
    assert live(copy) == {"m896", "m897", "m898", "m899"}
    assert copy.verify() == []


def test_stats(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    memory.add(turns(*range(6)), user="ana")
    memory.add(turns(0), user="ben")
    for stats, evicted in ((memory.stats(), 2), (memory.stats("ana"), 2), (memory.stats("ben"), 0)):
        assert stats["cold"] == {"evicted": evicted, "originals": 0}
        assert stats["quotas"]["capacity"] == 10
        assert stats["quotas"]["kinds"]["procedural"] == 2
    memory.set_quotas(None)
    assert memory.stats()["quotas"] is None


def test_forgetting_a_user_forgets_their_quotas(open_memory: Open) -> None:
    memory = open_memory()
    memory.set_quotas(OLDEST, user="ana")
    memory.add(turns(*range(8)), user="ana")
    memory.forget(user="ana")
    assert memory.quotas("ana") is None
    assert cold(memory) == []
    memory.add(turns(*range(8)), user="ana")
    assert len(live(memory)) == 8


def test_the_audit_tells(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST, actor="keeper")
    memory.add(turns(0, 1, 2, 3), user="ana")
    memory.add([{"id": "fact", "text": "a fact", "kind": "semantic", "sources": ["m0"]}], user="ana")
    memory.add(turns(4), user="ana")
    memory.pin(user="ana", ids=["m4"])
    memory.restore(user="ana", ids=["m0"])
    entries = [entry for entry in memory.audit(user="ana") if entry.action != "add"]
    told = sorted((entry.number, entry.action, len(entry.records), dict(entry.details)) for entry in entries)
    assert [row[1:] for row in told] == [
        ("evict", 1, {"records": 1, "unsourced": 1}),
        ("pin", 1, {}),
        ("restore", 1, {"originals": False, "pinned": False}),
        ("evict", 1, {"records": 1, "unsourced": 0}),
    ]
    (quotas,) = memory.audit(action="quotas")
    assert (quotas.user, quotas.actor, quotas.details["episodic"]) == (None, "keeper", 4)
    assert [entry.action for entry in memory.audit(user="ana", id="m0") if entry.action != "add"]


def test_forgetting_what_another_handle_did_not_see_going(open_memory: Open) -> None:
    one, other = open_memory(), open_memory()
    one.add(turns(*range(5)), user="ana")
    assert len(other.search("turn", user="ana")) == 5
    one.set_quotas(OLDEST)
    one.forget(user="ana", id="m0")
    found = other.search("turn", user="ana", k=50)
    assert {recall.id for recall in found} == {"m1", "m2", "m3", "m4"}
    assert "m0" not in other._engine.current().ids(user="ana")
    assert cold(one) == []


@pytest.mark.parametrize("user", [None, "ana"])
@pytest.mark.parametrize("given", [False, True])
def test_an_opening_goes_on_with_what_a_crash_left(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, user: str | None, given: bool
) -> None:
    memory = open_memory()
    for name in ("ana", "ben"):
        memory.add(turns(*range(20)), user=name)
    if user is not None:
        memory.set_quotas(Quotas(capacity=90), user="ana")
    quotas = Quotas(capacity=9, shares={"episodic": 1 / 3, "semantic": 1 / 3, "procedural": 1 / 3})

    def dies(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(quotas_module, "enforce", dies)
    with pytest.raises(KeyboardInterrupt):
        memory.set_quotas(quotas, user=user)
    monkeypatch.undo()
    assert excess(memory._engine, "ana") == {"episodic": 17}
    if given:  # Nobody opens it, but the same quotas are set again.
        assert memory.set_quotas(quotas, user=user) == (34 if user is None else 17)
    else:
        memory.close()
        memory = open_memory()
    assert excess(memory._engine, "ana") == excess(memory._engine, "ben") == {}
    assert len(memory.evicted(user="ana")) == 17
    assert memory.set_quotas(quotas, user=user) == 0
    with memory._engine.store.reading() as reader:
        assert reader.quotas.unsettled() == {}


def test_an_opening_leaves_alone_who_is_at_it(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would take as long as all that is left to do."""
    memory = open_memory()
    memory.add(turns(*range(20)), user="ana")
    monkeypatch.setattr(quotas_module, "_SLICE", 4)
    slice_of = quotas_module._evict_slice
    left: list[int] = []

    def opened_beside(*arguments: Any) -> tuple[int, int]:
        left.append(excess(open_memory()._engine, "ana").get("episodic", 0))
        return slice_of(*arguments)

    monkeypatch.setattr(quotas_module, "_evict_slice", opened_beside)
    assert memory.set_quotas(Quotas(capacity=9)) == 16
    assert left == [16, 12, 8, 4, 0]


def test_an_opening_does_not_fail_for_want_of_evictions(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory()
    memory.add(turns(*range(20)), user="ana")

    def fails(*_: object, **__: object) -> int:
        raise StoreError("another process holds the lock")

    monkeypatch.setattr(quotas_module, "enforce", fails)
    with pytest.raises(StoreError):
        memory.set_quotas(Quotas(capacity=9))
    memory.close()
    memory = open_memory()
    assert "another process holds the lock" in caplog.text
    monkeypatch.undo()
    memory.close()
    assert excess(open_memory()._engine, "ana") == {}


def test_quotas_that_ask_for_no_evictions_take_one_transaction(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is loaded may have them of each user."""
    memory = open_memory()
    memory.add(turns(1, 2), user="ana")
    commits: list[None] = []
    commit = SqliteStore._commit

    def counted(self: SqliteStore, *arguments: Any, **options: Any) -> None:
        commits.append(None)
        commit(self, *arguments, **options)

    monkeypatch.setattr(SqliteStore, "_commit", counted)
    assert memory.set_quotas(Quotas(capacity=90), user="ana") == 0
    assert memory.set_quotas(Quotas(capacity=90), user="ben") == 0
    assert len(commits) == 2


def test_quotas_of_everybody_share_transactions(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    users = [f"user {number}" for number in range(40)]
    for user in users:
        memory.add(turns(*range(5)), user=user)
    monkeypatch.setattr(quotas_module, "_SLICE", 16)
    before = memory._engine.store.sequence()
    assert memory.set_quotas(Quotas(capacity=9, eviction="oldest")) == 40
    assert memory._engine.store.sequence() - before < 8
    assert {user: cold(memory, user) for user in users} == {user: ["m0"] for user in users}
    assert memory.verify() == []


def test_settling_leaves_what_was_set_since(open_memory: Open) -> None:
    memory = open_memory()
    memory.add(turns(1), user="ana")
    with memory._engine.store.writing() as writer:
        first = writer.quotas.unsettle("ana", "one")
    with memory._engine.store.writing() as writer:
        second = writer.quotas.unsettle("ana", "other")
        writer.quotas.settle("ana", first)
        writer.quotas.take_over("ana", first, "one")
        assert writer.quotas.unsettled() == {"ana": (second, "other")}
    memory.forget(user="ana")
    with memory._engine.store.reading() as reader:
        assert reader._all("SELECT * FROM meta WHERE key LIKE 'quotas%'") == []


def test_shrinking_goes_in_slices_that_sleep_finishes(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.add(turns(*range(20)), user="ana")
    monkeypatch.setattr(quotas_module, "_SLICE", 4)
    monkeypatch.setattr(quotas_module, "enforce", lambda engine, user: 0)  # As if the process had died.
    memory.set_quotas(Quotas(capacity=15, shares={"episodic": 1 / 3, "semantic": 1 / 3, "procedural": 1 / 3}))
    monkeypatch.undo()
    monkeypatch.setattr(quotas_module, "_SLICE", 4)
    assert excess(memory._engine, "ana") == {"episodic": 15}
    answers = iter([True, True, False])
    assert enforce(memory._engine, "ana", in_time=lambda: next(answers)) == 8
    before = memory._engine.store.sequence()
    report = memory.consolidate("ana").upkeep
    assert (report.evicted, report.finished) == (7, True)
    assert memory._engine.store.sequence() - before >= 2
    assert excess(memory._engine, "ana") == {}
    # What was evicted by the run has no room to come back to.
    undone = memory.undo(report.runs[0])
    assert (undone.restored, len(undone.cold)) == (7, 7)
    assert excess(memory._engine, "ana") == {}
    memory.set_quotas(None)
    assert set(memory.restore(user="ana", ids=undone.cold)) == set(undone.cold)


def test_what_leaves_a_kind_makes_room_for_what_comes_with_it(open_memory: Open) -> None:
    third = {"episodic": 1 / 3, "semantic": 1 / 3, "procedural": 1 / 3}
    memory = open_memory(quotas=Quotas(capacity=9, shares=third, eviction="oldest"))
    memory.add(turns(1, 2, 3), user="ana")
    known = memory.get(user="ana", id="m3")
    assert known is not None
    new = [Record(id=id_, user="ana", text=f"turn {id_}", at=known.at) for id_ in ("m4", "m5")]
    assert memory.add_records([*new, replace(known, kind="semantic")]) == 3
    assert live(memory) == {"m2", "m3", "m4", "m5"}, "not m2 for what m3 said before"
    assert memory.stats("ana")["kinds"] == {"episodic": 3, "semantic": 1}
    assert memory.verify() == []
