"""How much is kept of token vectors, and what that costs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from memspan.remember.tokens import token_cache
from memspan.remember.tokens.token_cache import TokenCache
from memspan.store.protocol import Removals
from memspan.store.token_vectors import TokenVectors

DIM = 8


class Reader:
    """A store in which every user but `nobody` has token vectors."""

    def sequence(self) -> int:
        return 1

    def token_vectors(self, user: str, ids: Sequence[str], dim: int) -> dict[str, TokenVectors]:
        have = () if user.startswith("nobody") else ids
        return {id_: TokenVectors(1, 1, np.ones((4, dim), np.int8)) for id_ in have}


@pytest.fixture
def cache() -> TokenCache:
    return TokenCache(DIM)


def ask(cache: TokenCache, user: str) -> None:
    reader: Any = Reader()
    cache.of(reader, user, ["m1"])


def calls(cache: TokenCache, user: str) -> int:
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        ask(cache, user)
    finally:
        sys.setprofile(None)
    return count


def test_what_is_kept_of_others_costs_a_search_nothing(cache: TokenCache) -> None:
    ask(cache, "ben")
    few = calls(cache, "ana")
    for number in range(500):
        ask(cache, f"user {number}")
    assert calls(cache, "eve") <= few + 10


def test_nothing_is_kept_of_users_without_token_vectors(cache: TokenCache) -> None:
    for number in range(10):
        ask(cache, f"nobody {number}")
    assert not cache._users


def test_the_least_recently_used_go(cache: TokenCache, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(cache, "ana")
    each = cache._users["ana"].bytes
    monkeypatch.setattr(token_cache, "_MOST_BYTES", 3 * each)
    for user in ("ben", "cleo", "ana", "dan", "eve"):
        ask(cache, user)
    assert list(cache._users) == ["ana", "dan", "eve"]
    cache.forget("dan")
    for user in ("fay", "ana", "gil"):
        ask(cache, user)
    assert list(cache._users) == ["fay", "ana", "gil"]
    cache.forget()
    for user in ("ana", "ben", "cleo", "dan"):
        ask(cache, user)
    assert list(cache._users) == ["ben", "cleo", "dan"]


def test_what_is_erased_while_it_is_read_is_not_kept(cache: TokenCache) -> None:
    class Forgetting(Reader):
        def token_vectors(self, user: str, ids: Sequence[str], dim: int) -> dict[str, TokenVectors]:
            found = super().token_vectors(user, ids, dim)
            cache.forget(user)
            return found

    reader: Any = Forgetting()
    assert len(cache.of(reader, "ana", ["m1"])) == 1
    assert not cache._users
    assert cache._bytes == 0


def test_what_is_read_behind_a_removal_is_kept(cache: TokenCache) -> None:
    class Later(Reader):
        def sequence(self) -> int:
            return 2

        def removals(self, since: int) -> Removals:
            return Removals(False, ["ana"], [], [])

    ask(cache, "ana")
    reader: Any = Later()
    cache.of(reader, "ana", ["m2"])
    assert list(cache._users["ana"].right) == ["m2"]
    assert not cache._users["ana"].earlier


def test_what_is_erased_as_a_reading_begins_is_not_kept(cache: TokenCache) -> None:
    class Late(Reader):
        def sequence(self) -> int:
            cache.forget("ana")
            return 1

    reader: Any = Late()
    assert len(cache.of(reader, "ana", ["m1"])) == 1
    assert not cache._users
