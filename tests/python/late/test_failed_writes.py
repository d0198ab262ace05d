"""A write that fails leaves no token vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from word_tokens import Broken, WordTokens

from memspan import EmbedderError, Memory

Open = Callable[..., Memory]
Stored = Callable[..., Any]


def right(memory: Memory, words: WordTokens, stored: Stored, *ids: str) -> None:
    """Assert that the records' token vectors are those of what they say now."""
    kept = stored(memory)
    for id_ in ids:
        record = memory.get(user="ana", id=id_)
        assert record is not None
        np.testing.assert_array_equal(kept[id_], words.embed_documents([record.text])[0])


@pytest.mark.parametrize("count", [1, 600])
def test_an_embedder_that_fails_stores_nothing(
    memory: Memory, words: WordTokens, stored: Stored, count: int
) -> None:
    memory.add([{"id": "m0", "text": "before"}], user="ana")
    words.before = Broken(f"word{count - 1} ")
    with pytest.raises(EmbedderError, match="the model is broken"):
        memory.add([{"id": f"m{n}", "text": f"word{n} boat"} for n in range(count)], user="ana")
    words.before = Broken("nowhere")
    assert [recall.text for recall in memory.latest(user="ana", k=1000)] == ["before"]
    right(memory, words, stored, "m0")
    assert memory.search("boat", user="ana")[0].id == "m0"


@pytest.mark.parametrize("wrong", [[], [np.zeros((1, 48), np.int8)], [np.ones((1, 47), np.int8)], "no", None])
def test_a_useless_answer_stores_nothing(memory: Memory, words: WordTokens, wrong: Any) -> None:
    words.embed_documents = lambda texts: wrong  # type: ignore[method-assign]
    with pytest.raises(EmbedderError, match="token embedder 'words'"):
        memory.add([{"id": "m", "text": "boat"}], user="ana")
    assert memory.latest(user="ana") == []


@pytest.mark.parametrize("count", [2, 400])
def test_a_transaction_that_fails_stores_none(
    memory: Memory, words: WordTokens, stored: Stored, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any, **options: Any) -> Any:
        raise OSError("no space")

    monkeypatch.setattr("memspan.remember.writing.adding.follow_turns", full)
    turns = [{"id": f"m{n}", "text": f"word{n} boat"} for n in range(count)]
    with pytest.raises(OSError, match="no space"):
        memory.add(turns, user="ana")
    monkeypatch.undo()
    assert stored(memory) == {}
    assert memory.latest(user="ana") == []
    memory.add(turns, user="ana")
    right(memory, words, stored, "m0", f"m{count - 1}")
    assert len(stored(memory)) == count
