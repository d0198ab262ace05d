from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memspan.embed import CallableEmbedder
from memspan.errors import EmbedderError, InvalidArgumentError


def lengths(texts: list[str]) -> list[list[float]]:
    return [[len(text), 1.0] for text in texts]


def test_a_function_becomes_an_embedder() -> None:
    embedder = CallableEmbedder(lengths)
    assert (embedder.dim, embedder.checksum) == (2, "")
    assert embedder.name.endswith("lengths")
    assert embedder.embed_documents(["a", "bcd"]).tolist() == [[1, 1], [3, 1]]
    assert embedder.embed_query("ab").tolist() == [2, 1]


def test_a_known_dimension_spares_the_probe() -> None:
    calls: list[list[str]] = []

    def record(texts: list[str]) -> np.ndarray:
        calls.append(texts)
        return np.ones((len(texts), 3))

    embedder = CallableEmbedder(record, dim=3, name="mine", checksum="v2")
    assert calls == []
    assert (embedder.name, embedder.dim, embedder.checksum) == ("mine", 3, "v2")
    assert embedder.embed_documents([]).shape == (0, 3)
    assert calls == []
    embedder.embed_documents(("x", "y"))
    assert calls == [["x", "y"]]


def test_questions_may_have_their_own_function() -> None:
    embedder = CallableEmbedder(lengths, query_function=lambda text: (9.0, len(text)))
    assert embedder.embed_query("abc").tolist() == [9, 3]
    assert embedder.embed_documents(["abc"]).tolist() == [[3, 1]]


def test_an_object_with_call_gets_its_class_as_name() -> None:
    class Model:
        def __call__(self, texts: list[str]) -> list[list[float]]:
            return lengths(texts)

    assert CallableEmbedder(Model()).name.endswith("Model")


def test_wrong_results_are_refused() -> None:
    with pytest.raises(EmbedderError, match=r"'odd'.*shape"):
        CallableEmbedder(lambda texts: [1.0, 2.0], name="odd")
    changing = CallableEmbedder(lambda texts: np.ones((len(texts), len(texts))), name="odd")
    with pytest.raises(EmbedderError, match="dimension 2; expected 1"):
        changing.embed_documents(["a", "b"])
    with pytest.raises(EmbedderError, match="NaN"):
        CallableEmbedder(lengths, query_function=lambda text: [float("nan"), 1]).embed_query("x")
    with pytest.raises(EmbedderError, match="dimension 3; expected 2"):
        CallableEmbedder(lengths, query_function=lambda text: [1, 2, 3]).embed_query("x")


def test_what_the_function_raises_is_the_cause() -> None:
    def broken(texts: list[str]) -> Any:
        raise KeyError("weights")

    with pytest.raises(EmbedderError, match=r"KeyError.*weights") as caught:
        CallableEmbedder(broken)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"function": 7}, "function"),
        ({"function": lengths, "dim": 0}, "dim"),
        ({"function": lengths, "name": 3}, "name"),
        ({"function": lengths, "checksum": None}, "checksum"),
        ({"function": lengths, "query_function": "f"}, "query_function"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{named}: got"):
        CallableEmbedder(**arguments)


def test_bad_texts_do_not_reach_the_function() -> None:
    embedder = CallableEmbedder(lengths)
    with pytest.raises(InvalidArgumentError, match=r"texts\[1\]"):
        embedder.embed_documents(["a", 1])  # type: ignore[list-item]
    with pytest.raises(InvalidArgumentError, match="texts"):
        embedder.embed_documents("abc")
    with pytest.raises(InvalidArgumentError, match="text"):
        embedder.embed_query(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("listed", [False, True])
def test_what_lies_under_a_mask_is_no_value(listed: bool) -> None:
    def masked(texts: list[str]) -> Any:
        rows = np.ma.masked_array(np.ones((len(texts), 2)), mask=[[False, True]] * len(texts))
        return list(rows) if listed else rows

    embedder = CallableEmbedder(masked, dim=2, name="odd")
    with pytest.raises(EmbedderError, match=r"'odd'.*masked"):
        embedder.embed_documents(["a", "b"])
    with pytest.raises(EmbedderError, match=r"'odd'.*masked"):
        CallableEmbedder(lengths, query_function=lambda text: masked([text])[0], name="odd").embed_query("a")
    whole = CallableEmbedder(lambda texts: np.ma.masked_array(np.ones((len(texts), 2))))
    assert whole.embed_query("a").tolist() == [1, 1]
