"""Which records get token vectors when they are written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from agent_sessions import session
from numpy.typing import NDArray
from tiny_recipe import ScriptedModel, derived, recipe_of
from word_tokens import WordTokens

from memspan import HashEmbedder, Memory, Quotas, Record
from memspan.lifecycle.sleep.applying import apply_changes
from memspan.lifecycle.sleep.changes import Change
from memspan.lifecycle.undo.journal import Journal
from memspan.remember.compose import embedded_text
from memspan.times import from_micros

Open = Callable[..., Memory]
Stored = Callable[..., Any]
LONG = (
    "Yesterday Ilka and I finally went to the old market in Lisbon because we really wanted to buy "
    "3 quince trees, and it was not cheap at all: 40 euros for the lot, which is quite something."
)


def right(memory: Memory, words: WordTokens, stored: Stored, *ids: str, user: str = "ana") -> None:
    """Assert that the records' token vectors are those of what they say now."""
    kept = stored(memory, user)
    for id_ in ids:
        record = memory.get(user=user, id=id_)
        assert record is not None
        np.testing.assert_array_equal(kept[id_], words.embed_documents([embedded_text(record)])[0])


def test_added_ones(memory: Memory, words: WordTokens, stored: Stored) -> None:
    memory.add(
        [
            {"id": "a", "text": "a boat", "speaker": "Ana", "metadata": {"images": ["a red sail"]}},
            {"id": "b", "text": "?!"},
            {"id": "c", "text": "boat " * 100},
        ],
        user="ana",
    )
    assert words.documents == ["Ana: a boat [image: a red sail]", "?!", "boat " * 100]
    right(memory, words, stored, "a", "b", "c")
    shapes = {id_: len(vectors) for id_, vectors in stored(memory).items()}
    assert shapes == {"a": 7, "b": 0, "c": 64}
    assert memory.verify() == []


def test_many_at_once(memory: Memory, words: WordTokens, stored: Stored) -> None:
    memory.add([{"id": f"m{n}", "text": f"word{n} boat"} for n in range(700)], user="ana")
    assert len(stored(memory)) == 700
    right(memory, words, stored, "m0", "m255", "m256", "m699")
    found = memory.search("word513 kayak", user="ana", k=1, explain=True)
    assert found[0].id == "m513"
    assert (found[0].explanation or {})["tokens"]["similarity"] == pytest.approx(1, abs=1e-3)


def test_records_of_several_users_that_say_the_same(
    memory: Memory, words: WordTokens, stored: Stored
) -> None:
    at = from_micros(0)
    memory.add_records(
        Record(id=id_, user=user, text="the same boat", at=at)
        for user, id_ in (("ana", "a"), ("ana", "b"), ("ben", "a"))
    )
    right(memory, words, stored, "a", "b")
    right(memory, words, stored, "a", user="ben")


def test_a_given_embedding_gets_none_and_is_neutral(
    memory: Memory, words: WordTokens, stored: Stored
) -> None:
    at = from_micros(0)
    memory.add([{"id": f"m{n}", "text": f"boat {n}"} for n in range(4)], user="ana", at=at)
    vector = np.ones(32, np.float32)
    memory.add_records([Record(id="own", user="ana", text="boat own", at=at, embedding=vector)])
    assert stored(memory).keys() == {"m0", "m1", "m2", "m3"}
    found = {recall.id: recall for recall in memory.search("boat own", user="ana", k=10, explain=True)}
    told = (found["own"].explanation or {})["tokens"]
    assert told["similarity"] is None
    assert told["score_before"] == found["own"].score
    assert "boat own" not in words.documents


def test_a_successor(memory: Memory, words: WordTokens, stored: Stored) -> None:
    memory.add([{"id": "a", "text": "Ana lives in Rome"}], user="ana", at="2020-01-01")
    new = memory.supersede(user="ana", id="a", text="Ana lives in Oslo", at="2021-01-01")
    right(memory, words, stored, "a", new)
    found = memory.search("Oslo", user="ana", explain=True)
    assert (found[0].explanation or {})["tokens"]["similarity"] == pytest.approx(1, abs=1e-3)


def test_a_procedure_that_is_learnt_and_changes(memory: Memory, words: WordTokens, stored: Stored) -> None:
    def book(*numbers: int, way: str) -> None:
        steps = (("find_boat", {"way": way}), ("book_boat", {"seats": 2}))
        memory.add([session(f"s{number}", *steps, day=number) for number in numbers], user="ana")

    book(1, 2, 3, way="north")
    (learnt,) = memory.learn_procedures("ana").ids
    right(memory, words, stored, learnt)
    text = (memory.get(user="ana", id=learnt) or Record).text
    book(4, 5, 6, way="south")
    assert memory.learn_procedures("ana").ids == (learnt,)
    assert (memory.get(user="ana", id=learnt) or Record).text != text
    right(memory, words, stored, learnt)


