"""Forgetting by a question takes two steps, and the second erases what the first showed or nothing."""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import Callable

import pytest

from memspan import Quotas, errors
from memspan.memory import Memory
from memspan.records import Record
from memspan.store import SqliteStore
from memspan.times import from_micros

AT = from_micros(1_700_000_000_000_000)
Open = Callable[..., Memory]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add(
        [
            {"id": "home", "text": "my address is Elm Street 5"},
            {"id": "work", "text": "my office address is Oak Road 7"},
            {"id": "cat", "text": "the cat sleeps"},
        ],
        user="ana",
    )
    memory.add_records([Record(id="fact", user="ana", text="lives nearby", at=AT, sources=("home",))])
    memory.add("my address is a secret", user="ben")
    return memory


def test_a_plan_shows_and_erases_nothing(filled: Memory) -> None:
    plan = filled.forget_matching("address", user="ana", k=2)
    assert {match.id for match in plan.matches} == {"home", "work"}
    assert (plan.user, plan.records, plan.held) == ("ana", 3, 0)
    assert filled.stats("ana")["records"] == 4
    assert filled.forget(confirm=plan.token) == 3
    assert [each.id for each in filled.latest(user="ana")] == ["cat"]
    assert filled.stats("ben")["records"] == 1
    (entry,) = filled.audit(action="forget")
    assert entry.details == {"by": "confirmed question", "records": 3}
    assert len(entry.records) == 3
    with pytest.raises(errors.PlanChangedError):
        filled.forget(confirm=plan)


def test_who_confirms_again_erases_the_bytes(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call took the records out and could not rewrite the files."""
    plan = filled.forget_matching("address", user="ana", k=1, exclude=["home", "fact"])

    def busy(self: SqliteStore) -> None:
        raise errors.StoreError("another process is reading an older state")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteStore, "erase", busy)
        with pytest.raises(errors.StoreError, match="older state"):
            filled.forget(confirm=plan)
    database = filled._engine.store.path
    assert b"Oak Road" in database.read_bytes() + database.with_name(f"{database.name}-wal").read_bytes()
    assert filled.forget(confirm=plan) == 0
    assert b"Oak Road" not in database.read_bytes()
    with pytest.raises(errors.PlanChangedError):
        filled.forget(confirm=plan)


def test_some_can_be_left_out(filled: Memory) -> None:
    plan = filled.forget_matching("address", user="ana", k=1, exclude=["home", "fact"])
    assert filled.forget(user="ana", confirm=plan) == 1
    assert filled.get(user="ana", id="home") is not None


@pytest.mark.parametrize("change", ["text", "derived", "gone", "hold"])
def test_what_changed_since_is_refused(filled: Memory, change: str) -> None:
    plan = filled.forget_matching("address", user="ana", k=1, exclude=["work"])
    if change == "text":
        filled.add([{"id": "home", "text": "we moved to Pine Lane"}], user="ana")
    elif change == "derived":
        filled.add_records([Record(id="new", user="ana", text="new fact", at=AT, sources=("fact",))])
    elif change == "gone":
        filled.forget(user="ana", id="fact")
    else:
        filled.hold(user="ana", id="home")
    before = filled.stats("ana")["records"]
    with pytest.raises(errors.PlanChangedError, match="plan it again"):
        filled.forget(confirm=plan)
    assert filled.stats("ana")["records"] == before


def test_what_changed_in_the_cold_tier_is_refused(filled: Memory) -> None:
    few = Quotas(capacity=5, shares={"episodic": 0.6, "semantic": 0.2, "procedural": 0.2}, eviction="oldest")
    filled.set_quotas(few, user="ana")
    assert [one.id for one in filled.evicted("ana")] == ["fact"]
    plan = filled.forget_matching("address", user="ana", k=1, exclude=["work"])
    assert plan.records == 2
    filled.set_quotas(None, user="ana")
    filled.add([{"id": "fact", "text": "has moved", "at": AT, "sources": ["home"]}], user="ana")
    history = filled.history(user="ana", id="fact")
    assert history is not None
    filled.forget(user="ana", id=history.versions[0].record.id)
    filled.set_quotas(few, user="ana")
    assert [one.record.text for one in filled.evicted("ana")] == ["has moved"]
    with pytest.raises(errors.PlanChangedError):
        filled.forget(confirm=plan)
    assert filled.forget(confirm=filled.forget_matching("address", user="ana", k=1, exclude=["work"])) == 2


def test_other_records_do_not_matter(filled: Memory, open_memory: Open) -> None:
    plan = filled.forget_matching("address", user="ana", k=1, exclude=["work"])
    filled.add("another address is mine", user="ana")
    other = open_memory()
    assert other.forget(confirm=plan.token) == 2
    assert filled.get(user="ana", id="home") is None


def test_what_is_held_is_told_and_refused(filled: Memory) -> None:
    filled.hold(user="ana", id="fact")
    plan = filled.forget_matching("address", user="ana", k=2)
    assert plan.held == 1
    with pytest.raises(errors.HeldError):
        filled.forget(confirm=plan)


def test_a_token_is_of_one_user_and_one_store(filled: Memory, open_memory: Open, path) -> None:  # type: ignore[no-untyped-def]
    plan = filled.forget_matching("address", user="ana", k=1)
    with pytest.raises(errors.InvalidArgumentError, match="a plan for this user"):
        filled.user("ben").forget(confirm=plan)
    elsewhere = open_memory(path.parent / "elsewhere.memspan")
    elsewhere.add([{"id": each.id, "text": each.text} for each in filled.latest(user="ana")], user="ana")
    with pytest.raises(errors.PlanChangedError, match="another store"):
        elsewhere.forget(confirm=plan.token)
    for broken in ("", plan.token[:-4], plan.token[5:], "!" + plan.token, plan.token + "ä"):
        with pytest.raises(errors.InvalidArgumentError, match="^confirm: got .*; accepted: "):
            filled.forget(confirm=broken)


@pytest.mark.parametrize("text", ['["ana", ["home"], "ä"]', '["ana", ["home"], 5]', "[" * 100_000, "{}"])
def test_a_token_that_somebody_made_up(filled: Memory, text: str) -> None:
    token = base64.urlsafe_b64encode(zlib.compress(text.encode())).decode()
    with pytest.raises(errors.InvalidArgumentError, match="^confirm: got .*; accepted: "):
        filled.forget(confirm=token)


def test_finding_nothing(filled: Memory) -> None:
    plan = filled.forget_matching("anything", user="nobody")
    assert (plan.matches, plan.records) == ((), 0)
    assert filled.forget(confirm=plan) == 0


def test_vault_records_have_to_be_named(filled: Memory) -> None:
    filled.add([{"id": "safe", "text": "address of the safe", "kind": "vault"}], user="ana")
    assert "safe" not in {each.id for each in filled.forget_matching("safe", user="ana").matches}
    plan = asyncio.run(filled.user("ana").aforget_matching("safe", kinds=["vault"]))
    assert [each.id for each in plan.matches] == ["safe"]
