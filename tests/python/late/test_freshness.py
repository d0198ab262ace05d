"""What is kept of token vectors in memory is right, whoever changed the records."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from word_tokens import WordTokens

from memspan import Memory, Record

Open = Callable[..., Memory]
Change = Callable[[Memory], Any]


def fill(memory: Memory) -> None:
    memory.add([{"id": f"m{n}", "text": f"number{n} zebra stripes"} for n in range(5)], user="ana")


def similarities(memory: Memory, question: str = "zebra") -> dict[str, float | None]:
    found = memory.search(question, user="ana", k=100, explain=True)
    return {recall.id: (recall.explanation or {})["tokens"]["similarity"] for recall in found}


def overwrite(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "a quiet lake"}], user="ana")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_other_words_have_other_vectors(open_memory: Open, memory: Memory, elsewhere: bool) -> None:
    fill(memory)
    before = similarities(memory)
    assert all(value == pytest.approx(1, abs=1e-3) for value in before.values())
    overwrite(open_memory() if elsewhere else memory)
    for _ in range(2):
        after = similarities(memory)
        assert after["m1"] is not None
        assert after["m1"] < 0.7
        assert {id_: value for id_, value in after.items() if id_ != "m1"} == pytest.approx(
            {id_: value for id_, value in before.items() if id_ != "m1"}, abs=1e-6
        )
        assert similarities(memory, "lake")["m1"] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_same_id_after_it_was_forgotten(open_memory: Open, memory: Memory, elsewhere: bool) -> None:
    fill(memory)
    similarities(memory)
    other = open_memory() if elsewhere else memory
    assert other.forget(user="ana", id="m1")
    assert similarities(memory).keys() == {"m0", "m2", "m3", "m4"}
    overwrite(other)
    assert similarities(memory, "lake")["m1"] == pytest.approx(1, abs=1e-3)


def test_overwritten_by_a_handle_without_a_token_embedder(open_memory: Open, memory: Memory) -> None:
    fill(memory)
    similarities(memory)
    overwrite(open_memory(token_embedder=False))
    assert similarities(memory)["m1"] is None
    assert memory.make_token_vectors() == 2, "one is its older version"
    assert similarities(memory, "lake")["m1"] == pytest.approx(1, abs=1e-3)


def test_nothing_is_fetched_twice(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(memory)
    asked: list[list[str]] = []
    reader = type(memory._engine.store.reading().__enter__())
    fetch = reader.token_vectors

    def counting(self: Any, user: str, ids: Any, dim: int) -> Any:
        asked.append(sorted(ids))
        return fetch(self, user, ids, dim)

    monkeypatch.setattr(reader, "token_vectors", counting)
    similarities(memory)
    similarities(memory, "number1")
    assert asked == [["m0", "m1", "m2", "m3", "m4"]]
    memory.add([{"id": "m2", "text": "else"}, {"id": "m9", "text": "more"}], user="ana")
    similarities(memory)
    assert asked[1:] == [["m2", "m9"]]


def test_what_a_search_does_not_ask_for_is_kept_while_others_write(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    before = similarities(memory)
    tokens = memory._engine.tokens
    assert tokens is not None
    asked: list[str] = []
    reader = type(memory._engine.store.reading().__enter__())
    fetch = reader.token_vectors
    monkeypatch.setattr(
        reader, "token_vectors", lambda self, user, ids, dim: asked.extend(ids) or fetch(self, user, ids, dim)
    )
    memory.add("a boat", user="ben")
    with memory._engine.store.reading() as view:
        tokens.of(view, "ana", ["m0"])
    memory.add([{"id": "m3", "text": "else"}], user="ana")
    after = similarities(memory)
    assert asked == ["m3"]
    assert {id_: said for id_, said in after.items() if id_ != "m3"} == {
        id_: said for id_, said in before.items() if id_ != "m3"
    }


def test_what_another_handle_forgets_is_let_go_by_the_next_search(memory: Memory, open_memory: Open) -> None:
    fill(memory)
    similarities(memory)
    open_memory(token_embedder=False).forget(user="ana", id="m1")
    similarities(memory, "number2")
    assert "m1" not in kept_in_memory(memory)[0]


def kept_in_memory(memory: Memory) -> tuple[list[str], list[str]]:
    """The users and texts of which something is kept."""
    tokens = memory._engine.tokens
    assert tokens is not None
    ids = [id_ for known in tokens._cache._users.values() for id_ in known.right | known.earlier]
    return sorted(ids), list(tokens._waiting)


FORGETTINGS: list[Change] = [
    lambda memory: memory.forget(user="ana", id="m1"),
    lambda memory: memory.forget(user="ana"),
    lambda memory: memory.forget(confirm=memory.forget_matching("number1", user="ana", k=1)),
]


@pytest.mark.parametrize("forget", FORGETTINGS)
def test_what_is_forgotten_is_not_kept_in_memory(memory: Memory, forget: Change) -> None:
    fill(memory)
    memory.add([{"id": "b", "text": "zebra of ben"}], user="ben")
    similarities(memory)
    memory.search("zebra", user="ben")
    assert kept_in_memory(memory) == (["b", "m0", "m1", "m2", "m3", "m4"], [])
    assert forget(memory)
    assert kept_in_memory(memory) == (["b"], [])
    assert memory.search("zebra", user="ben")[0].id == "b"


SAME_WORDS: list[Change] = [
    lambda memory: memory.pin(user="ana", ids=["m1"]),
    lambda memory: memory.hold(user="ana", id="m1"),
    lambda memory: memory.add([{"id": "m1", "text": "number1 zebra stripes"}], user="ana"),
    lambda memory: memory.add(
        [{"id": "m1", "text": "number1 zebra stripes", "tags": ["animal"], "metadata": {"city": "Oslo"}}],
        user="ana",
        at="2020-01-01",
    ),
]


@pytest.mark.parametrize("change", SAME_WORDS)
def test_the_same_words_keep_their_vectors(memory: Memory, words: WordTokens, change: Change) -> None:
    fill(memory)
    before, calls = similarities(memory), words.calls
    change(memory)
    assert similarities(memory) == pytest.approx(before, abs=1e-6)
    assert words.calls == calls


def test_what_outlived_its_time_is_not_kept_in_memory(memory: Memory) -> None:
    soon = datetime.now(timezone.utc) + timedelta(seconds=0.5)
    at = datetime(2020, 1, 1, tzinfo=timezone.utc)
    memory.add_records([Record(id="m", user="ana", text="zebra", at=at, expires_at=soon)])
    memory.search("zebra", user="ana")
    assert kept_in_memory(memory) == (["m"], [])
    time.sleep(max(0.0, (soon - datetime.now(timezone.utc)).total_seconds()) + 0.01)
    assert memory.consolidate("ana").upkeep.expired == 1
    assert kept_in_memory(memory) == ([], [])
