"""An index at capacity answers as one that never held what it has evicted, at every moment of its sweeps."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from index_helpers import DIM

import memspan

VOCABULARY = [f"word{number}" for number in range(150)]
CAPACITY = 300


class Story:
    """Records with words that are common and rare, as they come."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.records: dict[str, dict[str, object]] = {}

    def words(self, most: int) -> str:
        # The first words of the vocabulary are in nearly every record.
        picks = [
            int(len(VOCABULARY) * self.chance.random() ** 3) for _ in range(self.chance.randrange(1, most))
        ]
        return " ".join(VOCABULARY[pick] for pick in picks)

    def record(self, number: int) -> dict[str, object]:
        long = self.chance.random() < 0.02
        return {
            "id": f"m{number}",
            "at": number * 10**6,
            "text": self.words(1500 if long else 25),
            "embedding": np.asarray([self.chance.gauss(0, 1) for _ in range(DIM)], dtype=np.float32),
            "session": f"s{number // 7}",
            "importance": self.chance.random(),
        }


def answers(index: memspan.Index, questions: list[dict[str, object]]) -> list[list[tuple[str, float]]]:
    found = [index.search(user="ana", **question) for question in questions]  # type: ignore[arg-type]
    return [list(zip(hits.ids, [float(score) for score in hits.scores], strict=True)) for hits in found]


def fresh(records: list[dict[str, object]]) -> memspan.Index:
    index = memspan.Index(DIM, auto_consolidate=False)
    for record in records:
        index.add(user="ana", **record)  # type: ignore[arg-type]
    return index


@pytest.mark.parametrize("eviction", ["oldest", "value"])
def test_searches_see_nothing_of_what_was_evicted(eviction: str, tmp_path: Path) -> None:
    story = Story(3)
    index = memspan.Index(DIM, auto_consolidate=False)
    index.set_quotas(user=None, capacities={"episodic": CAPACITY}, eviction=eviction)
    live: dict[str, dict[str, object]] = {}
    chance = random.Random(4)
    checked = 0
    for number in range(1500):
        record = story.record(number)
        live[str(record["id"])] = record
        for id_ in index.add(user="ana", **record):  # type: ignore[arg-type]
            del live[id_]
        if number % 40 == 13:  # another record of an id that is there
            again = {**story.record(number), "id": chance.choice(sorted(live))}
            live[str(again["id"])] = again
            index.add(user="ana", **again)  # type: ignore[arg-type]
        if number % 50 == 17:
            gone = chance.sample(sorted(live), 3)
            index.remove(user="ana", ids=gone)
            for id_ in gone:
                del live[id_]
        if number == 900:
            index.consolidate(user="ana", force=True)
        if number == 1200:
            index.save(tmp_path / "snapshot")
            index = memspan.Index.load(tmp_path / "snapshot")
        if number < 250 or number % 37:
            continue
        questions: list[dict[str, object]] = [
            {"text": story.words(6), "k": 20},
            {"text": story.words(6), "k": 3},
            {"text": story.words(6), "k": 20, "embedding": record["embedding"]},
            # Without an embedding: the spread of cosines is estimated from slots at even distances.
            {"text": story.words(6), "k": 20, "fusion": "learned"},
            {"text": story.words(6), "k": 20, "between": [(number * 10**6 // 2, number * 10**6)]},
        ]
        plain = fresh(list(live.values()))
        assert answers(index, questions) == answers(plain, questions)
        ours, theirs = index.stats(user="ana"), plain.stats(user="ana")
        for name in ("records", "documents", "tokens", "terms"):
            assert ours[name] == theirs[name], name
        checked += 1
    assert checked > 25


def test_questions_of_many_words_find_the_best_beside_what_was_evicted_where_length_counts_in_full() -> None:
    chance = random.Random(5)
    words = [f"word{number}" for number in range(60)]
    texts = [" ".join(chance.choices(words, k=chance.randrange(4, 20))) for _ in range(2000)]
    index, other = (memspan.Index(DIM, b=1.0, auto_consolidate=False) for _ in range(2))
    index.set_quotas(user="ana", capacities={"episodic": 1500}, eviction="oldest")
    ids = [f"m{number:04}" for number in range(len(texts))]
    for first in range(0, len(texts), 500):
        some = slice(first, first + 500)
        index.add_many(user="ana", ids=ids[some], ats=range(first, first + 500), texts=texts[some])
    other.add_many(user="ana", ids=ids[500:], ats=range(500, 2000), texts=texts[500:])
    for number in range(40):
        question = {"text": " ".join(chance.sample(words, 30)), "k": 1 + number % 5}
        assert answers(index, [question]) == answers(other, [question])
