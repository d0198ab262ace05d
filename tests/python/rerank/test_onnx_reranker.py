"""`OnnxReranker` on a graph whose scores can be worked out by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("onnx")

from memspan.embed.registry import DEFAULT_MODEL, DEFAULT_RERANKER
from memspan.embed.wheel import sha256_of
from memspan.errors import InvalidArgumentError, MissingExtraError, ModelNotFoundError, RerankerError
from memspan.rerank import OnnxReranker, Reranker, resolve_reranker

Make = Callable[..., OnnxReranker]


@pytest.fixture
def make(tiny: ModuleType, tmp_path: Path) -> Make:
    def make_one(*, graph: dict[str, Any] | None = None, **options: Any) -> OnnxReranker:
        column = {"table": tiny.TABLE[:, :1].copy(), "rank": 2, **(graph or {})}
        model = tiny.write_model(tmp_path / "model.onnx", **column)
        tokenizer = tiny.write_tokenizer(tmp_path / "tokenizer.json", padded=True)
        return OnnxReranker(model, tokenizer, **options)

    return make_one


def expected(tiny: ModuleType, question: str, passage: str) -> float:
    """The words' values, and 100 for each word of the passage: the type of its tokens is 1."""
    words = [*question.split(), *passage.split()]
    return float(tiny.state(*words)[:, 0].sum()) + 100.0 * len(passage.split())


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_scores_are_those_of_each_pair_alone(make: Make, tiny: ModuleType, threads: int) -> None:
    reranker = make(graph={"neighbours": True}, threads=threads)
    passages = ["a", "b c d", "a b", "h g f e d c b a", "c"]
    together = reranker.score("ask doc", passages)
    alone = [reranker.score("ask doc", [passage])[0] for passage in passages]
    assert together.dtype == np.float32
    assert together.tolist() == alone


def test_question_and_passage_are_told_apart(make: Make, tiny: ModuleType) -> None:
    reranker = make()
    passages = ["a", "b c d", "", "g g"]
    wanted = [expected(tiny, "ask doc", passage) for passage in passages]
    assert reranker.score("ask doc", passages) == pytest.approx(wanted, rel=1e-5)
    assert reranker.score("a", ["b"]) != pytest.approx(reranker.score("b c", ["b"]))


def test_a_pair_is_cut_the_longer_text_first(make: Make, tiny: ModuleType) -> None:
    reranker = make(max_tokens=16)
    wanted = expected(tiny, "ask a", " ".join(["b"] * 14))
    assert reranker.score("ask a", ["b " * 1000])[0] == pytest.approx(wanted, rel=1e-5)


def test_texts_of_megabytes_cost_milliseconds(make: Make) -> None:
    reranker = make()
    reranker.score("a", ["b"])
    start = time.thread_time()
    assert np.isfinite(reranker.score("a " * 1_000_000, ["b " * 1_000_000, "мир 世界 🙂", ""])).all()
    assert time.thread_time() - start < 5


def test_no_passages_need_no_model(make: Make) -> None:
    assert make().score("a", []).shape == (0,)


def test_one_model_for_many_threads(make: Make) -> None:
    reranker = make()
    wanted = reranker.score("a", ["b", "c d"]).tolist()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: make_scores(reranker), range(20)))
    assert all(scores == wanted for scores in found)


def make_scores(reranker: OnnxReranker) -> Any:
    return reranker.score("a", ["b", "c d"]).tolist()


@pytest.mark.parametrize("bad", [None, 7, b"x", "\ud800"])
def test_bad_texts_are_refused(make: Make, bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="question"):
        make().score(bad, ["a"])
    with pytest.raises(InvalidArgumentError, match=r"passages\[1\]"):
        make().score("a", ["a", bad])
    with pytest.raises(InvalidArgumentError, match="passages: got 'ab'"):
        make().score("a", "ab")


@pytest.mark.parametrize(
    ("options", "argument"),
    [({"max_tokens": 4}, "max_tokens"), ({"threads": 0}, "threads"), ({"name": 7}, "name")],
)
def test_bad_options_are_refused(make: Make, options: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument}: got"):
        make(**options)


def test_files_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="model_path"):
        OnnxReranker(tmp_path / "none.onnx", tmp_path / "none.json")


def test_other_graphs_and_broken_files_are_refused(make: Make, tiny: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RerankerError, match="the graph gives .*expected one"):
        make(graph={"table": tiny.TABLE}).score("a", ["b"])
    with pytest.raises(RerankerError, match="the graph takes"):
        make(graph={"inputs": ("position_ids",)}).score("a", ["b"])
    reranker = make()
    (tmp_path / "model.onnx").write_bytes(b"nothing of the kind")
    with pytest.raises(RerankerError, match="model .*cannot be loaded"):
        reranker.score("a", ["b"])
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(RerankerError, match="tokenizer .*cannot be loaded"):
        reranker.score("a", ["b"])


def test_a_changed_file_is_refused(make: Make, tmp_path: Path) -> None:
    make()
    right = sha256_of(tmp_path / "model.onnx")
    make(model_sha256=right).score("a", ["b"])
    with pytest.raises(RerankerError, match=f"sha256 is {right}, expected 00"):
        make(model_sha256="0" * 64, name="mine").score("a", ["b"])


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_names_the_extra(make: Make, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr(
        "memspan.embed.onnx_graph.find_spec", lambda name: None if name == package else object()
    )
    for attempt in (make, OnnxReranker.from_registry, resolve_reranker):
        with pytest.raises(MissingExtraError, match=rf"OnnxReranker needs .*{package}.*memspan\[onnx\]"):
            attempt()


@pytest.mark.parametrize("spec", [None, DEFAULT_RERANKER])
def test_a_known_reranker_that_is_not_here_names_the_command(
    spec: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path))
    monkeypatch.setattr("memspan.embed.models._installed", lambda spec: None)
    with pytest.raises(ModelNotFoundError, match=f"memspan models pull {DEFAULT_RERANKER}"):
        resolve_reranker(spec)


@pytest.mark.parametrize("spec", ["", DEFAULT_MODEL, "../x", 7, object(), OnnxReranker, [1], lambda q, p: 0])
def test_anything_else_lists_what_is_known(spec: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^reranker: got .*{DEFAULT_RERANKER}"):
        resolve_reranker(spec)


@pytest.mark.parametrize("name", [DEFAULT_MODEL, "gpt-9", None, ["a"]])
def test_only_rerankers_are_made_of_the_registry(name: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="^name: got"):
        OnnxReranker.from_registry(name)


def test_a_reranker_is_taken_as_it_is(make: Make) -> None:
    reranker = make(name="mine")
    assert isinstance(reranker, Reranker)
    assert resolve_reranker(reranker) is reranker
    assert repr(reranker).startswith("OnnxReranker(name='mine'")
    assert make().name == "onnx:model.onnx"
