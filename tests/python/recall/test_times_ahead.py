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


@pytest.mark.parametrize(
    "question",
    [
        "When does school start in September?",
        "Do you know when school starts in September?",
        "Which trips are planned in September?",
        "What appointments do I have in September?",
        "How many days are left until the trip in September?",
        "Wann fängt die Schule im September an?",
        "Quand commence l'école en septembre ?",
        "¿Cuándo empieza el colegio en septiembre?",
        "Quando inizia la scuola a settembre?",
        "Quando começa a escola em setembro?",
        "Wanneer begint de school in september?",
        "Когда начинается школа в сентябре?",
        "Приедет ли Анна в сентябре?",
        "Kiedy zaczyna się szkoła we wrześniu?",
    ],
)
def test_what_begins_or_is_arranged_is_to_come(question: str) -> None:
    (found,) = find_times(question, "2023-06-15T14:30Z")
    assert found.start == to_micros("2023-09-01")


@pytest.mark.parametrize(
    "question", ["À quelle heure part le train vendredi ?", "¿A qué hora sale el tren el viernes?"]
)
def test_the_hour_of_a_day_is_to_come(question: str) -> None:
    (found,) = find_times(question, "2023-06-15T14:30Z")
    assert found.start == to_micros("2023-06-16")


@pytest.mark.parametrize(
    "question",
    [
        "When did school start in September?",
        "When does school usually start in September?",
        "Which trips were planned in September?",
        "Do you know what I told you about when to start in September?",
        "Wann hat die Schule im September angefangen?",
        "Quand a commencé l'école en septembre ?",
        "¿Cuándo empezó el colegio en septiembre?",
        "Когда начиналась школа в сентябре?",
    ],
)
def test_what_began_is_over(question: str) -> None:
    (found,) = find_times(question, "2023-06-15T14:30Z")
    assert found.start == to_micros("2022-09-01")


def test_a_long_sentence_is_not_looked_at() -> None:
    question = "Was steht am Freitag " + "und am Montag " * 20 + "an?"
    assert find_times(question, "2023-06-15T14:30Z")[0].start == to_micros("2023-06-09")


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("What do I need to do before Friday?", "2023-06-23"),
        ("What is due before the 16th?", "2023-07-16"),
        ("What is due by Friday?", "2023-06-17"),
        ("What did I do before Friday?", "2023-06-16"),
    ],
)
def test_on_a_day_itself_what_is_to_come_before_it_is_so_before_the_next(question: str, end: str) -> None:
    (found,) = find_times(question, "2023-06-16T10:00Z")
    assert (found.start, found.end) == (None, to_micros(end))
