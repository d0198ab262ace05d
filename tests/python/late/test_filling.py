"""`Memory.make_token_vectors`: for records that have none."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from word_tokens import Broken, WordTokens

from memspan import EmbedderError, InvalidArgumentError, Memory

Open = Callable[..., Memory]
Stored = Callable[..., Any]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """600 records of ana and 3 of ben, without token vectors."""
    before = open_memory(token_embedder=False)
    before.add([{"id": f"m{n}", "text": f"boat word{n} here"} for n in range(600)], user="ana")
    before.add([{"id": f"m{n}", "text": f"lake {n}"} for n in range(3)], user="ben")
    before.close()
    return open_memory()


def test_of_one_user_then_of_all(memory: Memory, words: WordTokens, stored: Stored) -> None:
    assert words.documents == []
    assert memory.make_token_vectors("ben") == 3
    assert sorted(words.documents) == ["lake 0", "lake 1", "lake 2"]
    assert stored(memory) == {}
    assert memory.make_token_vectors("ben") == memory.make_token_vectors("nobody") == 0
    assert memory.make_token_vectors() == 600
    calls = words.calls
    assert memory.make_token_vectors() == memory.make_token_vectors("ana") == 0
    assert words.calls == calls
    kept = stored(memory)
    assert len(kept) == 600
    np.testing.assert_array_equal(kept["m599"], words.embed_documents(["boat word599 here"])[0])
    assert memory.verify() == []


def similarity(memory: Memory, question: str, user: str = "ana") -> Any:
    first = memory.search(question, user=user, k=1, explain=True)[0]
    return (first.explanation or {})["tokens"]["similarity"]


def test_searches_see_them_at_once(memory: Memory) -> None:
    assert similarity(memory, "word77") is None
    memory.make_token_vectors("ana")
    assert similarity(memory, "word77") == pytest.approx(1, abs=1e-3)


def test_an_interrupted_one_keeps_what_was_made(memory: Memory, words: WordTokens, stored: Stored) -> None:
    words.before = Broken("word300 ")
    with pytest.raises(EmbedderError, match="the model is broken"):
        memory.make_token_vectors()
    made = len(stored(memory)) + len(stored(memory, "ben"))
    assert made == 256
    words.before = Broken("nowhere")
    assert memory.make_token_vectors() == 603 - made
    assert len(stored(memory)) == 600


def test_what_changes_meanwhile_is_passed_over(
    memory: Memory, open_memory: Open, words: WordTokens, stored: Stored
) -> None:
    other = open_memory(token_embedder=False)

    def change(texts: Any) -> None:
        if "lake 1" in texts:
            other.add([{"id": "m1", "text": "a mountain"}], user="ben")
            other.forget(user="ben", id="m2")

    words.before = change
    memory.make_token_vectors("ben")
    words.before = lambda texts: None
    memory.make_token_vectors("ben")
    kept = stored(memory, "ben")
    assert "m2" not in kept
    np.testing.assert_array_equal(kept["m0"], words.embed_documents(["lake 0"])[0])
    np.testing.assert_array_equal(kept["m1"], words.embed_documents(["a mountain"])[0])


def test_without_a_token_embedder(open_memory: Open) -> None:
    for none in (None, False):
        memory = open_memory(token_embedder=none)
        memory.add([{"id": "m", "text": "boat"}], user="ana")
        with pytest.raises(InvalidArgumentError, match="^token_embedder: got None"):
            memory.make_token_vectors()


@pytest.mark.parametrize("user", ["", 7, b"ana"])
def test_bad_users(memory: Memory, user: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="^user: got"):
        memory.make_token_vectors(user)


def test_a_store_of_schema_5(open_memory: Open, path: Path, tmp_path: Path, stored: Stored) -> None:
    before = open_memory(token_embedder=False)
    before.add([{"id": f"m{n}", "text": f"boat {n}"} for n in range(5)], user="ana")
    before.close()
    with sqlite3.connect(path) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        assert version == 13, "else this test takes out too little"
        for index in (
            "uses_by_written",
            "audit_by_user",
            "secrets_by_key",
            "cold_ended",
            "cold_expiring",
            "run_changes_sourced",
            "run_changes_ended",
            "records_acting",
            "audit_by_action",
            "audit_by_time",
            "jobs_parked",
            "cold_by_kind",
        ):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("ALTER TABLE uses DROP COLUMN written")
        for index in ("relations_by_sequence", "removals_by_sequence", "records_ended"):
            connection.execute(f"DROP INDEX {index}")
        for index in ("record_states_retired", "record_states_by_user_end"):
            connection.execute(f"DROP INDEX {index}")
        for index in ("jobs_open_by_user", "runs_by_action", "cold_by_order"):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("DROP TABLE endings")
        connection.execute("DROP INDEX records_procedural")
        connection.execute("DROP INDEX record_states_by_user")
        connection.execute("ALTER TABLE record_states DROP COLUMN user_pk")
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%token_vectors%'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE token_vectors")
        connection.execute("PRAGMA user_version = 5")
    connection.close()
    memory = open_memory()
    assert memory.search("boat 3", user="ana", k=1, explain=True)[0].id == "m3"
    assert memory.make_token_vectors() == 5
    assert len(stored(memory)) == 5
    assert similarity(memory, "boat 3") == pytest.approx(1, abs=1e-3)


def test_the_asynchronous_form_and_a_progress_bar(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    assert asyncio.run(memory.amake_token_vectors("ben")) == 3
    assert memory.make_token_vectors("ana", progress=True) == 600
    assert "token vectors" in capsys.readouterr().err
