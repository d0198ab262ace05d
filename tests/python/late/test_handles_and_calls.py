"""Handles and calls beside one another, and records that say the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from word_tokens import WordTokens

from memspan import Memory
from memspan.errors import EmbedderMismatchError
from memspan.ranking.late import TokenBlocks, added_by_rank, max_similarities

Open = Callable[..., Memory]
Stored = Callable[..., Any]


def test_what_says_the_same_shares_its_rank() -> None:
    random = np.random.default_rng(296)
    for _ in range(50):
        question = random.normal(size=(random.integers(1, 65), 96)).astype(np.float32)
        question /= np.linalg.norm(question, axis=1, keepdims=True)
        same = random.integers(-127, 128, (random.integers(1, 65), 96), np.int8)
        records = []
        for _ in range(30):
            records += [same, random.integers(-127, 128, (random.integers(1, 65), 96), np.int8)]
        added = added_by_rank(max_similarities(question, [*map(TokenBlocks, records)]))[::2]
        assert len(set(added.tolist())) == 1


@pytest.mark.parametrize("dim", [48, 24])
def test_a_handle_with_the_model_of_before_spoils_nothing(
    open_memory: Open, memory: Memory, stored: Stored, dim: int
) -> None:
    memory.add([{"id": "a", "text": "a boat"}, {"id": "b", "text": "a lake"}], user="ana")
    other = WordTokens("others", dim=dim)
    anew = open_memory(token_embedder=other, reembed=True)
    try:
        memory.add([{"id": "new", "text": "a kayak"}], user="ana")
        assert memory.search("boat", user="ana")
    except EmbedderMismatchError:
        pass  # As for the embedder: that would be right, too.
    assert anew.search("boat", user="ana")
    kept = stored(anew, dim=dim)
    if "new" in kept:
        np.testing.assert_array_equal(kept["new"], other.embed_documents(["a kayak"])[0])


def test_two_that_add_the_same_words_at_once(memory: Memory, words: WordTokens, stored: Stored) -> None:
    both = threading.Barrier(2)

    def add(id_: str) -> None:
        memory.add([{"id": id_, "text": "the same boat"}], user="ana")

    adding = [threading.Thread(target=add, args=(id_,)) for id_ in "ab"]
    made = threading.Semaphore(0)
    tokens = memory._engine.tokens
    assert tokens is not None
    make = tokens.make

    def make_and_tell(texts: Any) -> None:
        both.wait(60)
        make(texts)
        made.release()

    tokens.make = make_and_tell  # type: ignore[method-assign]
    with memory._engine.changing():
        for thread in adding:
            thread.start()
        for _ in adding:
            assert made.acquire(timeout=60)
    for thread in adding:
        thread.join()
    assert stored(memory).keys() == {"a", "b"}


def test_what_another_handle_makes_is_seen(open_memory: Open, memory: Memory) -> None:
    open_memory(token_embedder=False).add([{"id": "a", "text": "a boat"}], user="ana")

    def similarity() -> Any:
        return (memory.search("boat", user="ana", explain=True)[0].explanation or {})["tokens"]["similarity"]

    assert similarity() is None
    assert open_memory().make_token_vectors() == 1
    assert similarity() is not None


def test_a_large_batch_gets_all_of_them(memory: Memory, stored: Stored) -> None:
    memory.add([{"id": f"m{n}", "text": f"boat {n}"} for n in range(20_000)], user="ana")
    assert len(stored(memory)) == 20_000


def test_what_was_refused_is_let_go_after_a_while(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = memory._engine.tokens
    assert tokens is not None
    tokens.make(["never written", "never written"])
    monkeypatch.setattr("memspan.remember.tokens.store_tokens._WAITING_SECONDS", -1.0)
    tokens.make([])
    assert not tokens._waiting


def test_what_another_handle_forgets_does_not_stay_in_memory(open_memory: Open, memory: Memory) -> None:
    memory.add([{"id": "a", "text": "a boat", "speaker": "Ana"}], user="ana")
    memory.add([{"id": "b", "text": "a lake"}], user="ben")
    other = open_memory()
    engine = other._engine
    assert other.search("boat", user="ana")
    engine.unfinished["ana"] = object()
    assert engine.tokens is not None
    assert list(engine.tokens._cache._users) == ["ana"]
    memory.forget(user="ana")
    assert other.search("lake", user="ben")
    assert list(engine.tokens._cache._users) == ["ben"]
    assert "ana" not in {user for user, _ in engine.vocabularies._known}
    assert not engine.unfinished
