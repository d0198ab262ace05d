"""Stores and vectors that stay between evaluations."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan.embed import HashEmbedder
from memspan.errors import StoreError
from memspan.evaluate import Evaluation, evaluate
from memspan.evaluate import stores as stores_module
from memspan.evaluate.embedding_cache import CachedEmbedder
from memspan.evaluate.stores import store_path
from memspan.formats.questions import read_labelled
from memspan.memory import Memory

Labelled = Callable[..., Path]


class Counting(HashEmbedder):
    """Remembers what it was asked to embed, and fails after so many documents."""

    def __init__(self, fail_after: int = 1 << 30) -> None:
        super().__init__(64)
        self.documents: list[str] = []
        self.questions: list[str] = []
        self.fail_after = fail_after

    def embed_documents(self, texts: Sequence[str]) -> Any:
        if len(self.documents) + len(texts) > self.fail_after:
            raise KeyboardInterrupt
        self.documents += texts
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Any:
        self.questions.append(text)
        return super().embed_query(text)


def run(path: Path, stores: Path, embedder: Counting, **options: Any) -> Evaluation:
    return evaluate("locomo", path, embedder=embedder, store_dir=stores, **options)


def test_a_second_run_embeds_questions_only(labelled: Labelled, stores: Path) -> None:
    path, first, second = labelled("locomo"), Counting(), Counting()
    one = run(path, stores, first)
    two = run(path, stores, second)
    assert len(first.documents) == 6
    assert second.documents == []
    assert len(second.questions) == 1 + 6  # with the one that warms up
    assert [each.retrieved for each in one.questions] == [each.retrieved for each in two.questions]


def test_new_labels_keep_the_store_and_new_turns_do_not(labelled: Labelled, stores: Path) -> None:
    def store(change: Callable[[Any], Any]) -> Path:
        return store_path(stores, read_labelled(labelled("locomo", change), "locomo"), HashEmbedder(64))

    def say(values: Any, field: str, value: str) -> None:
        values[1]["conversation"]["session_1"][0][field] = value

    same = store(lambda values: None)
    assert store(lambda values: values[0]["qa"].pop()) == same
    assert store(lambda values: values[0].update(event_summary={})) == same
    assert store(lambda values: say(values, "text", "The ferry leaves at one.")) != same
    assert store(lambda values: say(values, "speaker", "Eve")) != same
    assert store(lambda values: say(values, "blip_caption", "a ferry")) != same
    assert store(lambda values: say(values, "dia_id", "D1:2")) != same
    assert store(lambda values: values[1].update(sample_id="bay")) != same


def test_the_store_depends_on_embedder_and_composition(
    labelled: Labelled, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = read_labelled(labelled("locomo"), "locomo")
    paths = {store_path(stores, file, HashEmbedder(dim)) for dim in (32, 64)}
    for name in ("COMPOSE_VERSION", "SCHEMA_VERSION"):
        monkeypatch.setattr(stores_module, name, 99)
        paths.add(store_path(stores, file, HashEmbedder(64)))
    assert len(paths) == 4


def test_vectors_outlive_the_rules_of_composition(
    labelled: Labelled, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, first, second = labelled("locomo"), Counting(), Counting()
    run(path, stores, first)
    monkeypatch.setattr(stores_module, "COMPOSE_VERSION", 99)
    run(path, stores, second)
    assert second.documents == []


def test_users_that_are_there_are_not_ingested_again(
    labelled: Labelled, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = labelled("locomo")
    run(path, stores, Counting(), users=["orchard"])
    filled: list[list[str]] = []
    original = stores_module.ingest_turns

    def ingest(memory: Memory, turns: Any, *arguments: Any, **options: Any) -> None:
        turns = list(turns)
        filled.append([turn.user for turn in turns])
        original(memory, turns, *arguments, **options)

    monkeypatch.setattr(stores_module, "ingest_turns", ingest)
    run(path, stores, Counting())
    assert filled == [["harbour"]]


def test_an_interrupted_run_goes_on_where_it_stopped(
    labelled: Labelled, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores_module, "_BATCH", 2)
    path = labelled("locomo")
    with pytest.raises(KeyboardInterrupt):
        run(path, stores, Counting(fail_after=4))
    rest = Counting()
    result = run(path, stores, rest)
    assert len(rest.documents) == 2
    whole = run(path, stores.parent / "whole", Counting())
    assert [each.retrieved for each in result.questions] == [each.retrieved for each in whole.questions]


def test_nobody_else_can_read_the_folder(labelled: Labelled, stores: Path) -> None:
    run(labelled("locomo"), stores, Counting())
    assert stat.S_IMODE(stores.stat().st_mode) == 0o700


def test_the_folder_is_below_the_cache_by_default(
    labelled: Labelled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    result = evaluate("locomo", labelled("locomo"), embedder="hash:64")
    assert result.files[0].store.parent == tmp_path / "xdg" / "memspan" / "eval"


def test_cached_vectors_are_those_of_the_embedder(tmp_path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, tmp_path / "e.sqlite")
    assert (cached.name, cached.dim, cached.checksum) == (inner.name, 64, inner.checksum)
    expected = HashEmbedder(64).embed_documents(["one", "two", "three"])
    np.testing.assert_array_equal(cached.embed_documents(["two", "two"]), expected[[1, 1]])
    np.testing.assert_array_equal(cached.embed_documents(["one", "two", "three"]), expected)
    assert inner.documents == ["two", "one", "three"]
    assert cached.embed_documents([]).shape == (0, 64)
    np.testing.assert_array_equal(cached.embed_query("one"), HashEmbedder(64).embed_query("one"))


@pytest.mark.parametrize("value", [b"abc", b"\0" * 252, "text", 3, None])
def test_a_damaged_vector_is_made_anew(tmp_path: Path, value: object) -> None:
    cached = CachedEmbedder(Counting(), tmp_path / "e.sqlite")
    expected = cached.embed_documents(["one"])
    with contextlib.closing(sqlite3.connect(tmp_path / "e.sqlite")) as database, database:
        database.execute("UPDATE vector SET value = ?", (value,))
    np.testing.assert_array_equal(cached.embed_documents(["one"]), expected)


def test_a_cache_that_is_none_is_refused(labelled: Labelled, stores: Path) -> None:
    stores.mkdir(parents=True)
    (stores / "embeddings.sqlite").write_text(
        "no database at all, but long enough to be taken for one\n" * 40
    )
    with pytest.raises(StoreError, match=r"embeddings.sqlite: not a usable cache"):
        run(labelled("locomo"), stores, Counting())
