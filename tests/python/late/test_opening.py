"""Which token embedder a memory is opened with."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from word_tokens import WordTokens

from memspan import EmbedderMismatchError, InvalidArgumentError, Memory
from memspan.embed import DEFAULT_TOKEN_MODEL
from memspan.errors import MissingExtraError, ModelNotFoundError
from memspan.remember.embedding import EmbedderIdentity
from memspan.remember.tokens.opening_tokens import TOKEN_SETTING, choose_tokens
from memspan.store import inspect

Open = Callable[..., Memory]
Stored = Callable[..., Any]
MINILM = EmbedderIdentity("all-MiniLM-L6-v2", 384, "")


def fill(memory: Memory) -> None:
    memory.add([{"id": f"m{n}", "text": f"boat {n}"} for n in range(5)], user="ana")


def recorded(path: Path) -> str | None:
    found = inspect(path)
    assert found is not None
    return found.settings.get(TOKEN_SETTING)


def test_none_by_default_for_a_store_of_the_hash_embedder(open_memory: Open, path: Path) -> None:
    memory = open_memory(token_embedder=None)
    fill(memory)
    assert memory._engine.tokens is None
    assert memory.search("boat", user="ana").timings.reranking == 0
    assert recorded(path) is None


def test_the_store_remembers_it(memory: Memory, open_memory: Open, path: Path, words: WordTokens) -> None:
    fill(memory)
    setting = recorded(path)
    assert setting is not None
    assert EmbedderIdentity.parse(setting, "") == EmbedderIdentity("words", words.dim, "")
    again = open_memory()
    assert again.search("boat 3", user="ana", k=1).timings.reranking > 0
    open_memory(token_embedder=False).close()
    assert recorded(path) == setting


def test_one_that_nobody_knows_by_name_is_left_out(
    memory: Memory, open_memory: Open, words: WordTokens, stored: Stored
) -> None:
    fill(memory)
    again = open_memory(token_embedder=None)
    assert again.search("boat 3", user="ana", k=1)[0].id == "m3"
    again.add([{"id": "new", "text": "boat 7"}], user="ana")
    assert words.questions == []
    assert stored(again).keys() == {f"m{n}" for n in range(5)}


@pytest.mark.parametrize("wrong", [7, True, object(), "nothing", "", "hash", WordTokens])
def test_a_bad_one_is_refused_before_a_store_is_made(path: Path, wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="^token_embedder: got"):
        Memory(path, "hash:32", token_embedder=wrong)
    assert not path.exists()


def known(path: Path) -> None:
    """The store's token vectors are of the default model from now on."""
    with sqlite3.connect(path) as connection:
        setting = EmbedderIdentity(DEFAULT_TOKEN_MODEL, 96, "x").dump()
        connection.execute("UPDATE meta SET value = ? WHERE key = ?", (setting, TOKEN_SETTING))
        assert connection.total_changes == 1
    connection.close()


def test_a_known_model_that_is_not_on_this_machine_is_left_out(
    memory: Memory, open_memory: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    memory.close()
    known(path)
    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.find_model", lambda name: None)
    again = open_memory(token_embedder=None)
    assert again._engine.tokens is None
    assert again.search("boat 3", user="ana", k=1)[0].id == "m3"


def test_a_known_model_is_not_loaded_before_it_is_needed(
    memory: Memory, open_memory: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    memory.close()
    known(path)
    asked: list[Any] = []

    class Known(WordTokens):
        checksum: Any

    standing_in = Known(DEFAULT_TOKEN_MODEL, dim=96)
    standing_in.checksum = "x"

    def resolve(name: Any) -> WordTokens:
        asked.append(name)
        return standing_in

    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.find_model", lambda name: path)
    monkeypatch.setattr("memspan.remember.tokens.store_tokens.resolve_token_embedder", resolve)
    again = open_memory(token_embedder=None)
    assert again.latest(user="ana", k=9)
    assert asked == []
    again.add([{"id": "new", "text": "boat 7"}], user="ana")
    again.add([{"id": "more", "text": "boat 8"}], user="ana")
    assert asked == [DEFAULT_TOKEN_MODEL]
    standing_in.checksum = "y"
    other = open_memory(token_embedder=None)
    with pytest.raises(EmbedderMismatchError, match="its token vectors are of"):
        other.search("boat", user="ana")


@pytest.mark.parametrize("error", [ModelNotFoundError("not here"), MissingExtraError("no onnx")])
def test_the_default_for_the_default_model_if_it_can_be_had(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def choose(spec: Any = None, embedder: EmbedderIdentity = MINILM) -> Any:
        return choose_tokens("p", spec, {}, embedder, reembed=False)

    words = WordTokens(DEFAULT_TOKEN_MODEL)
    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.DEFAULT_MODEL", MINILM.name)
    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.resolve_token_embedder", lambda spec: words)
    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.find_model", lambda name: None)
    assert choose() is None
    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.find_model", lambda name: Path())
    tokens = choose()
    assert tokens is not None
    assert tokens.identity == EmbedderIdentity(DEFAULT_TOKEN_MODEL, words.dim, "")
    assert choose(embedder=EmbedderIdentity("hash", 32, "")) is None
    assert choose(False) is None

    def fail(spec: Any) -> Any:
        raise error

    monkeypatch.setattr("memspan.remember.tokens.opening_tokens.resolve_token_embedder", fail)
    assert choose() is None
    with pytest.raises(type(error)):
        choose(DEFAULT_TOKEN_MODEL)
