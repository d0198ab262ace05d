"""What a context costs as the number of memories grows, counted in work and not in time."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone

import pytest

from memspan import estimate_tokens
from memspan.recall.context import build_context, checked_budget, duplicates
from memspan.recall.context.duplicates import Wording, Wordings, says_the_same
from memspan.records import Record
from memspan.remember.searching.recall import Recall, Recalls

START = datetime(2024, 3, 1, tzinfo=timezone.utc)


def recalls_of(texts: list[str]) -> Recalls:
    found = Recalls()
    for place, text in enumerate(texts):
        record = Record(
            id=f"a record of its own {place}",
            user="u",
            kind="episodic",
            text=text,
            at=START + timedelta(minutes=place),
            recorded_at=START,
            speaker="Ana",
        )
        found.append(
            Recall(
                id=record.id,
                text=text,
                at=record.at,
                score=-float(place),
                record=record,
                views={},
                explanation=None,
            )
        )
    return found


def characters_counted(texts: list[str], tokens: int) -> int:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return estimate_tokens(text)

    context = build_context(
        "boat", recalls_of(texts), checked_budget(tokens, 10_000, count), after={}, analyzer="english"
    )
    assert len(context.sources) > len(texts) // 3
    assert context.tokens <= tokens
    return counted


def test_the_same_words_again_and_again_cost_what_they_add() -> None:
    few, many = (characters_counted(["the boat leaves"] * n, 20 * n) for n in (300, 1200))
    assert many < 6 * few


def test_numbers_with_more_digits_than_was_thought_do_not_cost_a_count_of_everything_each() -> None:
    few, many = (characters_counted([f"boat {place}" for place in range(n)], 5 * n) for n in (1500, 3000))
    assert many < 4 * few


def test_few_texts_are_compared_where_many_have_as_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counting(one: Wording, other: Wording) -> bool:
        nonlocal compared
        compared += 1
        return says_the_same(one, other)

    monkeypatch.setattr(duplicates, "says_the_same", counting)
    wordings = Wordings()
    for number in range(500):
        text = f"on day {number} all of us went down to the lake by way of path {7 * number}"
        wording = Wording("Ana", text)
        assert wordings.find(wording) is None
        wordings.add(wording, number)
    assert compared < 5 * 500


def test_what_is_found_is_what_a_look_at_all_finds() -> None:
    chance = random.Random(7)
    wordings, known = Wordings(), list[tuple[Wording, int]]()
    found = 0
    for key in range(600):
        words = ["a", "b", "c", "d", "e"] * chance.choice((1, 2, 3, 4, 5))
        for _ in range(chance.randrange(3)):
            words.insert(chance.randrange(len(words) + 1), chance.choice("abcxyz"))
        wording = Wording(chance.choice(("Ana", None)), " ".join(words))
        expected = min((place for other, place in known if says_the_same(other, wording)), default=None)
        assert wordings.find(wording) == expected
        found += expected is not None
        wordings.add(wording, 1000 - key)
        known.append((wording, 1000 - key))
    assert 100 < found < 600
