"""Token vectors beside threads, other handles and forks."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from typing import Any

import numpy as np
import pytest
from word_tokens import WordTokens

from memspan import Memory, Record
from memspan.remember.compose import embedded_text

Open = Callable[..., Memory]
Stored = Callable[..., Any]
NAMES = ("ana", "ben")
ROUNDS = 25


def all_right(memory: Memory, words: WordTokens, stored: Stored, user: str) -> None:
    """Assert that every record has the token vectors of what it says."""
    kept = stored(memory, user)
    records = [recall.record for recall in memory.latest(user=user, k=10_000)]
    for record in records:
        np.testing.assert_array_equal(kept[record.id], words.embed_documents([embedded_text(record)])[0])


@pytest.mark.parametrize("handles", [1, 2])
def test_adding_and_searching_at_once(
    open_memory: Open, words: WordTokens, stored: Stored, handles: int
) -> None:
    memories = [open_memory() for _ in range(handles)]
    for user in NAMES:
        memories[0].add([{"id": f"m{n}", "text": f"boat first{n}"} for n in range(80)], user=user)

    def work(thread: int) -> None:
        memory, user = memories[thread % handles], NAMES[thread % 2]
        random = np.random.default_rng(thread)
        for number in range(ROUNDS):
            id_ = f"m{random.integers(80)}"
            memory.add([{"id": id_, "text": f"boat word{thread} round{number}"}], user=user)
            found = memory.search(f"kayak word{thread} round{number}", user=user, k=5, explain=True)
            assert len(found) == 5
            scores = [recall.score for recall in found]
            assert scores == sorted(scores, reverse=True)
            for recall in found:
                told = (recall.explanation or {})["tokens"]
                assert told["similarity"] is not None
                # All that there is to say of a boat, of this word and of this round.
                if recall.text == f"boat word{thread} round{number}":
                    assert told["similarity"] == pytest.approx(1, abs=1e-3)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, thread) for thread in range(4)]:
            done.result()
    for user in NAMES:
        all_right(memories[0], words, stored, user)
    assert memories[0].verify() == []


def test_forgetting_while_others_search(memory: Memory) -> None:
    memory.add([{"id": f"m{n}", "text": f"boat number{n}"} for n in range(60)], user="ana")
    ended = threading.Event()

    def search() -> int:
        count = 0
        while not ended.is_set() or not count:
            found = memory.search("kayak", user="ana", k=5)
            assert len({recall.id for recall in found}) == len(found) == 5
            count += 1
        return count

    with ThreadPoolExecutor(3) as pool:
        searching = [pool.submit(search) for _ in range(3)]
        try:
            for n in range(0, 50, 5):
                assert memory.forget(user="ana", id=[f"m{n + more}" for more in range(5)]) == 5
        finally:
            ended.set()
        assert all(done.result() for done in searching)
    assert len(memory.search("kayak", user="ana", k=100)) == 10


CLEANINGS: list[Callable[[Memory], object]] = [
    lambda memory: memory.forget(user="ben"),
    lambda memory: memory.make_token_vectors(),
]


@pytest.mark.parametrize("clean", CLEANINGS)
def test_forgetting_something_while_another_record_is_about_to_be_written(
    memory: Memory, words: WordTokens, stored: Stored, monkeypatch: pytest.MonkeyPatch, clean: Any
) -> None:
    bare: dict[str, Any] = {"embedding": np.ones(32, np.float32), "at": datetime.now(timezone.utc)}
    memory.add_records([Record(id="b", user="ben", text="a boat", **bare)])  # without token vectors
    changing = memory._engine.changing

    def late() -> Any:
        monkeypatch.undo()
        clean(memory)
        return changing()

    monkeypatch.setattr(memory._engine, "changing", late)
    memory.add([{"id": "a", "text": "a kayak"}], user="ana")
    all_right(memory, words, stored, "ana")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_searches_and_adds(memory: Memory, words: WordTokens, stored: Stored) -> None:
    memory.add([{"id": f"m{n}", "text": f"boat number{n}"} for n in range(20)], user="ana")
    memory.search("kayak", user="ana")
    tokens = memory._engine.tokens
    assert tokens is not None
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with tokens._lock:
            held.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # Waiting for a lock is no way to end.
        status = 1
        try:
            memory.add([{"id": "child", "text": "kayak of the child"}], user="ana")
            found = memory.search("boat of the child", user="ana", k=1, explain=True)
            told = (found[0].explanation or {})["tokens"]
            status = 0 if found[0].id == "child" and told["similarity"] > 0.99 else 2
        finally:
            os._exit(status)
    done.set()
    holder.join()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    all_right(memory, words, stored, "ana")
    assert memory.search("boat of the child", user="ana", k=1)[0].id == "child"
