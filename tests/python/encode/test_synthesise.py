"""Synthesise: related statements as one, without losing what they say."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from conversations import START, conversation, statement, turns, work
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from rules_statements import RULES
from scripted_llm import read_data
from tools import MemoryTools, run_stages

from memspan.encode.kept_words import invented, lost
from memspan.encode.synthesise import Synthesise
from memspan.encode.values import Statement
from memspan.errors import InvalidArgumentError, LLMError, TruncatedReplyError

KNOWN = turns("Coffee, please.", "With milk?", "Oat milk. And hot!", "Sure.")
WANTS = statement("Ana wants coffee.", "t0", entities=("Ana",), topic="coffee", salience=0.5, tags=("cafe",))
MILK = statement("Ana prefers oat milk.", "t2", entities=("Ana",), salience=0.75, tags=("milk", "cafe"))
HOT = statement("Ana likes it hot.", "t2", "t1", entities=("Ana",))
OTHER = statement("Bo is a waiter.", "t3")


def unit(text: str, *members: Any, **more: Any) -> dict[str, Any]:
    return {"content": text, "members": list(members), **more}


def run(
    statements: list[Statement], *replies: Any, **parameters: Any
) -> tuple[tuple[Statement, ...], MemoryTools]:
    tools = MemoryTools({"synthesise": list(replies)})
    given = work(KNOWN, statements=statements)
    return asyncio.run(run_stages([Synthesise(**parameters)], given, tools)).statements, tools


def units(*some: dict[str, Any]) -> dict[str, Any]:
    return {"units": list(some)}


def texts(statements: tuple[Statement, ...]) -> list[str]:
    return [one.text for one in statements]


def test_a_unit_with_all_that_its_members_say_takes_their_place() -> None:
    done, tools = run(
        [OTHER, WANTS, MILK, HOT],
        units(unit("Ana prefers hot coffee with oat milk.", 4, 2, 3, topic="drinks")),
    )

    assert texts(done) == ["Bo is a waiter.", "Ana prefers hot coffee with oat milk."]
    one = done[1]
    assert one.sources == ("t0", "t1", "t2")
    assert (one.topic, one.salience, one.stage, one.details) == ("drinks", 0.75, "synthesise", ())
    assert one.tags == ("cafe", "milk")
    assert one.entities == ("Ana",)
    (note,) = tools.noted("synthesised")
    assert note["members"] == ["Ana wants coffee.", "Ana prefers oat milk.", "Ana likes it hot."]


def test_a_unit_that_loses_a_name_is_put_before_its_members() -> None:
    named = statement("Ana prefers Oatly milk.", "t2", entities=("Ana", "Oatly"))

    done, tools = run([WANTS, named, OTHER], units(unit("Ana prefers coffee with milk.", 1, 2)))

    assert texts(done) == [
        "Ana prefers coffee with milk.",
        "Ana wants coffee.",
        "Ana prefers Oatly milk.",
        "Bo is a waiter.",
    ]
    assert done[0].details == ("Ana wants coffee.", "Ana prefers Oatly milk.")
    assert done[0].sources == ("t0", "t2")
    assert done[0].topic == "coffee"
    assert tools.noted("abstracted")[0]["missing"] == ["Oatly"]


def test_what_happened_on_different_days_is_not_one_event() -> None:
    later = statement("Ana ran again.", "t2", at=START + timedelta(days=2))

    done, _ = run([statement("Ana ran."), later], units(unit("Ana ran twice.", 1, 2)))

    assert texts(done) == ["Ana ran twice.", "Ana ran.", "Ana ran again."]
    assert done[0].at == later.at


def test_kinds_are_not_mixed_in_one_record() -> None:
    how = statement("To make coffee, Ana grinds beans.", kind="procedural")

    done, _ = run([WANTS, how], units(unit("Ana wants coffee and grinds beans.", 1, 2)))

    assert [one.kind for one in done] == ["semantic", "semantic", "procedural"]


def test_a_unit_with_a_number_of_its_own_is_dropped() -> None:
    done, tools = run([WANTS, MILK], units(unit("Ana wants 3 coffees with oat milk.", 1, 2)))

    assert done == (WANTS, MILK)
    assert tools.noted("dropped")[0]["numbers"] == ["3"]


@pytest.mark.parametrize(
    "wrong", [unit("Ana.", 1), unit("Ana."), unit("", 1, 2), unit("Ana.", 1, 9), unit("Ana.", 1, 1)]
)
def test_a_unit_of_fewer_than_two_is_dropped_and_noted(wrong: dict[str, Any]) -> None:
    done, tools = run([WANTS, MILK], units(wrong))

    assert done == (WANTS, MILK)
    assert tools.noted("dropped")[0]["reason"] == "unit without two free members"


def test_a_unit_that_is_one_of_its_members_is_dropped() -> None:
    done, tools = run([WANTS, MILK], units(unit("Ana wants coffee", 1, 2)))

    assert done == (WANTS, MILK)
    assert tools.noted("dropped")[0]["reason"] == "unit that is one of its members"


def test_a_member_that_says_all_that_the_others_say_takes_their_place() -> None:
    more = statement("Ana wants hot coffee.", "t2", entities=("Ana",))

    done, _ = run([WANTS, more], units(unit("Ana wants hot coffee.", 1, 2)))

    assert [(one.text, one.sources) for one in done] == [("Ana wants hot coffee.", ("t0", "t2"))]


def test_a_statement_is_in_one_unit_only() -> None:
    done, _ = run(
        [WANTS, MILK, HOT],
        units(unit("Ana wants coffee with oat milk.", 1, 2), unit("Ana wants hot oat milk.", 2, 3)),
    )

    assert texts(done) == ["Ana wants coffee with oat milk.", "Ana likes it hot."]


def test_unknown_numbers_are_noted() -> None:
    _, tools = run([WANTS, MILK], units(unit("Ana wants coffee with oat milk.", 1, 2, 5)))

    assert tools.noted("unknown statements")[0]["numbers"] == [5]


def test_marks_of_members_stay() -> None:
    marked = statement("Ana likes it hot.", "t2", metadata={"verified": False})

    done, _ = run([WANTS, marked], units(unit("Ana wants hot coffee.", 1, 2)))

    assert done[0].metadata == {"verified": False}


def test_an_abstract_that_goes_into_a_unit_leaves_its_details() -> None:
    abstract = statement("Ana likes drinks.", details=("Ana wants coffee.",))

    done, _ = run([abstract, MILK], units(unit("Ana likes drinks with oat milk.", 1, 2)))

    assert done[0].details == ("Ana wants coffee.",)


def test_an_empty_list_is_a_good_answer() -> None:
    assert run([WANTS, MILK], units())[0] == (WANTS, MILK)


@pytest.mark.parametrize("statements", [[], [WANTS]])
def test_fewer_than_two_statements_ask_nothing(statements: list[Statement]) -> None:
    done, tools = run(statements)

    assert list(done) == statements
    assert tools.asked == []


def test_many_statements_are_read_in_several_calls() -> None:
    statements = [statement(f"Fact {n}.") for n in range(7)]

    done, tools = run(statements, units(), units(), most=3)

    assert list(done) == statements
    assert tools.keys() == ["synthesise/0", "synthesise/1"]


def test_a_truncated_reply_splits_the_statements() -> None:
    done, tools = run(
        [WANTS, MILK, HOT, OTHER],
        TruncatedReplyError("long"),
        units(unit("Ana wants coffee with oat milk.", 1, 2)),
        units(),
    )

    assert texts(done) == ["Ana wants coffee with oat milk.", "Ana likes it hot.", "Bo is a waiter."]
    assert tools.keys() == ["synthesise/0", "synthesise/0.1", "synthesise/0.2"]


def test_a_failing_model_stops_the_job() -> None:
    with pytest.raises(LLMError):
        run([WANTS, MILK], LLMError("gone"))


def test_the_prompt_shows_statements_topics_and_the_last_turns_before() -> None:
    tools = MemoryTools({"synthesise": [units()]})
    given = work(KNOWN[2:], history=KNOWN[:2], statements=[WANTS, MILK])

    asyncio.run(run_stages([Synthesise(context=1)], given, tools))

    data = read_data(tools.asked[0][1].user)
    assert data["statements"] == [
        {"n": 1, "statement": "Ana wants coffee.", "topic": "coffee"},
        {"n": 2, "statement": "Ana prefers oat milk."},
    ]
    assert [line["text"] for line in data["context"]] == ["With milk?"]


@pytest.mark.parametrize(
    ("parts", "text", "gone", "new"),
    [
        (["On 2023-05-07 at 14:05"], "7.5.2023, 14:05", [], []),
        (["It cost $1,200."], "It cost 1200 dollars.", [], []),
        (["3 cats"], "Cats.", ["3"], []),
        (["A cat."], "3 cats", [], ["3"]),
        (["0 left"], "00 left", [], []),
        (["٣ cats"], "cats", ["٣"], []),
    ],
)
def test_numbers_are_compared_by_value(parts: list[str], text: str, gone: list[str], new: list[str]) -> None:
    statements = [statement(part) for part in parts]

    assert lost(statements, text, 0) == gone
    assert invented(statements, text) == new


def test_names_are_compared_by_their_words() -> None:
    part = statement("x", entities=("Cedar Bakery", "São Paulo"))

    assert lost([part], "the bakery 'Cedar' in são PAULO", 0) == []
    assert lost([part], "the Cedars bakery", 0) == ["Cedar Bakery", "São Paulo"]


@pytest.mark.parametrize(
    ("part", "text", "gone"),
    [
        ("Ana wants coffee.", "Ana prefers hot coffee with oat milk.", []),
        ("Ana likes tea.", "Ana likes drinks.", ["tea"]),
        ("Ana does not eat meat.", "Ana eats meat and fish.", ["not"]),
        ("Ana never eats meat.", "Ana eats meat.", ["never"]),
        (
            "Ana walks to the old mill every foggy morning.",
            "Ana walks to the mill on foggy mornings.",
            ["everi", "old"],
        ),
        ("Ana walked.", "Ana walks.", []),
        ("Ana isst kein Fleisch.", "Ana isst Fisch.", ["fleisch", "kein"]),
        ("安娜喜欢茶", "安娜喜欢咖啡", ["欢茶"]),
    ],
)
def test_words_that_matter_are_compared_by_their_stems(part: str, text: str, gone: list[str]) -> None:
    entities = tuple(name for name in ("Ana", "安娜") if name in part)

    assert lost([statement(part, entities=entities)], text, 1.0) == gone


def test_one_word_of_many_may_be_said_otherwise() -> None:
    part = statement("Ana walks to the old mill every foggy morning.", entities=("Ana",))

    assert lost([part], "Ana walks to the mill every foggy morning.", 0.8) == []
    assert lost([part], "Ana walks every morning.", 0.8) == ["foggi", "mill", "old"]


@pytest.mark.parametrize(
    ("part", "text", "gone"),
    [
        ("Ana isst seit Mai kein Fleisch am Montag.", "Ana isst seit Mai Fleisch am Montag.", ["kein"]),
        ("Ana nunca come carne los lunes por la tarde.", "Ana come carne los lunes por la tarde.", ["nunca"]),
        ("Анна больше не ест мясо по утрам.", "Анна больше ест мясо по утрам.", ["не"]),
        ("安娜从来不吃牛肉", "安娜从来吃牛肉", ["不"]),
        ("Ana nunca come carne.", "Ana come pescado y nunca come carne.", []),
    ],
)
def test_denials_of_all_languages_are_kept(part: str, text: str, gone: list[str]) -> None:
    assert set(gone) <= set(lost([statement(part)], text, 0.0))
    assert bool(gone) == bool(lost([statement(part)], text, 0.0))


@PROFILE
@given(
    count=st.integers(2, 9),
    members=st.lists(st.lists(st.integers(-1, 11), max_size=5), max_size=5),
    dense=st.booleans(),
)
def test_no_source_or_number_is_lost(count: int, members: list[list[int]], dense: bool) -> None:
    before = [statement(f"Fact {n}.", f"t{n % 4}") for n in range(count)]
    reply = units(
        *(
            unit(" ".join(f"{n - 1}" for n in some if 1 <= n <= count) if dense else "facts", *some)
            for some in members
        )
    )

    done, _ = run(before, reply)

    assert {id_ for one in done for id_ in one.sources} == {id_ for one in before for id_ in one.sources}
    numbers = {word.strip(".") for one in done for word in one.text.split()}
    assert {str(n) for n in range(count)} <= numbers
    assert len([one for one in done if one.stage != "synthesise"]) <= count
    for one in done:
        assert set(one.details) <= set(texts(done))


def test_by_rules_over_a_conversation() -> None:
    from memspan.encode.extract import Extract

    tools = MemoryTools(RULES)

    done = asyncio.run(run_stages([Extract(), Synthesise()], work(conversation(30)), tools))

    assert tools.calls() == {"extract": 1, "synthesise": 1}
    made = [one for one in done.statements if one.stage == "synthesise"]
    assert made
    assert all(len(one.sources) > 1 for one in made)


@pytest.mark.parametrize("wrong", [{"most": 1}, {"context": -1}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Synthesise(**wrong)
