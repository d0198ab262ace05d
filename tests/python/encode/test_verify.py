"""Verify: only what the dialogue answers is kept, in the words of the dialogue."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from conversations import START, conversation, statement, turn, turns, work
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from numpy.typing import NDArray
from rules_verify import RULES
from scripted_llm import Asked, read_data
from tools import MemoryTools, run_stages

from memspan.encode.values import Statement, Work
from memspan.encode.verify import Verify
from memspan.errors import BadReplyError, InvalidArgumentError, TruncatedReplyError

TURNS = turns("I moved to Porto in April.", "And Ines?", "She came in May.")


def alike(score: float) -> Any:
    """Embeds pairs of texts with that cosine."""

    def embed(texts: Any) -> NDArray[np.float32]:
        pair = np.array([[1, 0], [score, np.sqrt(1 - score**2)]], np.float32)
        return np.tile(pair, (len(texts) // 2, 1))

    return embed


def questions(*texts: str) -> dict[str, Any]:
    return {"questions": [{"n": n, "question": text} for n, text in enumerate(texts, 1)]}


def answer(n: int, text: str, *numbers: int, found: bool = True, **more: Any) -> dict[str, Any]:
    return {"n": n, "found": found, "statement": text, "turns": list(numbers), **more}


def run(
    statements: list[Statement], asked: Any, answers: Any, score: float = 0.9, **parameters: Any
) -> tuple[tuple[Statement, ...], MemoryTools]:
    tools = MemoryTools({"question": asked, "evidence": answers}, embed=alike(score))
    given = work(TURNS, statements=statements)
    return asyncio.run(run_stages([Verify(**parameters)], given, tools)).statements, tools


def one(found: dict[str, Any], score: float = 0.9) -> tuple[tuple[Statement, ...], MemoryTools]:
    statements = [statement("Ana lives in Porto.", topic="home", salience=0.75)]
    return run(statements, [questions("Where does Ana live?")], [{"answers": [found]}], score)


def test_the_answer_takes_the_place_of_the_statement() -> None:
    kept, tools = one(answer(1, "Ana moved to Porto in April 2023.", 1, 3))

    assert [(each.text, each.sources, each.stage) for each in kept] == [
        ("Ana moved to Porto in April 2023.", ("t0", "t2"), "verify")
    ]
    assert (kept[0].topic, kept[0].salience, kept[0].at) == ("home", 0.75, START)
    assert tools.notes == []


def test_a_dissimilar_answer_is_a_correction_and_is_noted() -> None:
    kept, tools = one(answer(1, "Ana lives in Braga.", 1), score=0.75)

    assert [each.text for each in kept] == ["Ana lives in Braga."]
    assert tools.notes == [
        {
            "event": "corrected",
            "before": "Ana lives in Porto.",
            "after": "Ana lives in Braga.",
            "sources": ["t0"],
            "similarity": 0.75,
        }
    ]


def test_a_correction_leaves_the_names_that_were_wrong() -> None:
    """Else no later memory could take up what it says, for it would have to name these."""
    given = [statement("Ana lives in Porto with Ines.", entities=("Ana", "Porto", "Ines", "Pharmacy Sol"))]
    found = {"answers": [answer(1, "Ana lives in Braga with Ines.", 1)]}
    (kept,), _ = run(given, [questions("Where does Ana live?")], [found])

    assert kept.entities == ("Ana", "Ines", "Pharmacy Sol")


def test_an_unsupported_statement_is_dropped_and_its_evidence_noted() -> None:
    kept, tools = one(answer(1, "", 2, found=False, reason="nobody says where"))

    assert kept == ()
    assert tools.notes == [
        {
            "event": "dropped",
            "reason": "no evidence",
            "statement": "Ana lives in Porto.",
            "sources": ["t0"],
            "question": "Where does Ana live?",
            "evidence": "nobody says where",
            "turns": ["t1"],
        }
    ]


def test_an_answer_without_words_is_none() -> None:
    assert one(answer(1, " ", 1))[0] == ()


def test_a_statement_that_the_model_passes_over_stays_and_is_marked() -> None:
    kept, tools = one(answer(7, "Something else.", 1))

    assert kept[0].text == "Ana lives in Porto."
    assert kept[0].metadata == {"verified": False}
    assert tools.noted("not verified")[0]["question"] == "Where does Ana live?"


@pytest.mark.parametrize("numbers", [(0, 1), (0, 0), (1, 2)])
def test_answers_without_numbers_or_counted_from_0_are_about_what_was_asked(numbers: tuple[int, int]) -> None:
    given = [statement("Ana lives in Porto.", "t0"), statement("Ines came in May.", "t2")]
    asked = [{"questions": [{"n": n, "question": f"Q{n}?"} for n in numbers]}]
    found = [answer(numbers[0], "", found=False), answer(numbers[1], "Ines came to Porto in May.", 3)]

    kept, tools = run(given, asked, [{"answers": found}], batch=2)

    assert [(each.text, each.sources) for each in kept] == [("Ines came to Porto in May.", ("t2",))]
    assert (tools.noted("no question"), tools.noted("not verified")) == ([], [])


def test_one_answer_needs_no_number() -> None:
    assert one(answer(0, "", found=False))[0] == ()


def test_without_a_question_the_statement_itself_is_asked_about() -> None:
    statements = [statement("Ana lives in Porto.")]

    _, tools = run(statements, [{"questions": []}], [{"answers": [answer(1, "Yes, in Porto.", 1)]}])

    asked = read_data(tools.asked[1][1].user)["questions"]
    assert asked == [
        {"n": 1, "question": "What in the conversation shows that this is so: Ana lives in Porto."}
    ]
    assert tools.noted("no question") == [{"event": "no question", "statement": "Ana lives in Porto."}]


def test_the_question_is_asked_without_the_dialogue_and_answered_without_the_statement() -> None:
    _, tools = one(answer(1, "Ana lives in Porto.", 1))

    (_, first), (_, second) = tools.asked
    assert read_data(first.user) == {"statements": [{"n": 1, "statement": "Ana lives in Porto."}]}
    assert read_data(second.user)["questions"] == [{"n": 1, "question": "Where does Ana live?"}]
    assert len(read_data(second.user)["turns"]) == 3
    assert "Ana lives in Porto" not in second.user
    assert tools.keys() == ["verify/0.question", "verify/0.evidence"]


def test_numbers_of_no_turn_are_dropped_and_noted() -> None:
    kept, tools = one(answer(1, "Ana lives in Porto.", 3, 4, 0))

    assert kept[0].sources == ("t0", "t2")
    assert tools.noted("unknown turns")[0]["numbers"] == [0, 4]


def test_a_time_that_holds_replaces_the_one_before() -> None:
    flagged = statement("Ana came.", metadata={"time": {"flag": "unreadable", "given": "x"}, "more": 1})
    given = [questions("When?")]

    kept, _ = run([flagged], given[:], [{"answers": [answer(1, "Ana came.", 1, timestamp="2023-04-10")]}])
    assert (kept[0].at.isoformat()[:10], kept[0].metadata) == ("2023-04-10", {"more": 1})

    kept, _ = run([flagged], given[:], [{"answers": [answer(1, "Ana came.", 1, timestamp="2023-99")]}])
    assert (kept[0].at, kept[0].metadata) == (START, flagged.metadata)


def test_batches_make_two_calls_each() -> None:
    statements = [statement(f"Fact {n}.") for n in range(5)]
    tools = MemoryTools(
        {
            "question": lambda asked: questions(*("Why?" for _ in asked.data["statements"])),
            "evidence": lambda asked: {
                "answers": [answer(line["n"], f"F{line['n']}", 1) for line in asked.data["questions"]]
            },
        }
    )

    given = work(TURNS, statements=statements)
    asyncio.run(run_stages([Verify(batch=2)], given, tools))

    assert len(tools.asked) == 6


def test_statements_that_become_the_same_are_one() -> None:
    statements = [statement("Ana lives in Porto.", "t0"), statement("Ana's home is Porto.", "t2")]
    same = {"answers": [answer(1, "Ana lives in Porto.", 1), answer(2, "ana lives in Porto", 2)]}

    kept, tools = run(statements, [questions("Where?", "Where is home?")], [same], batch=2)

    assert [(each.text, each.sources) for each in kept] == [("Ana lives in Porto.", ("t0", "t1", "t2"))]
    assert len(tools.noted("merged")) == 1


def test_similar_statements_stay_two() -> None:
    statements = [statement("Ana likes tea."), statement("Ana likes coffee.")]
    both = {"answers": [answer(1, "Ana likes tea.", 1), answer(2, "Ana likes coffee.", 1)]}

    assert len(run(statements, [questions("What?", "What else?")], [both], score=0.99, batch=2)[0]) == 2


def test_truncated_replies_split_the_batch() -> None:
    long = TruncatedReplyError("long")
    statements = [statement("Fact 1."), statement("Fact 2.")]
    kept, tools = run(
        statements,
        [long, questions("First?"), questions("Second?")],
        [long, {"answers": [answer(1, "F1.", 1)]}, {"answers": [answer(1, "F2.", 2)]}],
        batch=2,
    )

    assert [each.text for each in kept] == ["F1.", "F2."]
    assert tools.keys() == [
        "verify/0.question",
        "verify/0.question.1",
        "verify/0.question.2",
        "verify/0.evidence",
        "verify/0.evidence.1",
        "verify/0.evidence.2",
    ]


def test_a_bad_reply_stops_the_job() -> None:
    with pytest.raises(BadReplyError):
        run([statement("Fact.")], [BadReplyError("no JSON")], [])


def test_nothing_to_verify_asks_nothing() -> None:
    assert run([], [], [])[1].asked == []
    assert asyncio.run(Verify().run(Work(user="ana", turns=()), MemoryTools())).statements == ()


@PROFILE
@given(data=st.data(), count=st.integers(1, 8), batch=st.integers(1, 4))
def test_no_statement_vanishes_and_no_source_is_lost_or_invented(
    data: st.DataObject, count: int, batch: int
) -> None:
    known = conversation(9)
    places = st.sets(st.integers(0, 8), min_size=1, max_size=3)
    before = [
        statement(f"Fact {n}.", *(f"t{place}" for place in sorted(data.draw(places)))) for n in range(count)
    ]
    numbers = st.integers(-1, 12)

    def evidence(asked: Asked) -> dict[str, Any]:
        texts = st.sampled_from(["", "The same.", "Other.", *(f"Fact {n}" for n in range(count))])
        answers = [
            answer(
                data.draw(numbers),
                data.draw(texts),
                *data.draw(st.lists(numbers, max_size=3)),
                found=data.draw(st.booleans()),
            )
            for _ in range(data.draw(st.integers(0, 2 * len(asked.data["questions"]))))
        ]
        return {"answers": answers}

    tools = MemoryTools({"question": RULES["question"], "evidence": evidence})
    given = work(known, statements=before)

    kept = asyncio.run(run_stages([Verify(batch=batch)], given, tools)).statements

    ids = {each.id for each in known}
    assert all(each.sources and set(each.sources) <= ids for each in kept)
    dropped = {note["statement"] for note in tools.noted("dropped")}
    assert len(kept) == count - len(dropped) - len(tools.noted("merged"))
    held = {id_ for each in kept for id_ in each.sources}
    for each in before:
        assert each.text in dropped or set(each.sources) <= held


def test_by_rules_what_nobody_said_is_dropped() -> None:
    tools = MemoryTools(RULES)
    given = work(
        [turn(0, "I moved to Porto with my sister Ines."), turn(1, "Nice weather today.")],
        statements=[
            statement("Ana moved to Porto with Ines."),
            statement("Quentin repairs violins every winter."),
        ],
    )

    done = asyncio.run(run_stages([Verify()], given, tools))

    assert [each.text for each in done.statements] == ["Ana moved to Porto with Ana's sister Ines."]
    assert tools.noted("dropped")[0]["statement"] == "Quentin repairs violins every winter."
    assert tools.calls() == {"verify": 4}


@pytest.mark.parametrize("wrong", [{"threshold": 1.5}, {"batch": 0}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Verify(**wrong)


def by_place(texts: Any) -> NDArray[np.float32]:
    """The first statement is a copy of the first turn, the second has nothing to do with any turn."""
    vectors = np.eye(len(texts), 32, dtype=np.float32)
    vectors[len(texts) - 2] = vectors[0]
    return vectors


def test_statements_that_their_sources_support_pass_unasked() -> None:
    said = turns(*(f"Turn {number}." for number in range(10)))
    given = [statement("Supported.", said[0].id), statement("Doubtful.", said[1].id)]
    tools = MemoryTools(
        {"question": [questions("Is it so?")], "evidence": [{"answers": [answer(1, "Corrected.", 2)]}]},
        embed=by_place,
    )

    kept = asyncio.run(run_stages([Verify(supported=1.5)], work(said, statements=given), tools)).statements

    assert {each.text for each in kept} == {"Supported.", "Corrected."}
    assert tools.noted("not questioned") == [{"event": "not questioned", "statements": 1}]
    with pytest.raises(InvalidArgumentError, match="supported"):
        Verify(supported="much")  # type: ignore[arg-type]


def test_statements_stay_in_their_order_whoever_was_asked_about_them() -> None:
    """Of records of one time, the order is that of the statements."""
    said = turns(*(f"Turn {number}." for number in range(10)))
    given = [statement("Doubtful.", said[1].id), statement("Supported.", said[0].id)]

    def embed(texts: Any) -> NDArray[np.float32]:
        vectors = np.eye(len(texts), 32, dtype=np.float32)
        vectors[len(texts) - 1] = vectors[0]
        return vectors

    tools = MemoryTools(
        {"question": [questions("Is it so?")], "evidence": [{"answers": [answer(1, "Corrected.", 2)]}]},
        embed=embed,
    )
    kept = asyncio.run(run_stages([Verify(supported=1.5)], work(said, statements=given), tools)).statements

    assert [each.text for each in kept] == ["Corrected.", "Supported."]
