from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
onnx = pytest.importorskip("onnx")

from memspan.embed import OnnxEmbedder  # noqa: E402
from memspan.embed.weight_delta import WeightDelta  # noqa: E402
from memspan.errors import EmbedderError, InvalidArgumentError, MissingExtraError  # noqa: E402

CLOSE = {"atol": 1e-6}


@pytest.fixture
def make(tiny: ModuleType, tmp_path: Path) -> Any:
    """Make an embedder over a tiny graph: graph options by name, embedder options in `options`."""

    def build(*, padded: bool = False, graph: dict[str, Any] | None = None, **options: Any) -> OnnxEmbedder:
        model = tiny.write_model(tmp_path / "model.onnx", **(graph or {}))
        return OnnxEmbedder(
            model, tiny.write_tokenizer(tmp_path / "tokenizer.json", padded=padded), **options
        )

    return build


@pytest.mark.parametrize("batch_texts", [1, 2, 64])
@pytest.mark.parametrize("threads", [1, 3])
def test_mean_pooling_ignores_padding_and_keeps_the_order(
    make: Any, tiny: ModuleType, batch_texts: int, threads: int
) -> None:
    texts = ["a", "a b c d e", "", "b c", "h g f"]
    vectors = make(pooling="mean", batch_texts=batch_texts, threads=threads).embed_documents(texts)
    for vector, text in zip(vectors, texts, strict=True):
        expected = tiny.unit(tiny.state("[CLS]", *text.split(), "[SEP]").mean(axis=0))
        assert np.allclose(vector, expected, **CLOSE)


def test_cls_pooling_takes_the_first_token(make: Any, tiny: ModuleType) -> None:
    vectors = make(pooling="cls").embed_documents(["a b", "c"])
    assert np.allclose(vectors, tiny.unit(tiny.state("[CLS]"))[[0, 0]], **CLOSE)


def test_prefixes_differ_for_questions_and_documents(make: Any, tiny: ModuleType) -> None:
    embedder = make(pooling="mean", query_prefix="ask ", document_prefix="doc ")
    query = tiny.unit(tiny.state("[CLS]", "ask", "a", "[SEP]").mean(axis=0))
    document = tiny.unit(tiny.state("[CLS]", "doc", "a", "[SEP]").mean(axis=0))
    assert np.allclose(embedder.embed_query("a"), query, **CLOSE)
    assert np.allclose(embedder.embed_documents(["a"])[0], document, **CLOSE)


def test_long_texts_are_cut_and_the_tokenizers_own_settings_overruled(make: Any, tiny: ModuleType) -> None:
    embedder = make(pooling="mean", max_tokens=8, padded=True)
    kept = tiny.unit(tiny.state("[CLS]", *"abcdef", "[SEP]").mean(axis=0))
    assert np.allclose(embedder.embed_query("a b c d e f g h"), kept, **CLOSE)
    assert np.allclose(embedder.embed_query("a b c d e f " + "h " * 1_000_000), kept, **CLOSE)


@pytest.mark.parametrize(
    "graph", [{"types": False}, {"types": False, "mask": False}, {"kind": 6}, {"named_dim": True}]
)
def test_graphs_differ_in_inputs_types_and_shapes(make: Any, tiny: ModuleType, graph: dict[str, Any]) -> None:
    embedder = make(pooling="mean", graph=graph)
    expected = tiny.unit(tiny.state("[CLS]", "a", "b", "[SEP]").mean(axis=0))
    assert embedder.dim == 3
    assert np.allclose(embedder.embed_documents(["a b", "c"])[0], expected, **CLOSE)


def test_a_vector_depends_on_its_text_only(make: Any) -> None:
    texts = ["a", "b c d", "h", "g g", "e f a b c"]
    alone = make(pooling="mean", graph={"neighbours": True})
    expected = np.stack([alone.embed_documents([text])[0] for text in texts])
    assert np.array_equal(alone.embed_documents(texts), expected)
    together = make(pooling="mean", graph={"neighbours": True}, batch_texts=8)
    assert not np.allclose(together.embed_documents(texts), expected, atol=1e-3)


