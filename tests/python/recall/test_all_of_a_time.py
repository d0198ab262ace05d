"""Questions for all of a time: which they are, what a plan makes of them, and what a search brings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memspan import Memory
from memspan.recall import Vocabulary, plan_by_rules

NOW = "2024-03-05T10:00:00Z"
VOCABULARY = Vocabulary(speakers=["Anna", "アナ", "安娜"], tags=["camping"])
START = datetime(2023, 1, 1, tzinfo=timezone.utc)
FEBRUARY = ("Went up the hill.", "Bought a bicycle.", "Grandma turned ninety.", "Painted the kitchen.")


@pytest.mark.parametrize(
    "question",
    [
        "What happened last month?",
        "What did I do last week?",
        "What did I do on the first of the month?",
        "Was habe ich am 1. des Monats gemacht?",
        "What did I do this weekend?",
        "What did we do last Monday or Tuesday?",
        "What did I do all day yesterday?",
        "Show me the messages from last week",
        "Was haben wir am Montag oder Dienstag gemacht?",
        "What did Anna do in May 2023?",
        "Tell me about last weekend",
        "What have we talked about in the last two weeks?",
        "Can you list everything that happened in June?",
        "What's new since Monday?",
        "Summarise last week",
        "whats happend lastweek",
        "Give me a summary of May 2023",
        "Was ist letzte Woche passiert?",
        "Was haben wir im Mai 2023 gemacht?",
        "Qu'est-ce qui s'est passé la semaine dernière ?",
        "¿Qué hice ayer?",
        "Cosa è successo ieri?",
        "O que aconteceu ontem?",
        "Wat is er gisteren gebeurd?",
        "Co się stało wczoraj?",
        "Что случилось вчера?",
        "上个月发生了什么？",
        "上個月我們談過什麼？",
        "昨天我们说了什么",
        "先月何がありましたか",
        "アナは先週何をしましたか",
        "安娜在上周做了什么",
        "Wat heeft Anna vorige week gedaan?",
        "Waarover hebben we gisteren gepraat?",
        "O czym rozmawialiśmy wczoraj?",
        "О чём мы говорили вчера?",
        "was hab ich gestern gemacht",
        "Wie war die letzte Woche?",
        "Qu'est-ce que j'ai fait hier ?",
        "on a fait quoi hier",
        "¿Cómo fue la semana pasada?",
        "Com'è andata la settimana scorsa?",
        "O que eu fiz ontem?",
        "Waar hebben we het gisteren over gehad?",
        "Co było wczoraj?",
        "Что я сделал вчера?",
        "上周我都做了些什么",
        "昨天怎么样",
        "昨日は何をしてた",
        "先週どうだった",
        "어제 뭐 했어?",
        "지난주에 무슨 일이 있었어?",
        "어제 우리 무슨 얘기 했지?",
    ],
)
def test_questions_with_nothing_but_a_time(question: str) -> None:
    plan = plan_by_rules(question, now=NOW, vocabulary=VOCABULARY)
    assert plan.intervals
    assert plan.spread
    assert plan.k >= 20
    assert plan.weights.semantic == plan.weights.lexical == plan.smoothing == 0.1
    assert any("asks for all of a time" in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    "question",
    [
        "What happened?",  # no time
        "What happened to the car last month?",
        "How was the trip in June?",
        "When did Anna go in May 2023?",
        "What did Anna do about camping in May 2023?",  # a tag
        "What did Anna cook last week?",
        "昨天我吃了什么",
        "昨日何を食べましたか",
        "어제 뭐 먹었어?",
        "Comment était le film hier ?",
        "Wie war der Film gestern?",
        "What happened last month? " + "and then " * 60,
    ],
)
def test_questions_with_more_than_a_time(question: str) -> None:
    plan = plan_by_rules(question, now=NOW, vocabulary=VOCABULARY)
    assert plan.weights.semantic == plan.weights.lexical == plan.smoothing == 1.0
    assert not plan.spread


@pytest.mark.parametrize("question", ["What happened last month?", "What happened earlier this week?"])
def test_dates_are_no_order(question: str) -> None:
    assert plan_by_rules(question, now=NOW, vocabulary=VOCABULARY).kind == "lookup"


@pytest.mark.parametrize("question", ["What happened last?", "What did I visit first?"])
def test_orders_are_no_dates(question: str) -> None:
    assert plan_by_rules(question, now=NOW, vocabulary=VOCABULARY).kind == "order"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """600 records that have a question's words, and four of February that have none."""
    with Memory(tmp_path / "m.db", embedder="hash:64") as memory:
        memory.add(
            [
                {
                    "id": f"n{i}",
                    "text": f"What happened that month, part {i}",
                    "at": START + timedelta(hours=12 * i),
                }
                for i in range(600)
            ],
            user="u",
        )
        memory.add(
            [
                {"id": f"f{i}", "text": text, "at": datetime(2024, 2, 3 + 7 * i, tzinfo=timezone.utc)}
                for i, text in enumerate(FEBRUARY)
            ],
            user="u",
        )
        memory.add(
            [{"id": "today", "text": "Hello", "at": datetime(2024, 3, 5, tzinfo=timezone.utc)}], user="u"
        )
        yield memory


def test_a_time_brings_what_no_view_finds(memory: Memory) -> None:
    found = memory.search("What happened last month?", user="u", now=NOW, k=10)
    assert {recall.id for recall in found[:4]} == {"f0", "f1", "f2", "f3"}
    assert len(found) == 10  # a time that is found never filters


def test_a_time_refuses_nothing_that_filters_refuse(memory: Memory) -> None:
    found = memory.search(
        "What happened last month?", user="u", now=NOW, k=10, exclude=["f1"], between=(None, NOW)
    )
    assert {recall.id for recall in found[:3]} == {"f0", "f2", "f3"}
    assert "f1" not in {recall.id for recall in found}
