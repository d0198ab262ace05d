"""The store is converted to another embedder while texts are with the old one: no vector of that is stored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_recipe import ScriptedModel, recipe_of

from memspan import Memory, Quotas, Record, errors
from memspan.embed import HashEmbedder
from memspan.remember.jobs.pace import Pace
from memspan.remember.transfer import loading
from memspan.store import SqliteStore
from memspan.times import from_micros

AT = from_micros(1_700_000_000_000_000)


class Opposite(HashEmbedder):
    """As long as those of the other, and worth nothing beside them."""

    name = "opposite"

    def embed_documents(self, texts: Sequence[str]) -> Any:
        return -super().embed_documents(texts)

    def embed_query(self, text: str) -> Any:
        return -super().embed_query(text)


class Overtaken(HashEmbedder):
    """Is replaced while it works, once."""

    memory: Memory | None = None
    following: HashEmbedder = Opposite(dim=32)

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.give_way()
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Any:
        self.give_way()
        return super().embed_query(text)

    def give_way(self) -> None:
        memory, self.memory = self.memory, None
        if memory is not None:
            memory.reembed(self.following)


@pytest.fixture
def embedder() -> Overtaken:
    return Overtaken(dim=32)


@pytest.fixture
def memory(tmp_path: Path, embedder: Overtaken) -> Iterator[Memory]:
    with Memory(tmp_path / "m.memspan", embedder, auto_consolidate=False) as opened:
        opened.add(
            [{"id": "a", "text": "The tea is green, and it is very hot today in the kitchen."}], user="ana"
        )
        yield opened


def require_new_vectors(memory: Memory) -> None:
    new = Opposite(dim=32)
    with memory._engine.store.reading() as reader:
        records = [record for page in reader.scan("ana", 99, embeddings=True) for record in page]
    assert records
    for record in records:
        np.testing.assert_array_equal(record.embedding, new.embed_documents([record.text])[0])
    assert memory.verify() == []


@pytest.mark.parametrize(
    "write",
    [
        lambda memory: memory.add({"id": "b", "text": "The saw is new."}, user="ana"),
        lambda memory: memory.supersede(user="ana", id="a", text="The tea is cold."),
        lambda memory: memory.compress("ana", strategy="uniform", ratio=0.5),
    ],
    ids=["add", "supersede", "compress"],
)
def test_what_was_embedded_is_embedded_anew(
    memory: Memory, embedder: Overtaken, write: Callable[[Memory], object]
) -> None:
    embedder.memory = memory
    write(memory)
    assert embedder.memory is None
    require_new_vectors(memory)


def test_whoever_comes_at_the_end_of_a_conversion_waits_for_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There was a moment in which the store was converted, and the memory did not know."""
    found: list[object] = []

    def use() -> None:
        try:
            memory.add("The saw is new.", user="ana")
            found.append(len(memory.search("saw", user="ana")))
        except errors.MemspanError as error:
            found.append(error)

    thread = threading.Thread(target=use)
    commit = SqliteStore._commit

    def followed(self: SqliteStore, *arguments: Any, **options: Any) -> None:
        commit(self, *arguments, **options)
        with self.reading() as reader:
            converted = "opposite" in str(reader.meta("embedder"))
        if converted and thread.ident is None:
            thread.start()
            thread.join(0.2)

    monkeypatch.setattr(SqliteStore, "_commit", followed)
    memory.reembed(Opposite(dim=32))
    thread.join()
    assert found == [2]
    require_new_vectors(memory)


@pytest.mark.parametrize("following", [Opposite(dim=32), HashEmbedder(dim=16)])
def test_a_question_is_embedded_anew(memory: Memory, embedder: Overtaken, following: HashEmbedder) -> None:
    memory.add([{"id": "b", "text": "The saw is new."}, {"id": "c", "text": "Ben came late."}], user="ana")
    before = [one.id for one in memory.search("Ben came late.", user="ana", fusion="rrf", views=["semantic"])]
    assert before[0] == "c"
    embedder.memory, embedder.following = memory, following
    after = memory.search("Ben came late.", user="ana", fusion="rrf", views=["semantic"])
    assert embedder.memory is None
    assert after[0].id == "c"
    assert after[0].views["semantic"][1] == pytest.approx(1, abs=0.01)


def test_a_job_is_tried_again(tmp_path: Path, embedder: Overtaken) -> None:
    path = tmp_path / "jobs.memspan"
    with Memory(path, embedder, llm=ScriptedModel(), recipe=recipe_of(), auto_consolidate=False) as memory:
        memory._processing.pace = Pace(first_pause=0.001)
        memory.add("The tea is green.", user="ana")
        embedder.memory = memory
        report = memory.process()
        assert (report.done, report.failed, report.parked) == (1, 1, 0)
        assert embedder.memory is None
        require_new_vectors(memory)


def test_vectors_that_came_with_records_are_made_anew(memory: Memory, embedder: Overtaken) -> None:
    """They are right for the embedder that the store had when the call began."""
    vectors = HashEmbedder(dim=32).embed_documents(["The saw is new.", "The drill is old."])

    def records() -> Iterator[Record]:
        yield Record(id="b", user="ana", text="The saw is new.", at=AT, embedding=vectors[0])
        memory.reembed(Opposite(dim=32))
        yield Record(id="c", user="ana", text="The drill is old.", at=AT, embedding=vectors[1])

    assert memory.add_records(records(), batch=1) == 2
    require_new_vectors(memory)


def test_vectors_of_a_file_are_made_anew(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory(tmp_path / "other.memspan", HashEmbedder(dim=32)) as other:
        turns = [{"id": f"m{number:04}", "text": f"turn {number}"} for number in range(600)]
        other.add(turns, user="ana")
        other.set_quotas(Quotas(capacity=1_300, eviction="oldest"))
        assert len(other.evicted(user="ana", k=999)) > 30
        other.export("ana", tmp_path / "file.jsonl", embeddings=True)
    flush = loading._Loading._flush

    def then_converted(self: loading._Loading) -> None:
        flush(self)
        memory.reembed(Opposite(dim=32))

    monkeypatch.setattr(loading._Loading, "_flush", then_converted)
    assert memory.load(tmp_path / "file.jsonl") > 500
    require_new_vectors(memory)
    for evicted in memory.evicted(user="ana", k=999):
        memory.restore(user="ana", ids=[evicted.id])
    require_new_vectors(memory)
