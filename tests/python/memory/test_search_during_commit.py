"""Nobody who searches waits for a writer: not for its transaction, nor for what a commit does after it can be seen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memspan
from memspan.store import StoreWriter

DIM = 8
PATIENCE = 20.0


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[memspan.Memory]:
    with memspan.Memory(tmp_path / "m.memspan", memspan.HashEmbedder(dim=DIM)) as opened:
        opened.add("The ferry leaves at nine.", user="ana")
        yield opened


def answer_of(memory: memspan.Memory, text: str) -> list[str] | None:
    """What another thread finds; `None` if it waits."""
    found: list[list[str]] = []

    def search() -> None:
        found.append([hit.record.text for hit in memory.search(text, user="ana")])

    thread = threading.Thread(target=search, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found[0] if found else None


@contextmanager
def before_the_commit(
    memory: memspan.Memory, meanwhile: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    store = memory._engine.store
    writing = store.writing

    @contextmanager
    def slow() -> Iterator[StoreWriter]:
        with writing() as writer:
            yield writer
            meanwhile()

    with monkeypatch.context() as patched:
        patched.setattr(store, "writing", slow)
        yield


def test_what_is_not_committed_yet_takes_nobodys_place(
    memory: memspan.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many at once are searchable long before their commit."""
    memory.add([{"id": f"m{n}", "text": f"ferry {n}"} for n in range(9)], user="ana", at="2024-01-01")
    expected = (
        [hit.id for hit in memory.latest("ana", k=5)],
        len(memory.search("train ferry", user="ana", k=5)),
    )
    seen: list[tuple[list[str], int]] = []

    def look() -> None:
        found = memory.latest("ana", k=5), memory.search("train ferry", user="ana", k=5)
        seen.append(([hit.id for hit in found[0]], len(found[1])))

    def look_beside() -> None:
        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        thread.join(PATIENCE)

    coming = [{"id": f"n{n}", "text": f"The train to the ferry {n}"} for n in range(300)]
    with before_the_commit(memory, look_beside, monkeypatch):
        memory.add(coming, user="ana", at="2024-02-01")
    assert seen == [expected]
    assert {hit.id[0] for hit in memory.search("train ferry", user="ana", k=5)} == {"n"}


def slow_to_end(
    memory: memspan.Memory, meanwhile: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit comes back to its writer only after `meanwhile`, as when the log is copied into the database."""
    store = memory._engine.store
    writing = store.writing

    @contextmanager
    def slow() -> Iterator[StoreWriter]:
        with writing() as writer:
            yield writer
        meanwhile()

    monkeypatch.setattr(store, "writing", slow)


def test_a_search_finds_what_was_committed_before_its_writer_goes_on(
    memory: memspan.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str] | None] = []
    slow_to_end(memory, lambda: seen.append(answer_of(memory, "ferry train")), monkeypatch)
    memory.add("The train leaves at ten.", user="ana")
    assert [sorted(texts or []) for texts in seen] == [
        ["The ferry leaves at nine.", "The train leaves at ten."]
    ]


def test_a_commit_that_fails_leaves_no_index_behind(
    memory: memspan.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = memory._engine.store
    writing = store.writing

    @contextmanager
    def failing() -> Iterator[StoreWriter]:
        with writing() as writer:
            yield writer
            raise memspan.StoreError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(store, "writing", failing)
        with pytest.raises(memspan.StoreError, match="the disk is full"):
            memory.add("The train leaves at ten.", user="ana")
    # The same point of the sequence, with something else in it.
    with memspan.Memory(store.path, memspan.HashEmbedder(dim=DIM)) as other:
        other.add("The bus leaves at eleven.", user="ana")
    assert sorted(answer_of(memory, "ferry train bus") or []) == [
        "The bus leaves at eleven.",
        "The ferry leaves at nine.",
    ]
