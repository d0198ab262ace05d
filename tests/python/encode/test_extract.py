"""Extract: statements from windows, with sources and times that hold."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from conversations import START, conversation, turn, turns, work
from rules_statements import RULES
from scripted_llm import read_data
from tools import MemoryTools, run_stages

from memspan.encode.extract import Extract
from memspan.encode.values import Turn, Window, Work
from memspan.encode.windows import Windows
from memspan.errors import BadReplyError, InvalidArgumentError, TruncatedReplyError

TWO = turns("I moved to Porto.", "My sister Ines came too.")


def extracted(content: str, numbers: Any = (1,), **more: Any) -> dict[str, Any]:
    return {"content": content, "turns": list(numbers) if isinstance(numbers, tuple) else numbers, **more}


def run(given: Work | Sequence[Turn], *replies: Any, **parameters: Any) -> tuple[Work, MemoryTools]:
    tools = MemoryTools({name: list(replies) for name in ("extract", "extract_personal")})
    before = given if isinstance(given, Work) else work(given)
    return asyncio.run(run_stages([Extract(**parameters)], before, tools)), tools


def reply(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"statements": list(statements)}


def test_a_statement_gets_all_that_the_model_says() -> None:
    done, tools = run(
        TWO,
        reply(
            extracted(
                "Ana moved to Porto\nwith  Ines.",
                (2, 1),
                entities=["Ana", "Porto", "Ana", ""],
                topic="moving",
                timestamp="2023-05-05",
                salience="high",
            )
        ),
    )

    (one,) = done.statements
    assert one.text == "Ana moved to Porto with Ines."
    assert one.sources == ("t0", "t1")
    assert one.entities == ("Ana", "Porto")
    assert (one.topic, one.salience, one.stage, one.kind) == ("moving", 0.75, "extract", "semantic")
    assert one.at.isoformat() == "2023-05-05T00:00:00+00:00"
    assert one.metadata == {}
    assert tools.notes == []


def test_an_empty_list_is_a_good_answer() -> None:
    done, tools = run(TWO, reply())

    assert done.statements == ()
    assert len(tools.asked) == 1
    assert tools.notes == []


def test_no_turns_ask_nothing() -> None:
    assert run([])[1].asked == []


def test_unknown_numbers_are_dropped_and_noted() -> None:
    done, tools = run(TWO, reply(extracted("Ana moved.", (1, 3, 0, -1, 99))))

    assert done.statements[0].sources == ("t0",)
    assert tools.notes == [{"event": "unknown turns", "statement": "Ana moved.", "numbers": [-1, 0, 3, 99]}]


@pytest.mark.parametrize("numbers", [(), (7,), None, "all of them", ["t0"[:1]]])
def test_a_statement_without_a_turn_comes_from_the_window(numbers: Any) -> None:
    done, tools = run(TWO, reply(extracted("Ana moved.", numbers)))

    assert done.statements[0].sources == ("t0", "t1")
    assert done.statements[0].metadata == {"sources": "window"}
    assert tools.noted("no turns named") == [{"event": "no turns named", "statement": "Ana moved."}]


def test_an_impossible_time_is_flagged_noted_and_not_used() -> None:
    done, tools = run(TWO, reply(extracted("Ana moved.", (2,), timestamp="2023-02-30")))

    assert done.statements[0].at == TWO[1].at
    assert done.statements[0].metadata == {"time": {"flag": "unreadable", "given": "2023-02-30"}}
    assert tools.notes == [
        {
            "event": "impossible time",
            "statement": "Ana moved.",
            "given": "2023-02-30",
            "reason": "unreadable",
        }
    ]


def test_a_time_that_nobody_named_is_used_and_marked() -> None:
    done, tools = run(TWO, reply(extracted("Ana was born.", timestamp="1990-01-02")))

    assert done.statements[0].at.year == 1990
    assert done.statements[0].metadata["time"]["flag"] == "unconfirmed"
    assert tools.notes == []


def test_empty_statements_are_dropped_and_noted() -> None:
    done, tools = run(TWO, reply(extracted(" \x07 "), extracted("Ana moved.")))

    assert [one.text for one in done.statements] == ["Ana moved."]
    assert tools.noted("dropped")[0]["reason"] == "empty statement"


@pytest.mark.parametrize(
    ("word", "share"), [("high", 0.75), (" Low", 0.25), ("medium", 0.5), ("urgent!", 0.5), ("", 0.5)]
)
def test_salience_becomes_a_number(word: str, share: float) -> None:
    assert run(TWO, reply(extracted("Ana moved.", salience=word)))[0].statements[0].salience == share


def test_texts_that_cannot_be_stored_are_mended() -> None:
    done, _ = run(TWO, reply(extracted("Ana \ud83d moved", entities=["x" * 5000, "Bo"])))

    assert done.statements[0].text == "Ana \ufffd moved"
    assert done.statements[0].entities == ("Bo",)


def test_the_prompt_shows_history_without_numbers_and_no_ids() -> None:
    known = (*turns("Where?", "What?"), turn(7, "In Porto.", speaker=None))

    _, tools = run(work(known[1:], history=known[:1]), reply())

    prompt = tools.asked[0][1]
    assert (prompt.name, tools.keys()) == ("extract", ["extract/0"])
    assert read_data(prompt.user) == {
        "scene": [{"start": "2023-05-08T13:57:00Z", "weekday": "Monday", "participants": ["Bo"]}],
        "turns": [
            {"at": "2023-05-08T13:56:00Z", "speaker": "Ana", "text": "Where?"},
            {"n": 1, "speaker": "Bo", "text": "What?"},
            {"n": 2, "text": "In Porto."},
        ],
    }
    assert "t7" not in prompt.user + prompt.system


def test_the_time_is_shown_again_on_another_day() -> None:
    """Else what is said of tomorrow after midnight is taken for a day too early."""
    evening, night = START.replace(hour=23, minute=40), START.replace(day=9, hour=0, minute=10)

    _, tools = run([turn(0, "a", at=evening), turn(1, "My exam is tomorrow.", at=night)], reply())

    lines = read_data(tools.asked[0][1].user)["turns"]
    assert [line["at"] for line in lines] == ["2023-05-08T23:40:00Z", "2023-05-09T00:10:00Z"]


def test_the_time_is_shown_again_after_a_pause() -> None:
    later = START.replace(hour=20, minute=0)

    _, tools = run([turn(0, "a"), turn(1, "b"), turn(2, "c", at=later)], reply())

    lines = read_data(tools.asked[0][1].user)["turns"]
    assert [line.get("at") for line in lines] == ["2023-05-08T13:56:00Z", None, "2023-05-08T20:00:00Z"]


def test_the_topic_of_a_window_is_shown_and_used_where_the_model_gives_none() -> None:
    given = Work(user="ana", turns=TWO, windows=(Window(turns=TWO, topic="moving"),))

    done, tools = run(given, reply(extracted("Ana moved."), extracted("Ines came.", topic="family")))

    assert read_data(tools.asked[0][1].user)["scene"][0]["topic"] == "moving"
    assert [one.topic for one in done.statements] == ["moving", "family"]


def test_the_personal_prompt_is_another_one() -> None:
    _, tools = run(TWO, reply(), prompt="extract_personal")

    assert tools.asked[0][1].name == "extract_personal"
    with pytest.raises(InvalidArgumentError):
        Extract(prompt="complete")


def test_windows_that_overlap_give_each_statement_once_with_all_sources() -> None:
    tools = MemoryTools(
        {
            "extract": [
                reply(extracted("Ana moved to Porto.", (2,)), extracted("Bo is glad.", (1,))),
                reply(extracted("ana moved to porto", (1, 2))),
            ]
        }
    )

    done = asyncio.run(run_stages([Windows(size=2, stride=1), Extract()], work(conversation(3)), tools))

    assert [(one.text, one.sources) for one in done.statements] == [
        ("Ana moved to Porto.", ("t1", "t2")),
        ("Bo is glad.", ("t0",)),
    ]
    assert tools.noted("merged")[0]["sources"] == ["t1", "t2"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana knows C++.", "Ana knows C#."),
        ("Ana's balance is -200.", "Ana's balance is 200."),
        ("Ana paid $5.", "Ana paid €5."),
        ("Ana answered 👍", "Ana answered 👎"),
    ],
)
def test_statements_that_differ_in_a_sign_are_two(one: str, other: str) -> None:
    done, _ = run(TWO, reply(extracted(one, (1,)), extracted(other, (1,))))

    assert [statement.text for statement in done.statements] == [one, other]


def test_the_same_words_on_another_day_are_another_statement() -> None:
    given = [turn(0, "I ran."), turn(1, "I ran.", at=START.replace(day=20))]

    done, _ = run(given, reply(extracted("Ana ran.", (1,)), extracted("Ana ran.", (2,))))

    assert [one.sources for one in done.statements] == [("t0",), ("t1",)]


def test_a_truncated_reply_splits_the_window_and_numbers_start_again() -> None:
    done, tools = run(
        TWO,
        TruncatedReplyError("long"),
        reply(extracted("Ana moved.", (1,))),
        reply(extracted("Ines came.", (1,))),
    )

    assert [(one.text, one.sources) for one in done.statements] == [
        ("Ana moved.", ("t0",)),
        ("Ines came.", ("t1",)),
    ]
    assert tools.keys() == ["extract/0", "extract/0.1", "extract/0.2"]
    second = read_data(tools.asked[2][1].user)["turns"]
    assert [line.get("n") for line in second] == [None, 1], "the first half is history of the second"


def test_a_bad_reply_stops_the_job_and_what_was_answered_is_not_asked_again() -> None:
    answers: list[Any] = [reply(extracted("Ana moved.")), BadReplyError("no JSON")]
    tools = MemoryTools({"extract": answers})
    stages = [Windows(size=1, stride=1), Extract()]

    with pytest.raises(BadReplyError):
        asyncio.run(run_stages(stages, work(TWO), tools))
    assert len(tools.asked) == 2

    tools._answers["extract"] = [reply()]
    done = asyncio.run(run_stages(stages, work(TWO), tools))
    assert tools.keys() == ["extract/0", "extract/1", "extract/1"]
    assert [one.text for one in done.statements] == ["Ana moved."]


def test_what_earlier_stages_made_stays_first() -> None:
    first, _ = run(TWO, reply(extracted("Ana moved.")))

    again, _ = run(first, reply(extracted("Ines came.", (2,))))

    assert [one.text for one in again.statements] == ["Ana moved.", "Ines came."]


def test_by_rules_over_a_conversation() -> None:
    tools = MemoryTools(RULES)
    given = conversation(45)

    done = asyncio.run(run_stages([Windows(), Extract()], work(given), tools))

    texts = {one.id: one.text for one in given}
    assert len(tools.asked) == 3
    assert len(done.statements) >= 20
    for one in done.statements:
        assert len(one.sources) == 1
        assert texts[one.sources[0]].split()[-1] in one.text
