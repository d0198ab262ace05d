"""Complete: turns that no statement covers are read again, in one call."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from conversations import conversation, statement, turns, work
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from numpy.typing import NDArray
from rules_statements import RULES
from scripted_llm import read_data
from tools import MemoryTools, run_stages

from memspan._core import inner_products
from memspan.encode.complete import Complete
from memspan.encode.cover import alignment, deviations_of
from memspan.encode.values import Work
from memspan.errors import InvalidArgumentError, LLMError, TruncatedReplyError

FOUR = turns("I moved to Porto.", "Why?", "Because of Ines.", "I see.")


class Angles:
    """Embeds texts as directions in a plane, by degrees; texts that it does not know lie far from all."""

    def __init__(self, **degrees: float) -> None:
        self.degrees = degrees

    def __call__(self, texts: Any) -> NDArray[np.float32]:
        radians = np.radians([self.degrees.get(text.split()[-1].strip(".?!"), 180) for text in texts])
        return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


PLANE = Angles(Porto=0, Why=90, Ines=60, see=45)


def run(given: Work, *replies: Any, **parameters: Any) -> tuple[Work, MemoryTools]:
    tools = MemoryTools({"complete": list(replies)}, embed=PLANE)
    return asyncio.run(run_stages([Complete(**parameters)], given, tools)), tools


def test_turns_below_the_threshold_are_read_again_in_one_call() -> None:
    given = work(FOUR, statements=[statement("Ana moved to Porto.")])
    answer = {"statements": [{"content": "Ana moved because of Ines.", "turns": [2]}]}

    done, tools = run(given, answer)

    # The cosines with the statement are 1, 0, 0.5 and 0.71.
    lines = read_data(tools.asked[0][1].user)["turns"]
    assert [line["text"] for line in lines if "n" in line] == ["Why?", "Because of Ines."]
    assert [(one.text, one.sources, one.stage) for one in done.statements] == [
        ("Ana moved to Porto.", ("t0",), "extract"),
        ("Ana moved because of Ines.", ("t2",), "complete"),
    ]
    assert tools.keys() == ["complete/uncovered"]
    assert tools.notes == [{"event": "completed", "uncovered": 2, "found": 1}]


def test_what_was_missed_stands_where_it_was_said() -> None:
    """Of records of one time, the order is that of the statements."""
    given = work(
        FOUR, statements=[statement("Ana moved to Porto.", "t0"), statement("Ana likes Porto.", "t3")]
    )
    answer = {"statements": [{"content": "Bo asked why.", "turns": [1]}]}

    done, _ = run(given, answer)

    assert [one.sources for one in done.statements] == [("t0",), ("t1",), ("t3",)]


def test_a_similarity_of_just_the_threshold_does_not_cover() -> None:
    given = work(FOUR[:1], statements=[statement("Ana moved to Porto.")])

    assert len(run(given, {"statements": []}, threshold=1.0)[1].asked) == 1
    assert run(given, threshold=0.99)[1].asked == []


def test_turns_before_are_shown_without_numbers() -> None:
    given = work(FOUR[1:], history=FOUR[:1], statements=[statement("x see", "t3"), statement("y Ines", "t2")])

    _, tools = run(given, {"statements": []}, context=1, threshold=0.9)
    _, alone = run(given, {"statements": []}, context=0, threshold=0.9)

    lines = read_data(tools.asked[0][1].user)["turns"]
    assert [(line.get("n"), line["text"]) for line in lines] == [(None, "I moved to Porto."), (1, "Why?")]
    assert [line["text"] for line in read_data(alone.asked[0][1].user)["turns"]] == ["Why?"]


def test_without_statements_every_turn_is_uncovered() -> None:
    _, tools = run(work(FOUR), {"statements": []})

    lines = read_data(tools.asked[0][1].user)["turns"]
    assert [line["n"] for line in lines] == [1, 2, 3, 4]


def test_no_turns_and_no_uncovered_ones_ask_nothing() -> None:
    assert run(work(()))[1].asked == []
    covered = work(FOUR[:1], statements=[statement("Ana is in Porto.")])
    assert run(covered)[0] is covered


def test_an_empty_list_is_a_good_answer() -> None:
    assert run(work(FOUR), {"statements": []})[0].statements == ()


def test_a_truncated_reply_splits_the_uncovered_turns() -> None:
    half = {"statements": [{"content": "Something new.", "turns": [2]}]}

    done, tools = run(work(FOUR), TruncatedReplyError("long"), half, {"statements": []})

    assert tools.keys() == [
        "complete/uncovered",
        "complete/uncovered.1",
        "complete/uncovered.2",
    ]
    assert [one.sources for one in done.statements] == [("t1",)]


def test_a_failing_model_stops_the_job() -> None:
    with pytest.raises(LLMError):
        run(work(FOUR), LLMError("gone"))


def test_what_is_found_again_is_one_statement_with_both_sources() -> None:
    given = work(FOUR, statements=[statement("Ana moved to Porto.")])

    done, _ = run(given, {"statements": [{"content": "Ana moved to Porto", "turns": [2]}]})

    assert [(one.text, one.sources) for one in done.statements] == [("Ana moved to Porto.", ("t0", "t2"))]


def test_alignment_is_the_cosine_of_each_turn_with_each_statement() -> None:
    statements = [statement("a Porto"), statement("b Ines")]
    vectors = PLANE([turn.text for turn in FOUR] + [one.text for one in statements])

    scores = alignment(FOUR, statements, vectors)

    expected = np.cos(np.radians([[0, 60], [90, 30], [60, 0], [45, 15]]))
    assert scores == pytest.approx(expected, abs=1e-6)


def test_deviations_tell_whatever_similar_means_to_the_embedder() -> None:
    """Six turns of which the last has no statement; to the embedder, unrelated texts have a cosine of `base`."""
    given = turns("a", "b", "c", "d", "e", "f")
    statements = [statement(name, "t0") for name in "abcde"]

    def embedder(base: float) -> Any:
        def embed(texts: Any) -> NDArray[np.float32]:
            rows = np.zeros((len(texts), 8), np.float32)
            rows[:, 7] = np.sqrt(base)
            for row, text in zip(rows, texts, strict=True):
                row["abcdef".index(text[-1])] = np.sqrt(1 - base)
            return rows

        return embed

    for base in (0.0, 0.3, 0.7, 0.9):
        tools = MemoryTools(embed=embedder(base))
        stage = Complete(deviations=1.5)
        found = asyncio.run(stage.uncovered(work(given, statements=statements), tools))
        assert [one.id for one in found] == ["t5"], base
        absolute = asyncio.run(Complete().uncovered(work(given, statements=statements), tools))
        assert bool(absolute) == (base <= 0.6)


def test_too_few_pairs_or_no_spread_are_judged_by_the_threshold() -> None:
    assert deviations_of(np.zeros((3, 5), np.float32)) is None
    assert deviations_of(np.ones((20, 5), np.float32)) is None
    scores = np.arange(20, dtype=np.float32).reshape(4, 5)
    assert deviations_of(scores) == pytest.approx((scores - 9.5) / scores.std())

    given = work(FOUR[:1], statements=[statement("Ana moved to Porto.")])
    assert run(given, deviations=50.0)[1].asked == []


@PROFILE
@given(
    count=st.integers(0, 14),
    cited=st.lists(st.lists(st.integers(-2, 16), max_size=4), max_size=6),
    there=st.lists(st.sets(st.integers(0, 13), min_size=1, max_size=3), max_size=4),
    threshold=st.floats(0, 1),
)
def test_no_source_is_lost_or_invented(
    count: int, cited: list[list[int]], there: list[set[int]], threshold: float
) -> None:
    known = conversation(14)
    before = [
        statement(f"Statement {number}.", *(f"t{place}" for place in sorted(places)))
        for number, places in enumerate(there)
    ]
    answer = {"statements": [{"content": f"New {i % 3}", "turns": some} for i, some in enumerate(cited)]}
    given = work(known[:count], statements=before)
    tools = MemoryTools({"complete": lambda asked: answer})

    done = asyncio.run(run_stages([Complete(threshold=threshold)], given, tools))

    assert len(tools.asked) <= 1
    assert [one for one in before if one in done.statements] == before
    ids = {one.id for one in asyncio.run(Complete(threshold=threshold).uncovered(given, tools))}
    for one in done.statements:
        if one in before:
            continue
        assert one.sources
        assert set(one.sources) <= ids


def test_by_rules_over_a_conversation() -> None:
    tools = MemoryTools(RULES)
    stage = Complete()

    done = asyncio.run(run_stages([stage], work(conversation(30)), tools))

    assert len(tools.asked) == 1
    assert asyncio.run(stage.uncovered(done, tools)) != ()
    assert len(done.statements) > 20


@pytest.mark.parametrize(
    "wrong", [{"threshold": 2}, {"threshold": "0.6"}, {"context": -1}, {"deviations": "1"}]
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Complete(**wrong)


def test_the_core_multiplies_any_matrices() -> None:
    chance = np.random.default_rng(1)
    for rows, others, dim in ((0, 3, 4), (3, 0, 4), (2, 3, 1), (5, 400, 100)):
        left = chance.standard_normal((rows, dim), np.float32)
        right = chance.standard_normal((others, dim), np.float32)
        products = inner_products(left, right)
        assert products.shape == (rows, others)
        np.testing.assert_allclose(products, left @ right.T, atol=1e-4)
    with pytest.raises(InvalidArgumentError, match="as many columns"):
        inner_products(np.ones((1, 2), np.float32), np.ones((1, 3), np.float32))
