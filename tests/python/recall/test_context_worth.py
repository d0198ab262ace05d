"""Which memories a context takes where scores are logarithms of odds: what they are worth for their length."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memspan.recall.answer.shown import shown_memories
from memspan.recall.context import build_context, checked_budget
from memspan.recall.plan import Plan
from memspan.records import Record
from memspan.remember.searching.recall import Recall, Recalls

START = datetime(2024, 3, 1, tzinfo=timezone.utc)
WORDS = ["ferry", "harbour", "lighthouse", "island", "captain", "lantern", "anchor"]


def told(topic: str, words: int) -> str:
    return " ".join([topic, *(WORDS[place % len(WORDS)] for place in range(words - 1))])


def found(scored: list[tuple[str, float]], *, learned: bool = True) -> Recalls:
    """Records of these texts, best first, named by their first words."""
    recalls = Recalls(
        Recall(
            id=text.split()[0],
            text=text,
            at=START + timedelta(minutes=place),
            score=score,
            record=Record(
                id=text.split()[0],
                user="u",
                kind="episodic",
                text=text,
                at=START + timedelta(minutes=place),
                recorded_at=START,
                speaker="Ana",
            ),
            views={},
            explanation=None,
        )
        for place, (text, score) in enumerate(scored)
    )
    recalls.plan = Plan(question="ferry", semantic="ferry", lexical="ferry") if learned else None
    return recalls


def held(scored: list[tuple[str, float]], tokens: int, *, learned: bool = True) -> dict[str, float]:
    """The ids in the context of these, and how much of each it shows."""
    recalls = found(scored, learned=learned)
    context = build_context("ferry", recalls, checked_budget(tokens), after={}, analyzer="english")
    assert context.tokens <= tokens
    return {source.id: source.share for source in context.sources}


LONG_SECOND = [
    (told("best", 20), 5.0),
    (told("long", 120), 2.1),
    (told("one", 25), 2.0),
    (told("two", 25), 1.9),
    (told("three", 25), 1.8),
]


def test_short_memories_that_are_worth_as_much_each_come_before_a_long_one() -> None:
    assert held(LONG_SECOND, 220).keys() == {"best", "one", "two", "three"}


def test_without_learned_scores_the_rank_alone_counts() -> None:
    assert held(LONG_SECOND, 220, learned=False).keys() == {"best", "long"}


def test_a_long_memory_that_is_much_likelier_keeps_its_place() -> None:
    likelier = [(text, 4.5 if text.startswith("long") else score) for text, score in LONG_SECOND]
    assert "long" in held(likelier, 220)


def test_the_best_comes_first_however_long_it_is() -> None:
    scored = [(told("best", 100), 2.0), *((told(name, 20), 1.9) for name in "abcdefgh")]
    assert "best" in held(scored, 180)


def test_a_score_is_that_of_the_place() -> None:
    """Staleness and kinds move records, and leave their scores."""
    moved = [
        (told("best", 20), 5.0),
        (told("long", 120), 0.1),
        (told("one", 25), 4.0),
        (told("two", 25), 3.9),
    ]
    assert held(moved, 235).keys() == {"best", "long", "one"}


@pytest.mark.parametrize("learned", [True, False])
def test_memories_of_one_length_come_by_their_rank(learned: bool) -> None:
    scored = [(told(f"r{place}", 20), -float(place)) for place in range(20)]
    chosen = held(scored, 300, learned=learned)
    assert 3 < len(chosen) < 20
    assert chosen.keys() == {f"r{place}" for place in range(len(chosen))}


def test_a_reply_of_half_the_budget_is_shown_whole_where_it_is_worth_it() -> None:
    """By rank, a third is the most."""
    scored = [
        (told("best", 20), 5.0),
        (told("reply", 180), 4.9),
        *((told(name, 20), -3.0) for name in "abcdef"),
    ]
    assert held(scored, 400)["reply"] == 1.0
    assert held(scored, 400, learned=False)["reply"] < 1.0


@pytest.mark.parametrize("learned", [True, False])
def test_a_model_that_answers_is_shown_the_same(learned: bool) -> None:
    recalls = found(LONG_SECOND, learned=learned)
    shown = shown_memories("ferry", recalls, checked_budget(220), after={}, analyzer="english")
    ids = {source.id for source in shown.context.sources}
    assert ids == held(LONG_SECOND, 220, learned=learned).keys()
    assert ("long" in ids) is not learned
