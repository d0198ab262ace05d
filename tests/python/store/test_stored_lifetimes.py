"""Lifetimes in a store: what a writing connection keeps of them from one transaction to the next is never stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from memspan.store import SqliteStore


def known(store: SqliteStore, user: str | None) -> dict[str, float]:
    """As the next writer sees them; they are the same for a reader."""
    with store.writing() as writer:
        seen = dict(writer.lifetimes.lifetimes(user))
    with store.reading() as reader:
        assert reader.lifetimes.lifetimes(user) == seen
    return seen


def test_of_everybody_and_of_one(store: SqliteStore) -> None:
    assert known(store, None) == known(store, "ana") == {}
    with store.writing() as writer:
        writer.lifetimes.set_lifetime(None, "episodic", 60)
        writer.lifetimes.set_lifetime("ana", "semantic", 5)
        assert writer.lifetimes.lifetimes("ana") == {"semantic": 5}
        writer.lifetimes.set_lifetime("ana", "episodic", 7)
    assert known(store, None) == {"episodic": 60}
    assert known(store, "ana") == {"semantic": 5, "episodic": 7}
    with store.writing() as writer:
        writer.lifetimes.set_lifetime("ana", "semantic", None)
    assert known(store, "ana") == {"episodic": 7}


def test_another_handle_set_them(store: SqliteStore, path: Path) -> None:
    assert known(store, "ana") == {}
    other = SqliteStore(path)
    with other.writing() as writer:
        writer.lifetimes.set_lifetime("ana", "episodic", 60)
    other.close()
    assert known(store, "ana") == {"episodic": 60}


def test_what_was_rolled_back_was_never_set(store: SqliteStore) -> None:
    def fail() -> None:
        with store.writing() as writer:
            writer.lifetimes.set_lifetime("ana", "episodic", 60)
            assert writer.lifetimes.lifetimes("ana") == {"episodic": 60}
            raise ZeroDivisionError

    assert known(store, "ana") == {}
    with pytest.raises(ZeroDivisionError):
        fail()
    assert known(store, "ana") == {}


def test_they_go_with_their_user(store: SqliteStore) -> None:
    with store.writing() as writer:
        writer.lifetimes.set_lifetime("ana", "episodic", 60)
    assert known(store, "ana") == {"episodic": 60}
    with store.writing() as writer:
        writer.remove_user("ana")
        assert writer.lifetimes.lifetimes("ana") == {}
    assert known(store, "ana") == {}
