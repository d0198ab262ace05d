"""Which "this weekend" is meant on the days before it, by what the sentence tells."""

from __future__ import annotations

import pytest

from memspan.recall import find_times
from memspan.times import to_micros

MONDAY = "2023-06-12T09:00Z"


@pytest.mark.parametrize(
    "question",
    [
        "What did I do this weekend?",
        "How was this weekend?",
        "What have I done this weekend?",
        "Was habe ich dieses Wochenende gemacht?",
        "Qu'est-ce que j'ai fait ce week-end ?",
        "¿Qué hice este fin de semana?",
        "Cosa ho fatto questo weekend?",
        "O que fiz neste fim de semana?",
        "Wat heb ik dit weekend gedaan?",
        "Что я делал в эти выходные?",
        "Co robiłem w ten weekend?",
        "这个周末我做了什么？",
        "この週末は何をした？",
    ],
)
def test_what_was_done_is_over(question: str) -> None:
    (found,) = find_times(question, MONDAY)
    assert (found.start, found.end) == (to_micros("2023-06-10"), to_micros("2023-06-12"))
    (found,) = find_times(question, "2023-06-11T20:00Z")  # on the Sunday itself
    assert found.start == to_micros("2023-06-10")


@pytest.mark.parametrize(
    "question",
    [
        "What am I doing this weekend?",
        "What did Tom say about this weekend?",
        "What did we decide to do this weekend?",
        "What was the plan for this weekend?",
        "I was wondering what to do this weekend",
        "Was machen wir dieses Wochenende?",
        "Was haben wir für dieses Wochenende geplant?",
        "¿Qué hago este fin de semana?",
        "Что сказал Том про эти выходные?",
        "汤姆说了这个周末做什么？",
        "この週末の予定は？",
    ],
)
def test_what_is_said_about_it_or_planned_is_to_come(question: str) -> None:
    (found,) = find_times(question, MONDAY)
    assert found.start == to_micros("2023-06-17")


def test_a_day_of_the_week_is_one_too() -> None:
    (found,) = find_times("Where did we go this Saturday?", MONDAY)
    assert found.start == to_micros("2023-06-10")
