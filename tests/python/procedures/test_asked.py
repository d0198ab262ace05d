"""Questions about how something is done find procedures among what was said."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from agent_sessions import cancel_order
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.memory import Memory
from memspan.recall import Plan
from memspan.records import Record
from memspan.remember.searching.recall import Recall, Recalls
from memspan.remember.searching.wanted_kinds import lift_wanted, places_for


@pytest.fixture
def full(memory: Memory) -> Memory:
    """Learnt procedures among much talk about the same."""
    memory.add([cancel_order(number) for number in range(1, 5)], user="ana")
    for number in range(40):
        memory.add(f"We talked about how to cancel an order, number {number}, and what it costs.", user="ana")
    memory.learn_procedures("ana")
    memory.add("Water the plants: fill the can, then pour.", user="ana", kind="procedural")
    return memory


def test_a_question_how_finds_the_procedure_first(full: Memory) -> None:
    found = full.search("How do I cancel an order?", user="ana", k=10)

    assert len(found) == 10
    assert found[0].record.kind == "procedural"
    assert found[0].record.metadata["procedure"]["name"] == "cancel order"
    assert found.lifted == (found[0].id,)
    assert [recall.score for recall in found] == sorted((recall.score for recall in found), reverse=True)
    assert len({recall.id for recall in found}) == 10


def test_one_that_a_caller_wrote_is_found_as_well(full: Memory) -> None:
    found = full.search("How do I water the plants?", user="ana", k=4)

    assert found[0].text.startswith("Water the plants")


def test_other_questions_are_as_before(full: Memory) -> None:
    found = full.search("What did we say about orders?", user="ana", k=10)

    assert found.lifted == ()


def test_what_the_caller_says_about_kinds_holds(full: Memory) -> None:
    only = full.search("How do I cancel an order?", user="ana", k=5, kinds=["episodic"])
    all_ = full.search("How do I cancel an order?", user="ana", k=5, kinds=["procedural"])

    assert {recall.record.kind for recall in only} == {"episodic"}
    assert {recall.record.kind for recall in all_} == {"procedural"}
    assert only.lifted == all_.lifted == ()


def test_a_plan_by_hand_asks_for_kinds(full: Memory) -> None:
    full.add("Ana is allergic to nuts.", user="ana", kind="semantic")
    plan = Plan(question="What is Ana allergic to?", record_kinds=("semantic",))

    found = full.search("What is Ana allergic to?", user="ana", k=5, plan=plan)

    assert found[0].record.kind == "semantic"
    assert len(found.lifted) == 1


def test_without_procedures_nothing_changes(memory: Memory) -> None:
    memory.add([f"We cancel order {number}" for number in range(20)], user="ana")

    found = memory.search("How do I cancel an order?", user="ana", k=5)

    assert (len(found), found.lifted) == (5, ())


def test_excluded_and_forgotten_procedures_stay_away(full: Memory) -> None:
    (first, *_) = full.search("How do I cancel an order?", user="ana", k=5)

    again = full.search("How do I cancel an order?", user="ana", k=5, exclude=[first.id])
    assert first.id not in {recall.id for recall in again}
    full.forget(user="ana", id=first.id)
    again = full.search("How do I cancel an order?", user="ana", k=5)
    assert first.id not in {recall.id for recall in again}


def recall(id_: str, score: float, semantic: float, lexical: bool) -> Recall:
    at = datetime(2024, 5, 1, tzinfo=timezone.utc)
    views = {"semantic": (1, semantic), **({"lexical": (1, 2.0)} if lexical else {})}
    record = Record(id=id_, user="ana", text=id_, at=at)
    return Recall(id=id_, text=id_, at=at, score=score, record=record, views=views, explanation=None)


_SCORES = st.lists(
    st.tuples(st.floats(-5, 5), st.floats(-1, 1), st.booleans()), min_size=0, max_size=12
)  # fmt: skip


@PROFILE
@given(_SCORES, _SCORES, st.integers(1, 12), st.integers(0, 3))
def test_lifting_keeps_the_list_sound(
    given_: list[tuple[float, float, bool]], asked: list[tuple[float, float, bool]], k: int, shared: int
) -> None:
    scores = sorted((score for score, _, _ in given_[:k]), reverse=True)
    recalls = Recalls(
        recall(f"r{i}", score, semantic, lexical)
        for i, (score, (_, semantic, lexical)) in enumerate(zip(scores, given_, strict=False))
    )
    wanted = [
        recall(f"r{i}" if i < shared and i < len(recalls) else f"w{i}", score, semantic, lexical)
        for i, (score, semantic, lexical) in enumerate(asked)
    ]

    lifted = lift_wanted(recalls, wanted, k)

    ids = [one.id for one in lifted]
    assert len(ids) == len(set(ids)) <= max(k, len(recalls))
    assert len(ids) >= len(recalls)
    assert [one.score for one in lifted] == sorted((one.score for one in lifted), reverse=True)
    assert len(lifted.lifted) <= places_for(k)
    kept = [one.id for one in recalls if one.id in ids and one.id not in lifted.lifted]
    assert [id_ for id_ in ids if id_ not in lifted.lifted] == kept
    assert len(recalls) - len([id_ for id_ in ids if id_ in {one.id for one in recalls}]) <= places_for(k)
