"""TagByModel: tags and relations, and what happens when the model fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conversations import conversation, statement, turns, work
from rules_tag import RULES
from scripted_llm import read_data
from tools import MemoryTools, run_stages

from memspan.encode.tags.tag_by_model import TagByModel
from memspan.encode.values import Work
from memspan.errors import (
    BadReplyError,
    InvalidArgumentError,
    LLMError,
    ModelAccessError,
    TruncatedReplyError,
)

FOUR = turns("I went camping.", "In the rain?", "I run marathons.", "Wow.")


NONE: dict[str, tuple[str, ...]] = {"t0": (), "t1": ()}
"""A turn without tags says so: what an earlier run found is taken back."""


def item(n: int, *tags: str, relations: Any = ()) -> dict[str, Any]:
    return {
        "n": n,
        "tags": list(tags),
        "relations": [{"parent": parent, "child": child} for parent, child in relations],
    }


def items(*some: dict[str, Any]) -> dict[str, Any]:
    return {"items": list(some)}


def run(given: Work, *replies: Any, tags: Any = (), **parameters: Any) -> tuple[Work, MemoryTools]:
    tools = MemoryTools({"tag": list(replies)}, tags=tags)
    return asyncio.run(run_stages([TagByModel(**parameters)], given, tools)), tools


def test_turns_of_an_episode_get_its_tags() -> None:
    done, tools = run(
        work(FOUR),
        items(item(1, "Camping", "rainy weather", relations=[("nature", "camping")])),
        items(item(1, "marathon")),
    )

    assert done.turn_tags == {
        "t0": ("camping", "rainy_weather"),
        "t1": ("camping", "rainy_weather"),
        "t2": ("marathon",),
        "t3": ("marathon",),
    }
    assert done.relations == (("nature", "camping"),)
    assert done.statements == ()
    assert tools.keys() == ["tag/0", "tag/1"]
    assert read_data(tools.asked[0][1].user)["items"] == [
        {
            "n": 1,
            "turns": [
                {"speaker": "Ana", "text": "I went camping."},
                {"speaker": "Bo", "text": "In the rain?"},
            ],
        }
    ]


def test_statements_get_tags_beside_those_that_they_have() -> None:
    given = work(FOUR, statements=[statement("Ana camps.", tags=("fun",)), statement("Ana runs.")])

    done, tools = run(
        given, items(item(2, "running"), item(1, "camping", "fun")), target="statements", batch=2
    )

    assert [one.tags for one in done.statements] == [("fun", "camping"), ("running",)]
    assert done.turn_tags == {}
    assert read_data(tools.asked[0][1].user)["items"] == [
        {"n": 1, "statement": "Ana camps."},
        {"n": 2, "statement": "Ana runs."},
    ]


def test_tags_that_turns_have_stay() -> None:
    given = Work(user="ana", turns=FOUR[:1], turn_tags={"t0": ("old",), "t9": ("other",)})

    assert run(given, items(item(1, "camping")))[0].turn_tags == {
        "t0": ("old", "camping"),
        "t9": ("other",),
    }


def test_unusable_tags_and_all_after_the_eighth_are_left_out() -> None:
    names = [f"name{chr(97 + n)}" for n in range(10)]

    done, tools = run(work(FOUR[:2]), items(item(1, "chat", "a b c d", *names)))

    assert done.turn_tags["t0"] == tuple(names[:8])
    assert tools.noted("dropped") == [
        {"event": "dropped", "reason": "no usable tag", "tags": ["chat", "a b c d"]}
    ]


def test_no_tags_are_a_good_answer() -> None:
    done, tools = run(work(FOUR[:2]), items(item(1)))
    assert (done.turn_tags, tools.notes) == (NONE, [])

    assert run(work(FOUR[:2]), items())[0].turn_tags == NONE


def test_a_single_item_needs_no_number() -> None:
    done, _ = run(work(FOUR), items({"tags": ["camping"]}), items(item(0, "running")))

    assert done.turn_tags == {
        id_: (tag,) for tag, ids in (("camping", "t0 t1"), ("running", "t2 t3")) for id_ in ids.split()
    }


@pytest.mark.parametrize(
    "tags", ["camping, rainy weather", ["camping, rainy weather"], ["camping;rainy weather", ""]]
)
def test_tags_in_one_text_are_several(tags: Any) -> None:
    done, _ = run(work(FOUR[:2]), items({"n": 1, "tags": tags}))

    assert done.turn_tags["t0"] == ("camping", "rainy_weather")


@pytest.mark.parametrize(
    "wrong",
    [("nature", "hiking"), ("", "camping"), ("chat", "camping"), ("Camping", "camping"), ("camping", "")],
)
def test_relations_must_be_about_the_items_own_tags(wrong: tuple[str, str]) -> None:
    done, tools = run(work(FOUR[:2]), items(item(1, "camping", relations=[wrong])))

    assert done.relations == ()
    assert tools.noted("dropped")[0]["reason"] == "no usable relation"


def test_cycles_are_refused_across_items_and_with_what_was_there() -> None:
    given = Work(user="ana", turns=FOUR, relations=(("nature", "camping"),))

    done, tools = run(
        given,
        items(item(1, "nature", "tent", relations=[("camping", "nature"), ("camping", "tent")])),
        items(item(1, "nature", relations=[("tent", "nature")])),
    )

    assert done.relations == (("nature", "camping"), ("camping", "tent"))
    assert [(note["parent"], note["child"]) for note in tools.noted("dropped")] == [
        ("camping", "nature"),
        ("tent", "nature"),
    ]


def test_existing_tags_are_offered_and_then_the_new_ones_first() -> None:
    _, tools = run(
        work(FOUR),
        items(item(1, "camping")),
        items(item(1, "running")),
        tags=["family", "music", "garden"],
        vocabulary=3,
        wave=1,
    )

    offered = [read_data(prompt.user)["vocabulary"] for _, prompt in tools.asked]
    assert offered == [["family", "music", "garden"], ["camping", "family", "music"]]


def test_calls_of_one_wave_are_offered_the_same() -> None:
    _, tools = run(work(FOUR), items(item(1, "camping")), items(item(1, "running")), wave=2)

    assert [read_data(prompt.user)["vocabulary"] for _, prompt in tools.asked] == [[], []]


@pytest.mark.parametrize(
    "error", [LLMError("server is gone"), BadReplyError("no JSON"), TruncatedReplyError("long")]
)
def test_where_the_model_fails_the_nearest_existing_tags_are_used(error: LLMError) -> None:
    done, tools = run(
        work(FOUR),
        error,
        items(item(1, "marathon")),
        tags=["music", "camping", "went_camping", "garden"],
        nearest=2,
    )

    assert set(done.turn_tags["t0"]) == {"went_camping", "camping"}
    assert done.turn_tags["t2"] == ("marathon",)
    assert tools.noted("nearest tags instead") == [
        {"event": "nearest tags instead", "key": "0", "reason": str(error)}
    ]


@pytest.mark.parametrize("error", [LLMError("no answer"), ModelAccessError("the key is refused")])
def test_where_nobody_answers_the_turns_wait(error: LLMError) -> None:
    error.unanswered = not isinstance(error, ModelAccessError)

    with pytest.raises(type(error)):
        run(work(FOUR), error, items(item(1, "marathon")), tags=["camping"])


def test_without_tags_there_is_nothing_to_fall_back_on() -> None:
    assert run(work(FOUR[:2]), LLMError("gone"))[0].turn_tags == NONE
    assert run(work(FOUR[:2]), LLMError("gone"), tags=["camping"], nearest=0)[0].turn_tags == NONE


def test_far_tags_are_not_used() -> None:
    assert run(work(FOUR[:2]), LLMError("gone"), tags=["zoology"])[0].turn_tags == NONE


def test_a_truncated_reply_splits_the_batch() -> None:
    done, tools = run(
        work(FOUR),
        TruncatedReplyError("long"),
        items(item(1, "camping")),
        items(item(1, "marathon")),
        batch=2,
    )

    assert tools.keys() == ["tag/0", "tag/0.1", "tag/0.2"]
    assert (done.turn_tags["t1"], done.turn_tags["t2"]) == (("camping",), ("marathon",))


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError):
        run(work(FOUR[:2]), ZeroDivisionError())


def test_nothing_to_tag_asks_nothing() -> None:
    assert run(work(()))[1].asked == []
    assert run(work(FOUR), target="statements")[1].asked == []


def test_by_rules_over_a_conversation_tags_come_back() -> None:
    tools = MemoryTools(RULES, tags=["porto"])
    given = conversation(30)

    done = asyncio.run(run_stages([TagByModel()], work(given), tools))

    assert len(tools.asked) == 15
    assert "porto" in done.turn_tags["t1"]
    assert done.relations
    used = [name for names in done.turn_tags.values() for name in names]
    assert len(set(used)) < len(used) / 2


@pytest.mark.parametrize(
    "wrong",
    [{"target": "records"}, {"episode": 0}, {"batch": 0}, {"most": 2}, {"wave": 0}, {"nearest": -1}],
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        TagByModel(**wrong)
