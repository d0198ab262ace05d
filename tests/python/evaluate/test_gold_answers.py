"""What the labels of each data set give as answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats.questions import read_labelled

Labelled = Callable[..., Path]


def golds(path: Path, name: str) -> list[str | None]:
    return [question.answer for question in read_labelled(path, name).questions]


def test_texts_numbers_lists_and_none(labelled: Labelled) -> None:
    def change(samples: Any) -> None:
        given: list[Any] = [2022, " cider ", ["a", 2.5], None]
        for question, answer in zip(samples[0]["qa"], given, strict=False):
            question["answer"] = answer
        del samples[0]["qa"][4]["answer"]
        del samples[1]

    assert golds(labelled("locomo", change), "locomo") == ["2022", "cider", "a, 2.5", None, None]


@pytest.mark.parametrize("answer", [True, {"text": "x"}, [["x", False]]])
def test_what_is_no_answer_is_refused_with_its_place(labelled: Labelled, answer: Any) -> None:
    def change(chat: Any) -> None:
        chat["qa"][0]["answer"] = answer

    with pytest.raises(FormatError, match=r"qa\[0\]\.answer"):
        golds(labelled("realtalk", change), "realtalk")


def test_beams_abilities_have_names_of_their_own(labelled: Labelled) -> None:
    def change(questions: Any) -> None:
        questions["abstention"][0]["ideal_response"] = "No thread was named."
        questions["contradiction_resolution"][0]["ideal_answer"] = "Both were said."
        questions["event_ordering"][0]["answer"] = "First the spars."

    found = golds(labelled("beam", change), "beam")
    assert found == ["No thread was named.", "Both were said.", "First the spars.", None]


def test_longmemeval_in_both_layouts(labelled: Labelled) -> None:
    assert golds(labelled("longmemeval"), "longmemeval") == ["in the shed", None, "Rex", "mint"]

    def change(items: Any) -> None:
        items[2]["answers"].pop()

    with pytest.raises(FormatError, match=r"answers: .*a list of 2"):
        golds(labelled("longmemeval", change), "longmemeval")


def test_halumem(labelled: Labelled) -> None:
    def change(users: Any) -> None:
        users[0]["sessions"][0]["questions"][0]["answer"] = "In Lund"

    assert golds(labelled("halumem", change), "halumem") == ["In Lund", None, None]
