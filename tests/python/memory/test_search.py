"""Reading through `Memory`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memspan import errors
from memspan.limits import MAX_EXCLUDED
from memspan.memory import Memory
from memspan.remember.searching import searching
from memspan.remember.searching.asking import asked
from memspan.times import now_micros


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add(
        [
            {
                "id": "m1",
                "text": "Camping by the lake",
                "at": "2023-05-01",
                "tags": ["camping"],
                "metadata": {"n": 1},
            },
            {
                "id": "m2",
                "text": "Camping in the rain",
                "at": "2023-06-01",
                "session": "s",
                "metadata": {"n": 2},
            },
            {
                "id": "m3",
                "text": "My camping stove broke",
                "at": "2023-07-01",
                "session": "s",
                "kind": "semantic",
            },
            {"id": "m4", "text": "The camping safe code is 1234", "at": "2023-08-01", "kind": "vault"},
            {"id": "m5", "text": "Baking bread", "at": "2023-09-01", "until": "2023-10-01"},
        ],
        user="ana",
    )
    return memory


def ids(found: Any) -> set[str]:
    return {recall.id for recall in found}


def test_filters_reach_the_index(filled: Memory) -> None:
    def search(**options: Any) -> set[str]:
        return ids(filled.search("camping", user="ana", **options))

    assert search() == {"m1", "m2", "m3", "m5"}
    assert search(k=1) < {"m1", "m2", "m3"}
    assert search(between=("2023-05-15", "2023-07-15")) == {"m2", "m3"}
    assert search(between=[(None, "2023-05-02"), ("2023-08-15", None)]) == {"m1", "m5"}
    assert search(kinds=["vault"]) == {"m4"}
    assert search(require_tags=["Camping"]) == {"m1"}
    assert search(where={"n": {"$gte": 2}}) == {"m2"}
    assert search(exclude=["m1", "m2"]) == {"m3", "m5"}
    assert search(views=["lexical"]) == {"m1", "m2", "m3"}
    assert search(valid_at="2023-11-01") == {"m1", "m2", "m3"}
    assert search(as_of="2020-01-01") == set()
    assert search(now="2023-10-01", fusion="union", neighbors=1) == {"m1", "m2", "m3", "m5"}


def test_as_of_now_knows_what_was_just_added(memory: Memory) -> None:
    memory.add([f"text {i}" for i in range(3000)], user="ana")
    assert (
        len(memory.search("text", user="ana", as_of=now_micros(), between=(None, now_micros()), k=10_000))
        == 3000
    )


def test_explanations(filled: Memory) -> None:
    plain = filled.search("camping", user="ana")
    assert plain.explanation is None
    assert all(found.explanation is None for found in plain)
    explained = filled.search("camping", user="ana", explain=True)
    assert explained.explanation is not None
    assert all(found.explanation is not None for found in explained)


def test_latest(filled: Memory) -> None:
    assert [found.id for found in filled.latest(user="ana")] == ["m5", "m3", "m2", "m1"]
    assert [found.id for found in filled.latest(user="ana", k=1, kinds=["vault"])] == ["m4"]
    assert [found.id for found in filled.latest(user="ana", between=(None, "2023-06-15"))] == ["m2", "m1"]
    assert filled.latest(user="nobody") == []


def test_get(filled: Memory) -> None:
    record = filled.get(user="ana", id="m4")
    assert record is not None
    assert record.kind == "vault"
    assert filled.get(user="ana", id="m9") is None
    assert filled.get(user="nobody", id="m1") is None


def test_unknown_users_are_empty(filled: Memory) -> None:
    assert filled.search("camping", user="nobody") == []
    assert filled.stats("nobody")["records"] == 0
    assert filled.forget(user="nobody") == 0
    assert filled.users() == ["ana"]


@pytest.mark.parametrize("fusion", ["rrf", "learned"])
def test_a_record_that_vanishes_between_search_and_fetch_is_replaced(
    filled: Memory, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch, fusion: str
) -> None:
    """Another handle forgets the best hit after the index has answered."""
    other = open_memory()
    best = filled.search("camping stove", user="ana", k=1, fusion=fusion)[0].id
    engine = filled._engine
    filters = dict.fromkeys(("between", "as_of", "valid_at", "kinds", "require_tags", "where"))
    prepared = asked(
        engine,
        "camping stove",
        user="ana",
        now=None,
        views=None,
        exclude=[],
        fusion=fusion,
        arguments=filters | {"k": 2, "explain": False, "require_tags": ()},
    )
    current, calls = engine.current, []

    def current_then_forget() -> Any:
        index = current()
        calls.append(index)
        if len(calls) == 1:
            other.forget(user="ana", id=best)
        return index

    monkeypatch.setattr(engine, "current", current_then_forget)
    found = searching.search(engine, prepared, filled._second_look)
    assert len(calls) == 2
    assert len(found) == 2
    assert best not in ids(found)


def test_an_index_that_knows_too_much_does_not_invent_records(filled: Memory) -> None:
    filled._engine.current().add(
        user="ana", id="ghost", at="2023-05-01", text="camping ghost", embedding=[1.0] * 32
    )
    found = filled.search("camping ghost", user="ana", k=4)
    assert "ghost" not in ids(found)
    assert len(found) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"question": ""}, "question"),
        ({"question": " \n"}, "question"),
        ({"question": None}, "question"),
        ({"user": ""}, "user"),
        ({"user": None}, "user"),
        ({"user": "u" * 600}, "user"),
        ({"k": 0}, "k"),
        ({"k": 10_001}, "k"),
        ({"k": 1.5}, "k"),
        ({"between": ("2024", "2023")}, "between"),
        ({"between": "2023"}, "between"),
        ({"now": "never"}, "now"),
        ({"as_of": float("nan")}, "as_of"),
        ({"valid_at": "x"}, "valid_at"),
        ({"kinds": ["odd"]}, "kinds"),
        ({"kinds": "episodic"}, "kinds"),
        ({"require_tags": 7}, "require_tags"),
        ({"where": {"$bad": 1}}, "where"),
        ({"where": 7}, "where"),
        ({"exclude": 7}, "exclude"),
        ({"exclude": ["x"] * (MAX_EXCLUDED + 1)}, "exclude"),
        ({"views": ["odd"]}, "views"),
        ({"views": 7}, "views"),
        ({"fusion": "odd"}, "fusion"),
        ({"neighbors": -1}, "neighbors"),
        ({"explain": "yes"}, "explain"),
    ],
)
def test_bad_arguments_are_named(filled: Memory, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"^{message}"):
        filled.search(**{"question": "camping", "user": "ana", **arguments})


def test_no_user_depends_on_another(
    memory: Memory, open_memory: Callable[..., Memory], tmp_path: Any
) -> None:
    messages = [{"id": f"m{i}", "text": f"rare{i} common words", "at": "2023-05-08"} for i in range(20)]
    memory.add(messages, user="ana")
    memory.add([{"text": "rare3 rare3 common"} for _ in range(50)], user="ben")
    memory.relate(user="ben", parent="x", child="y")
    alone = open_memory(tmp_path / "alone.memspan")
    alone.add(messages, user="ana")
    for question in ("rare3", "common rare7"):
        assert [(found.id, found.score, found.views) for found in memory.search(question, user="ana")] == [
            (found.id, found.score, found.views) for found in alone.search(question, user="ana")
        ]
