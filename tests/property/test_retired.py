"""Plain searches rank as if retired records were not there, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

import memspan

WORDS = ("tea", "green", "black", "oolong", "chai", "pot", "cup", "kettle")
DAY = 86_400_000_000
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
records = st.lists(st.tuples(texts, st.booleans(), st.integers(0, 3)), min_size=1, max_size=30)
DIM = 4


def add(index: memspan.Index, number: int, text: str, retired: bool, session: int) -> None:
    index.add(
        user="ana",
        id=f"m{number}",
        at=number * DAY,
        text=text,
        embedding=np.random.default_rng(number).standard_normal(DIM).astype(np.float32),
        session=f"s{session}",
        speaker="Ana" if number % 2 else "Ben",
        recorded_at=number * DAY,
        retired_at=1000 * DAY if retired else None,
    )


def found(index: memspan.Index, query: str, **options: Any) -> list[tuple[str, float]]:
    embedding = np.ones(DIM, np.float32) if options.get("fusion") == "learned" else None
    hits = index.search(user="ana", text=query, embedding=embedding, k=50, exact=True, **options)
    return list(zip(hits.ids, hits.scores.tolist(), strict=True))


@settings(PROFILE, max_examples=80)
@given(corpus=records, query=texts.filter(bool), changes=st.lists(st.integers(0, 29), max_size=8))
@pytest.mark.parametrize("fusion", ["rrf", "learned"])
def test_as_if_retired_records_were_not_there(
    fusion: str, corpus: list[tuple[str, bool, int]], query: str, changes: list[int]
) -> None:
    index, plain = memspan.Index(DIM), memspan.Index(DIM)
    for number, (text, retired, session) in enumerate(corpus):
        add(index, number, text, retired, session)
    for number in changes:  # overwritten: retired or believed again; or removed
        if number < len(corpus):
            text, retired, session = corpus[number]
            corpus[number] = (text, not retired, session)
            add(index, number, text, not retired, session)
        else:
            index.remove(user="ana", ids=[f"m{number - len(corpus)}"])
            add(index, number, "kettle", True, 0)
            removed = number - len(corpus)
            if removed < len(corpus):
                add(index, removed, *corpus[removed])
    for number, (text, retired, session) in enumerate(corpus):
        if not retired:
            add(plain, number, text, retired, session)
    assert found(index, query, fusion=fusion) == found(plain, query, fusion=fusion)


def test_a_search_of_another_time_counts_all_records() -> None:
    index, all_believed = memspan.Index(DIM), memspan.Index(DIM)
    for number in range(20):
        text = f"tea {WORDS[number % 8]}"
        add(index, number, text, number % 3 == 0, 0)
        add(all_believed, number, text, False, 0)
    expected = found(all_believed, "green tea", fusion="rrf", views=["lexical"])
    assert found(index, "green tea", as_of=999 * DAY, fusion="rrf", views=["lexical"]) == expected


def test_after_a_snapshot_and_a_compaction(tmp_path: Path) -> None:
    def words(number: int) -> str:
        return f"{WORDS[number % 8]} {WORDS[number // 8 % 8]} tea"

    index, plain = memspan.Index(DIM), memspan.Index(DIM)
    for number in range(6000):
        add(index, number, words(number), number % 3 == 0, number // 20)
        if number >= 5500 and number % 3:
            add(plain, number, words(number), False, number // 20)
    gone = [f"m{number}" for number in range(5500)]
    for cut in range(0, 5500, 1100):
        index.remove(user="ana", ids=gone[cut : cut + 1100])
    expected = found(plain, "black kettle tea", fusion="rrf", views=["lexical"])
    assert found(index, "black kettle tea", fusion="rrf", views=["lexical"]) == expected
    index.save(tmp_path / "i")
    loaded = memspan.Index.load(tmp_path / "i")
    assert found(loaded, "black kettle tea", fusion="rrf", views=["lexical"]) == expected
    add(loaded, 5501, "oolong", True, 0)
    add(plain, 5501, "oolong", True, 0)
    assert found(loaded, "oolong tea", fusion="rrf", views=["lexical"]) == found(
        plain, "oolong tea", fusion="rrf", views=["lexical"]
    )
