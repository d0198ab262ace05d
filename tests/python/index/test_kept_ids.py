"""Strings of ids are written over where nobody holds them: what somebody holds, hashed or interned stays as it is."""

from __future__ import annotations

import gc
import random
import sys

import pytest

from memspan import Index

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30)


@pytest.fixture
def index() -> Index:
    """Ten users, whose newest records have ids of the same lengths and of other letters."""
    index = Index(4, analyzer="simple", auto_consolidate=False)
    for user in range(10):
        for at in range(60):
            length = LENGTHS[(at + user // 5) % len(LENGTHS)]
            mark = chr(ord("a") + user) if at % 7 else "éßжq漢"[user % 5]
            index.add(user=f"u{user}", id=(f"{at:02}" * 15)[: length - 1] + mark, at=at, text="word")
    return index


def expected(index: Index, user: str, k: int) -> list[str]:
    return [hit.id for hit in index.latest(user=user, k=k)]


def test_lists_that_are_held_stay_as_they_were(index: Index) -> None:
    chance = random.Random(5)
    held: list[tuple[list[str], list[str]]] = []
    for _ in range(3000):
        user, k = f"u{chance.randrange(10)}", chance.choice((1, 2, 20, 70))
        ids = index.latest(user=user, k=k).ids
        copies = ["".join(list(one)) for one in ids]
        assert copies == expected(index, user, k)
        fate = chance.randrange(8)
        if fate == 0:
            held.append((ids, copies))
        elif fate == 1 and ids:
            place = chance.randrange(len(ids))
            held.append(([ids[place]], [copies[place]]))
        elif fate == 2 and held:
            held.pop(chance.randrange(len(held)))
    assert held
    for ids, copies in held:
        assert ids == copies


def test_hashes_and_tables_hold(index: Index) -> None:
    chance = random.Random(6)
    seen: dict[str, str] = {}
    for _ in range(2000):
        for one in index.latest(user=f"u{chance.randrange(10)}", k=20).ids:
            if chance.randrange(3) == 0:
                hash(one)
            if chance.randrange(4) == 0:
                seen[one] = "".join(list(one))
            if chance.randrange(40) == 0 and seen:
                del seen[chance.choice(list(seen))]
    assert seen
    for key, copy in seen.items():
        assert key == copy
        assert hash(key) == hash(copy)
        assert seen[copy] == copy


def test_interned_ones_are_not_touched(index: Index) -> None:
    for one in index.latest(user="u1", k=20).ids:
        sys.intern(one)
    interned = expected(index, "u1", 20)
    del one
    gc.collect()
    for user in range(10):
        assert index.latest(user=f"u{user}", k=20).ids == expected(index, f"u{user}", 20)
    for each in interned:
        assert sys.intern("".join(list(each))) == each


def test_searches_and_lists_of_the_newest_share_them(index: Index) -> None:
    found = index.search(user="u3", text="word", k=30).ids
    copies = ["".join(list(one)) for one in found]
    for user in range(10):
        index.latest(user=f"u{user}", k=30).ids.sort()
        index.search(user=f"u{user}", text="word", k=30).ids.sort()
    assert found == copies
