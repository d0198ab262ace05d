"""A store whose token vectors are of another token embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from word_tokens import WordTokens

from memspan import EmbedderMismatchError, InvalidArgumentError, Memory
from memspan.remember.embedding import EmbedderIdentity
from memspan.remember.tokens.opening_tokens import TOKEN_SETTING
from memspan.store import inspect

Open = Callable[..., Memory]
Stored = Callable[..., Any]


def fill(memory: Memory) -> None:
    memory.add([{"id": f"m{n}", "text": f"boat {n}"} for n in range(5)], user="ana")


def recorded(path: Path) -> str | None:
    found = inspect(path)
    assert found is not None
    return found.settings.get(TOKEN_SETTING)


@pytest.mark.parametrize(
    "other", [WordTokens("others"), WordTokens(dim=24)], ids=lambda other: f"{other.name}-{other.dim}"
)
def test_another_one_is_refused(
    memory: Memory, open_memory: Open, path: Path, other: WordTokens, stored: Stored
) -> None:
    fill(memory)
    setting = recorded(path)
    with pytest.raises(EmbedderMismatchError) as caught:
        open_memory(token_embedder=other)
    message = str(caught.value)
    for part in (
        str(path),
        "'words'",
        f"'{other.name}'",
        "token_embedder=False",
        "reembed=True",
        str(other.dim),
    ):
        assert part in message
    assert recorded(path) == setting
    assert len(stored(memory)) == 5


@pytest.mark.parametrize("embedder", ["hash:32", None])
def test_all_are_made_anew(
    memory: Memory, open_memory: Open, path: Path, stored: Stored, embedder: str | None
) -> None:
    fill(memory)
    memory.close()
    other = WordTokens("others", dim=24)
    again = open_memory(embedder=embedder, token_embedder=other, reembed=True)
    assert sorted(other.documents) == [f"boat {n}" for n in range(5)]
    assert {vectors.shape[1] for vectors in stored(again, dim=24).values()} == {24}
    assert len(stored(again, dim=24)) == 5
    assert EmbedderIdentity.parse(recorded(path) or "", path) == EmbedderIdentity("others", 24, "")
    found = again.search("boat 3", user="ana", k=1, explain=True)
    assert (found[0].explanation or {})["tokens"]["similarity"] == pytest.approx(1, abs=1e-3)
    again.close()
    open_memory(token_embedder=other, reembed=True)
    assert len(other.documents) == 5, "there is nothing to make anew"


def test_both_are_made_anew(memory: Memory, open_memory: Open, stored: Stored) -> None:
    fill(memory)
    memory.close()
    other = WordTokens("others")
    again = open_memory(embedder="hash:64", token_embedder=other, reembed=True)
    assert len(stored(again)) == len(other.documents) == 5
    assert again.search("boat 3", user="ana", k=1)[0].id == "m3"
    assert again.verify() == []


def test_reembed_wants_one_of_them(memory: Memory, path: Path) -> None:
    fill(memory)
    for none in (None, False):
        with pytest.raises(InvalidArgumentError, match="^embedder: got"):
            Memory(path, token_embedder=none, reembed=True)