def test_shortened_and_undone(memory: Memory, words: WordTokens, stored: Stored) -> None:
    memory.add([{"id": f"m{n}", "text": f"{LONG} It was visit {n}."} for n in range(3)], user="ana")
    before = stored(memory)
    report = memory.compress("ana", "uniform", 0.5)
    assert report.compressed == 3
    right(memory, words, stored, "m0", "m1", "m2")
    assert any(not np.array_equal(before[id_], vectors) for id_, vectors in stored(memory).items())
    assert memory.restore(user="ana", ids=["m0", "m1"], originals=True) == ["m0", "m1"]
    assert (memory.get(user="ana", id="m0") or Record).text == f"{LONG} It was visit 0."
    memory.make_token_vectors()
    right(memory, words, stored, "m0", "m1", "m2")


def test_back_from_the_cold_tier(open_memory: Open, words: WordTokens, stored: Stored) -> None:
    memory = open_memory(quotas=Quotas(capacity=12, eviction="oldest"))
    for n in range(7):
        memory.add([{"id": f"m{n}", "text": f"boat {n}"}], user="ana", at=f"2020-01-0{n + 1}")
    gone = {evicted.id for evicted in memory.evicted(user="ana")}
    assert gone
    assert not gone & stored(memory).keys()
    assert set(memory.restore(user="ana", ids=sorted(gone))) == gone
    memory.make_token_vectors("ana")
    live = [recall.id for recall in memory.latest(user="ana", k=100)]
    right(memory, words, stored, *live)
    assert stored(memory).keys() == set(live)


def test_back_from_the_cold_tier_after_a_conversion(
    open_memory: Open, words: WordTokens, stored: Stored
) -> None:
    """The vectors of the cold tier were dropped then: it is embedded anew."""
    memory = open_memory(quotas=Quotas(capacity=12, eviction="oldest"))
    for n in range(7):
        memory.add([{"id": f"m{n}", "text": f"boat {n}"}], user="ana", at=f"2020-01-0{n + 1}")
    gone = [evicted.id for evicted in memory.evicted(user="ana")]
    memory.close()
    again = open_memory(embedder="hash:64", reembed=True)
    assert again.restore(user="ana", ids=gone[:1]) == gone[:1]
    right(again, words, stored, gone[0])


def test_derived_ones(open_memory: Open, words: WordTokens, stored: Stored) -> None:
    memory = open_memory(llm=ScriptedModel(), recipe=recipe_of())
    memory.add([{"id": "t", "text": "we sold the boat", "session": "s"}], user="ana", at="2020-01-01")
    memory.process()
    made = derived(memory)
    assert len(made) == 2
    right(memory, words, stored, "t", *(record.id for record in made))


def test_united_and_undone(memory: Memory, words: WordTokens, stored: Stored) -> None:
    memory.add_records(
        Record(id=id_, user="ana", text=f"Ana drinks {tea} tea", at=from_micros(day), kind="semantic")
        for day, (id_, tea) in enumerate((("a", "green"), ("b", "black")))
    )
    old, new = memory.get(user="ana", id="a"), memory.get(user="ana", id="b")
    assert old is not None
    assert new is not None
    journal = Journal("ana")
    change = Change(action="merge", ending=(old, new), text="Ana drinks any tea")
    apply_changes(memory._engine, [change], journal=journal)
    journal.end(memory._engine, {"merged": 1})
    right(memory, words, stored, "a", "b", change.id)
    assert memory.undo(journal.id).restored == 2
    right(memory, words, stored, "a", "b")
    assert stored(memory).keys() == {"a", "b"}


def test_loaded_ones(open_memory: Open, words: WordTokens, stored: Stored, tmp_path: Any) -> None:
    memory = open_memory()
    memory.add([{"id": f"m{n}", "text": f"boat {n}"} for n in range(3)], user="ana")
    memory.export("ana", tmp_path / "texts.jsonl")
    memory.export("ana", tmp_path / "vectors.jsonl", embeddings=True)
    texts = open_memory(tmp_path / "texts.memspan")
    texts.load(tmp_path / "texts.jsonl")
    right(texts, words, stored, "m0", "m1", "m2")
    vectors = open_memory(tmp_path / "vectors.memspan")
    vectors.load(tmp_path / "vectors.jsonl")
    assert stored(vectors) == {}
    assert vectors.make_token_vectors() == 3
    right(vectors, words, stored, "m0", "m1", "m2")


def test_a_secret_has_none(memory: Memory, stored: Stored) -> None:
    memory.add([{"id": "v", "text": "the safe code", "kind": "vault"}, {"id": "a", "text": "b"}], user="ana")
    assert stored(memory).keys() == {"a"}
    assert memory.make_token_vectors() == 0


def test_both_models_are_asked_of_one_record_at_once(
    open_memory: Open, words: WordTokens, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = threading.Barrier(2, timeout=10)

    class Meeting(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            met.wait()
            return super().embed_documents(texts)

    for module in ("memspan.remember.engine", "memspan.embed.in_threads"):
        monkeypatch.setattr(f"{module}.available_cores", lambda: 2)
    words.before = lambda texts: met.wait()
    memory = open_memory(embedder=Meeting(32))
    memory.add([{"id": "m", "text": "boat"}], user="ana")
    assert stored(memory).keys() == {"m"}
