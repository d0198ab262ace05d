from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memspan import Memory

sys.path.insert(0, str(Path(__file__).parent))

from word_tokens import DIM, WordTokens

Open = Callable[..., Memory]
Stored = Callable[..., dict[str, NDArray[np.int8]]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


@pytest.fixture
def words() -> WordTokens:
    """To it a kayak is a boat."""
    return WordTokens(same={"kayak": "boat"})


@pytest.fixture
def open_memory(path: Path, words: WordTokens) -> Iterator[Open]:
    """Open a memory at `path`, or elsewhere, with a small hash embedder and `words`; closed at the end of the test."""
    opened: list[Memory] = []

    def open_one(where: Path | None = None, embedder: Any = "hash:32", **options: Any) -> Memory:
        options.setdefault("token_embedder", words)
        opened.append(Memory(path if where is None else where, embedder, **options))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory()


@pytest.fixture
def stored() -> Stored:
    """Token vectors in the store by id, of all records of a user that the index has, retired ones too."""

    def of(memory: Memory, user: str = "ana", dim: int = DIM) -> dict[str, NDArray[np.int8]]:
        with memory._engine.store.reading() as reader:
            rows = reader._all(  # type: ignore[attr-defined]
                "SELECT r.id FROM records r JOIN users u ON u.pk = r.user_pk WHERE u.name = ?", (user,)
            )
            kept = reader.token_vectors(user, [id_ for (id_,) in rows], dim)
        return {id_: each.vectors for id_, each in kept.items()}

    return of
