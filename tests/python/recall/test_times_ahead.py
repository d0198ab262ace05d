"""Sentences that look ahead, and what they say of the day that they mean; their table is that of the expressions."""

from __future__ import annotations

import pytest

from memspan.recall import find_times
from memspan.times import to_micros


@pytest.mark.parametrize(
    "question",
    [
        "What is due on Friday?",
        "Was steht am Freitag an?",
        "Qu'ai-je de prévu vendredi ?",
        "¿Qué tengo el viernes?",
        "星期五有什么安排？",
        "金曜日の予定は？",
    ],
)
def test_the_next_day_is_called_so(question: str) -> None:
    (found,) = find_times(question, "2023-06-15T14:30Z")
    assert found.start == to_micros("2023-06-16")
    assert "the next such day" in found.reason


@pytest.mark.parametrize("question", ["Was steht am Freitag an?", "星期五有什么安排？"])
def test_a_day_that_has_begun_is_the_next_one_until_it_ends(question: str) -> None:
    (found,) = find_times(question, "2023-06-16T23:59Z")
    assert found.start == to_micros("2023-06-16")


def test_a_long_sentence_is_not_looked_at() -> None:
    question = "Was steht am Freitag " + "und am Montag " * 20 + "an?"
    assert find_times(question, "2023-06-15T14:30Z")[0].start == to_micros("2023-06-09")
