"""Staleness in searches: off by default, bounded, and told."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from memspan import InvalidArgumentError, Memory, Moved, Record, StalenessPolicy
from memspan.remember.searching.aging import provenance_quality

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
QUESTION = "What about the quince by the well?"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Ten records about one thing, a month apart, the oldest the most to the point."""
    memory.add_records(
        [
            Record(
                id=f"m{number}",
                user="ana",
                text="the quince by the well " + "and so on " * number,
                at=START + timedelta(days=30 * number),
            )
            for number in range(10)
        ]
    )
    return memory


def ids(found: Any) -> list[str]:
    return [recall.id for recall in found]


def test_it_is_off_by_default(filled: Memory) -> None:
    plain = filled.search(QUESTION, user="ana")
    assert plain.moved == ()
    assert ids(filled.search(QUESTION, user="ana", staleness="none")) == ids(plain)


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("policy", ["decay", "refresh", "provenance", "validity"])
@pytest.mark.parametrize("fusion", ["learned", "rrf"])
def test_it_reorders_within_bounds_and_drops_nothing(
    filled: Memory, k: int, policy: str, fusion: str
) -> None:
    plain = filled.search(QUESTION, user="ana", k=k, fusion=fusion)
    aged = filled.search(QUESTION, user="ana", k=k, fusion=fusion, staleness=policy)
    assert sorted(ids(aged)) == sorted(ids(plain))
    before = {id_: rank for rank, id_ in enumerate(ids(plain), 1)}
    assert all(abs(before[id_] - rank) <= 3 for rank, id_ in enumerate(ids(aged), 1))
    assert {recall.id: recall.score for recall in aged} == {recall.id: recall.score for recall in plain}


def test_two_are_enough_to_change_places(memory: Memory) -> None:
    texts = {"old": "the quince by the well", "new": "the quince by the well and so on"}
    when = {"old": START - timedelta(days=9_000), "new": START}
    memory.add_records(Record(id=id_, user="ana", text=texts[id_], at=when[id_]) for id_ in texts)
    assert ids(memory.search(QUESTION, user="ana")) == ["old", "new"]
    aged = memory.search(QUESTION, user="ana", now=START, staleness="decay")
    assert ids(aged) == ["new", "old"]
    assert len(aged.moved) == 2


def test_every_move_is_told(filled: Memory) -> None:
    plain, aged = (filled.search(QUESTION, user="ana", staleness=name) for name in ("none", "decay"))
    told = {one.id: (one.before, one.after) for one in aged.moved}
    places = {id_: (ids(plain).index(id_) + 1, rank) for rank, id_ in enumerate(ids(aged), 1)}
    assert told == {id_: place for id_, place in places.items() if place[0] != place[1]}
    assert told
    assert all(isinstance(one, Moved) and 0 <= one.staleness <= 1 for one in aged.moved)


def test_no_places_no_moves(filled: Memory) -> None:
    aged = filled.search(QUESTION, user="ana", staleness=StalenessPolicy(name="decay", places=0))
    assert aged.moved == ()


def test_now_decides_what_is_old(filled: Memory) -> None:
    before_all = filled.search(QUESTION, user="ana", staleness="decay", now=START - timedelta(days=1))
    assert before_all.moved == ()
    at_first = filled.search(QUESTION, user="ana", staleness="decay", as_of=START - timedelta(days=9))
    assert at_first.moved == ()


def test_what_has_ended_sinks_under_validity(memory: Memory) -> None:
    ended = START + timedelta(days=5)
    memory.add_records(
        [
            Record(id="old", user="ana", text="Ana lives in Lisbon", at=START, until=ended),
            Record(id="new", user="ana", text="Ana lives in Porto, they say", at=ended),
            Record(id="other", user="ana", text="a ferry leaves", at=ended),
        ]
    )
    question = "Ana lives in Lisbon"
    plain = memory.search(question, user="ana")
    assert ids(plain)[0] == "old"
    aged = memory.search(question, user="ana", staleness="validity")
    assert ids(aged)[-1] == "old"
    assert {one.id: one.staleness for one in aged.moved} == {"old": 1.0, "new": 0.0, "other": 0.0}
    earlier = memory.search(question, user="ana", staleness="validity", now=START + timedelta(days=1))
    assert earlier.moved == ()


def test_an_explanation_says_so(filled: Memory) -> None:
    aged = filled.search(QUESTION, user="ana", staleness="decay", explain=True)
    for recall in aged:
        assert recall.explanation is not None
        assert set(recall.explanation["staleness"]) == {"rank_before", "staleness"}
    assert aged.explanation is not None


def test_times_and_plan_stay(filled: Memory) -> None:
    aged = filled.search(QUESTION, user="ana", staleness="decay")
    assert aged.timings.search > 0
    assert aged.plan is not None


def test_nothing_found_and_one_found(memory: Memory) -> None:
    assert memory.search("x", user="nobody", staleness="decay").moved == ()
    memory.add("alone", user="ana", at=START)
    assert memory.search("alone", user="ana", staleness="decay").moved == ()


@pytest.mark.parametrize("value", ["age", None, 0.5, {"name": "decay"}])
def test_another_policy_is_refused(filled: Memory, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="staleness"):
        filled.search(QUESTION, user="ana", staleness=value)


def test_the_bound_handle_takes_it_too(filled: Memory) -> None:
    assert filled.user("ana").search(QUESTION, staleness="decay").moved


def test_provenance_is_best_in_the_original_words() -> None:
    def record(**fields: Any) -> Record:
        return Record(id="a", user="u", text="t", at=START, **fields)

    assert provenance_quality(record()) == 1
    assert provenance_quality(record(fidelity=0.9, sources=("x",))) == 0.9
    assert provenance_quality(record(fidelity=0.9, sources=("x",), metadata={"sources": "window"})) == 0.45


def staleness_of_first(memory: Memory, **more: Any) -> float:
    found = memory.search("quince", user="ana", k=10, staleness="refresh", explain=True, **more)
    (first,) = [recall for recall in found if recall.id == "m0"]
    assert first.explanation is not None
    return float(first.explanation["staleness"]["staleness"])


def test_refresh_counts_uses_that_are_not_written_yet(filled: Memory) -> None:
    assert staleness_of_first(filled, track=False) == 1
    assert staleness_of_first(filled) == 1, "a search is no use before itself"
    assert staleness_of_first(filled, track=False) == 0
    with filled._engine.store.reading() as reader:
        assert reader.uses.of("ana") == [], "and it writes nothing"
    filled._engine.write_uses()
    assert staleness_of_first(filled, track=False) == 0
    with filled._engine.store.reading() as reader:
        assert {use.record: use.searches for use in reader.uses.of("ana")}["m0"] == 1


def test_sleep_counts_them_too(filled: Memory) -> None:
    policy = StalenessPolicy(name="refresh", prune_above=0.9)
    untouched = filled.consolidate("ana", staleness=policy, dry_run=True).upkeep
    assert untouched.pruned > 0
    filled.search("quince", user="ana", k=10)
    assert filled.consolidate("ana", staleness=policy, dry_run=True).upkeep.pruned == 0
    assert filled.consolidate("ana", staleness=policy).upkeep.pruned == 0