def test_many_texts_pass_through_several_windows(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.onnx._WINDOW", 7)
    embedder = make(pooling="mean", threads=2, batch_texts=2)
    texts = [" ".join("abcdefgh"[: 1 + i % 8]) for i in range(40)]
    vectors = embedder.embed_documents(texts)
    assert all(np.allclose(vectors[i], embedder.embed_query(texts[i]), **CLOSE) for i in range(40))


def test_no_texts_give_no_rows(make: Any) -> None:
    assert make().embed_documents([]).shape == (0, 3)


def test_identity_covers_everything_that_decides_a_vector(make: Any, tiny: ModuleType) -> None:
    same = {make(threads=threads, batch_texts=threads).checksum for threads in (1, 2)}
    changed = {
        make(pooling="mean").checksum,
        make(query_prefix="ask ").checksum,
        make(document_prefix="ask ").checksum,
        make(max_tokens=100).checksum,
        make(graph={"table": tiny.TABLE + 1}).checksum,
    }
    assert len(same) == 1
    assert len(same | changed) == 6
    assert make().name == "onnx:model.onnx"
    assert make(name="mine").name == "mine"


def test_expected_digests_are_checked_before_loading(make: Any, tmp_path: Path) -> None:
    make()
    model, tokenizer = (tmp_path / "model.onnx").read_bytes(), (tmp_path / "tokenizer.json").read_bytes()
    good = {
        "model_sha256": hashlib.sha256(model).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(tokenizer).hexdigest(),
    }
    assert make(**good).embed_query("a").shape == (3,)
    assert make(**good).checksum == make().checksum
    for argument, file in (("model_sha256", "model.onnx"), ("tokenizer_sha256", "tokenizer.json")):
        with pytest.raises(EmbedderError, match=f"{file}.*sha256 is [0-9a-f]{{64}}, expected {'0' * 64}"):
            make(**{**good, argument: "0" * 64}).embed_query("a")


def test_a_stated_dimension_is_checked_on_loading(make: Any) -> None:
    embedder = make(dim=4)
    assert embedder.dim == 4
    with pytest.raises(EmbedderError, match="3 dimensions, not 4"):
        embedder.embed_query("a")


@pytest.mark.parametrize(
    ("graph", "message"),
    [({"inputs": ("position_ids",)}, "position_ids"), ({"kind": 1}, "float"), ({"rank": 2}, "expected one")],
)
def test_other_graphs_are_refused(make: Any, graph: dict[str, Any], message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        make(graph=graph).embed_query("a")


def test_a_graph_that_fails_or_gives_nothing_is_an_error(make: Any, tiny: ModuleType) -> None:
    with pytest.raises(EmbedderError, match="running the model failed"):
        make(graph={"table": tiny.TABLE[:4]}).embed_documents(["a", "b"])
    with pytest.raises(EmbedderError, match="only zeros for text 0"):
        make(graph={"table": np.zeros_like(tiny.TABLE)}).embed_query("a")
    with pytest.raises(EmbedderError, match="NaN"):
        make(graph={"table": tiny.TABLE * np.float32("nan")}).embed_documents(["a"])


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_broken_files_are_named(make: Any, tmp_path: Path, file: str) -> None:
    embedder = make()
    (tmp_path / file).write_bytes(b"\x00broken")
    with pytest.raises(EmbedderError, match=f"{file}: cannot be loaded"):
        embedder.embed_query("a")
    (tmp_path / file).unlink()
    with pytest.raises(EmbedderError, match=f"{file}: cannot be (loaded|read)"):
        embedder.embed_query("a")


@pytest.mark.parametrize(
    "option",
    [
        {"pooling": "max"},
        {"max_tokens": 4},
        {"max_tokens": "512"},
        {"threads": 0},
        {"threads": True},
        {"batch_texts": 0},
        {"dim": 0},
        {"query_prefix": None},
        {"document_prefix": 1},
        {"name": b"x"},
    ],
)
def test_bad_arguments_are_refused(make: Any, option: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{next(iter(option))}: got"):
        make(**option)


def test_missing_files_are_refused(make: Any, tmp_path: Path) -> None:
    make()
    with pytest.raises(InvalidArgumentError, match="model_path"):
        OnnxEmbedder(tmp_path / "none.onnx", tmp_path / "tokenizer.json")
    with pytest.raises(InvalidArgumentError, match="tokenizer_path"):
        OnnxEmbedder(tmp_path / "model.onnx", tmp_path)
    with pytest.raises(InvalidArgumentError, match="model_path"):
        OnnxEmbedder(None, tmp_path)  # type: ignore[arg-type]


def test_files_are_found_when_the_process_works_in_another_folder(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = make().embed_query("a")
    monkeypatch.chdir(tmp_path)
    embedder = OnnxEmbedder("model.onnx", "tokenizer.json")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    assert np.array_equal(embedder.embed_query("a"), expected)


@pytest.mark.parametrize("bad", [None, 1, "\ud800"])
def test_bad_texts_are_refused(make: Any, bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"texts\[1\]"):
        make().embed_documents(["a", bad])
    with pytest.raises(InvalidArgumentError, match="text"):
        make().embed_query(bad)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_names_the_extra(make: Any, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    def find(name: str) -> object:
        return None if name == package else object()

    monkeypatch.setattr("memspan.embed.onnx_graph.find_spec", find)
    with pytest.raises(MissingExtraError, match=rf"{package}.*memspan\[onnx\]"):
        make()
    with pytest.raises(MissingExtraError, match=package):
        OnnxEmbedder.from_registry()


def test_only_questions_go_through_changed_weights(make: Any, tmp_path: Path) -> None:
    plain, table = make(), np.ones((14, 1))
    WeightDelta({"table.down": table, "table.up": np.array([[0.5, 0.0, -2.0]])}).save(tmp_path / "delta.npz")

    tuned = make(question_delta=tmp_path / "delta.npz")

    assert np.array_equal(tuned.embed_documents(["a b"]), plain.embed_documents(["a b"]))
    assert np.array_equal(plain.embed_query("a b"), plain.embed_documents(["a b"])[0])
    assert not np.allclose(tuned.embed_query("a b"), plain.embed_query("a b"))
    assert np.isclose(np.linalg.norm(tuned.embed_query("a b")), 1.0)
    assert tuned.checksum == plain.checksum


def test_tuned_questions_have_a_prefix_of_their_own(make: Any, tmp_path: Path) -> None:
    table = np.ones((14, 1))
    WeightDelta({"table.down": table, "table.up": np.array([[0.5, 0.0, -2.0]])}).save(tmp_path / "delta.npz")
    options: dict[str, Any] = {"pooling": "mean", "query_prefix": "ask "}
    plain = make(**options)

    tuned, bare, other = (
        make(**options, question_delta=tmp_path / "delta.npz", tuned_prefix=prefix)
        for prefix in (None, "", "doc ")
    )

    assert np.array_equal(tuned.embed_query("b"), bare.embed_query("ask b"))
    assert np.array_equal(other.embed_query("b"), bare.embed_query("doc b"))
    assert not np.allclose(bare.embed_query("b"), tuned.embed_query("b"))
    assert {each.checksum for each in (tuned, bare, other)} == {plain.checksum}
    with pytest.raises(InvalidArgumentError, match="^tuned_prefix: got"):
        make(tuned_prefix="")
    with pytest.raises(InvalidArgumentError, match="^tuned_prefix: got"):
        make(question_delta=tmp_path / "delta.npz", tuned_prefix=1)


@pytest.mark.parametrize("content", [b"", b"junk" * 20])
def test_a_damaged_delta_is_told_when_a_question_comes(make: Any, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "delta.npz").write_bytes(content)
    embedder = make(question_delta=tmp_path / "delta.npz")
    assert embedder.embed_documents(["a"]).shape == (1, 3)
    with pytest.raises(EmbedderError, match="model.onnx: cannot be loaded .*delta.npz: is damaged"):
        embedder.embed_query("a")
    with pytest.raises(InvalidArgumentError, match="question_delta"):
        make(question_delta=tmp_path / "missing.npz")
