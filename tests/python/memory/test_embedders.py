"""The embedder of a store: recorded, required, loaded when needed, converted on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.embed.callables import CallableEmbedder
from memspan.embed.hashing import HashEmbedder
from memspan.memory import Memory

Open = Callable[..., Memory]


class Failing(HashEmbedder):
    """Fails after a number of texts."""

    def __init__(self, dim: int, texts: float = float("inf"), checksum: str | None = None) -> None:
        super().__init__(dim)
        self.left = texts
        self.seen: list[str] = []
        if checksum is not None:
            self.checksum = checksum

    def embed_documents(self, texts: Sequence[str]) -> Any:
        if self.left < len(texts):
            raise errors.EmbedderError("the model is gone")
        self.left -= len(texts)
        self.seen += texts
        return super().embed_documents(texts)


def fill(memory: Memory, count: int = 30) -> None:
    memory.add([{"id": f"m{i}", "text": f"text {i}", "speaker": "Bo"} for i in range(count)], user="ana")


@pytest.mark.parametrize(
    ("embedder", "difference"),
    [
        ("hash:16", "dimension 16"),
        (lambda texts: np.ones((len(texts), 32)), "<lambda>"),
        (Failing(32, checksum="v2"), "v2"),
    ],
)
def test_another_embedder_is_refused_and_reembed_offered(
    open_memory: Open, embedder: Any, difference: str
) -> None:
    memory = open_memory()
    fill(memory)
    memory.close()
    with pytest.raises(errors.EmbedderMismatchError) as caught:
        open_memory(embedder=embedder)
    assert "filled by embedder 'hash' (dimension 32" in str(caught.value)
    assert difference in str(caught.value)
    assert "reembed=True" in str(caught.value)
    assert open_memory().stats()["records"] == 30


def test_without_an_embedder_the_recorded_one_is_used(open_memory: Open) -> None:
    memory = open_memory(embedder="hash:48")
    fill(memory)
    memory.close()
    memory = open_memory(embedder=None)
    assert memory.stats()["embedder"] == {"name": "hash", "dim": 48, "checksum": HashEmbedder.checksum}
    assert memory.search("text 7", user="ana", views=["semantic"])[0].text in {"text 7", "text 17", "text 27"}


def test_an_unknown_embedder_is_only_missed_when_it_is_needed(open_memory: Open, tmp_path: Path) -> None:
    own = CallableEmbedder(HashEmbedder(8).embed_documents, name="mine")
    memory = open_memory(embedder=own)
    fill(memory)
    memory.close()
    memory = open_memory(embedder=None)
    assert len(memory.latest(user="ana")) == 20
    assert len(memory.search("text", user="ana", views=["lexical"])) == 10
    assert memory.export("ana", tmp_path / "out.jsonl", embeddings=True) == 30
    assert memory.forget(user="ana", id="m1") == 1
    assert memory.verify() == []
    for call in (lambda: memory.add("x", user="ana"), lambda: memory.search("x", user="ana")):
        with pytest.raises(errors.EmbedderMismatchError, match="not a known model"):
            call()


def test_a_new_store_is_not_made_when_the_embedder_is_refused(path: Path, open_memory: Open) -> None:
    for bad in ("no-such-model", 7, object()):
        with pytest.raises(errors.InvalidArgumentError, match="^embedder"):
            open_memory(embedder=bad)
    with pytest.raises(errors.InvalidArgumentError, match="^analyzer"):
        open_memory(analyzer="klingon")
    with pytest.raises(errors.InvalidArgumentError, match="^recipe"):
        open_memory(recipe="stew")
    assert not path.exists()


def test_the_analyzer_stays_with_the_store(open_memory: Open) -> None:
    memory = open_memory(analyzer="simple")
    memory.add("camping trips", user="ana")
    memory.close()
    memory = open_memory()
    assert memory.search("camp", user="ana", views=["lexical"]) == []
    memory.close()
    with pytest.raises(errors.InvalidArgumentError, match="^analyzer: got 'english'"):
        open_memory(analyzer="english")


def test_embedders_that_misbehave(open_memory: Open) -> None:
    answers = iter([np.ones((1, 4)), np.zeros((1, 4)), np.full((1, 4), np.nan), np.ones((2, 4)), "text"])
    memory = open_memory(embedder=CallableEmbedder(lambda texts: next(answers), dim=4, name="odd"))
    memory.add("fine", user="ana")
    for _ in range(4):
        with pytest.raises(errors.EmbedderError, match="odd"):
            memory.add("not fine", user="ana")
    assert memory.stats()["records"] == 1


@pytest.mark.parametrize("answer", [None, "text", [[1.0], [1.0, 2.0]], [10**400] * 32, np.ones((1, 32))])
def test_an_embedder_that_misbehaves_with_questions(open_memory: Open, answer: Any) -> None:
    class Odd(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            return answer

    memory = open_memory(embedder=Odd(32))
    memory.add("fine", user="ana")
    with pytest.raises(errors.EmbedderError, match="'hash'"):
        memory.search("fine", user="ana")


def test_reembed(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory)
    assert memory.reembed("hash:16") == 30
    assert memory.get(user="ana", id="m1").embedding.shape == (16,)  # type: ignore[union-attr]
    expected = HashEmbedder(16).embed_documents(["Bo: text 1"])[0]
    np.testing.assert_array_equal(memory.get(user="ana", id="m1").embedding, expected)  # type: ignore[union-attr]
    assert memory.search("text 7", user="ana")
    memory.add("more", user="ana")
    assert memory.verify() == []
    assert memory.reembed("hash:16") == 0
    for call in (lambda: other.search("x", user="ana"), lambda: other.add("x", user="ana")):
        with pytest.raises(errors.EmbedderMismatchError, match="another process converted"):
            call()
    memory.close()
    assert open_memory(embedder="hash:16").verify() == []


def test_opening_with_reembed(open_memory: Open, capsys: pytest.CaptureFixture[str]) -> None:
    memory = open_memory()
    fill(memory)
    memory.close()
    memory = open_memory(embedder="hash:24", reembed=True, progress=True)
    assert "re-embedding" in capsys.readouterr().err
    assert memory.stats()["embedder"]["dim"] == 24
    assert memory.verify() == []
    memory.close()
    with pytest.raises(errors.InvalidArgumentError, match="^embedder"):
        open_memory(embedder=None, reembed=True)
    open_memory(embedder="hash:24", reembed=True)


def test_an_interrupted_conversion_is_continued(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory, 600)
    target = Failing(16, texts=300)
    with pytest.raises(errors.EmbedderError, match="the model is gone"):
        memory.reembed(target)
    assert memory.search("text 7", user="ana"), "the store still works with its embedder"
    memory.add([{"id": "m1", "text": "changed meanwhile"}], user="ana")
    memory.forget(user="ana", id="m2")
    memory.add([{"id": "m2", "text": "made again"}], user="ana")
    memory.close()
    memory = open_memory()
    assert memory.verify() == []
    memory.close()
    target.left = float("inf")
    done = len(target.seen)
    memory = open_memory(embedder=target, reembed=True)
    assert 0 < done < 600
    assert len(target.seen) == 600 + 3, "with the version that one of them left"
    assert memory.verify() == []
    expected = HashEmbedder(16).embed_documents(["changed meanwhile"])[0]
    np.testing.assert_array_equal(memory.get(user="ana", id="m1").embedding, expected)  # type: ignore[union-attr]
    with memory._engine.store.reading() as reader:
        assert reader._one("SELECT count(*) FROM staged") == 0  # type: ignore[attr-defined]


def test_records_that_change_while_the_conversion_runs(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory)

    class Interfering(HashEmbedder):
        rounds = 0

        def embed_documents(self, texts: Sequence[str]) -> Any:
            self.rounds += 1
            if self.rounds == 1:  # While the vector of the older text is being made.
                other.add([{"id": "m1", "text": "changed"}], user="ana")
            elif self.rounds == 2:
                other.add("new", user="ana")
            return super().embed_documents(texts)

    memory.reembed(Interfering(16))
    assert memory.stats()["records"] == 32, "with the version that one of them left"
    assert memory.verify() == []
    expected = HashEmbedder(16).embed_documents(["changed"])[0]
    np.testing.assert_array_equal(memory.get(user="ana", id="m1").embedding, expected)  # type: ignore[union-attr]


def test_two_conversions_at_once(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory)

    class Starting(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            with pytest.raises(errors.EmbedderError):
                other.reembed(Failing(24, texts=0))
            return super().embed_documents(texts)

    with pytest.raises(errors.StoreError, match="another process converts"):
        memory.reembed(Starting(16))
    assert memory.reembed("hash:16") == 30
    assert memory.verify() == []
