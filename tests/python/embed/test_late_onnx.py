"""`OnnxTokenEmbedder` on a graph whose vectors can be worked out by hand."""

from __future__ import annotations

import hashlib
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

from memspan.embed import OnnxTokenEmbedder
from memspan.embed.registry import DEFAULT_MODEL, DEFAULT_TOKEN_MODEL
from memspan.embed.weight_delta import WeightDelta
from memspan.errors import EmbedderError, InvalidArgumentError, MissingExtraError

Make = Callable[..., OnnxTokenEmbedder]
TEXTS = ["a b", "c", "", "h g f e d c b a", ". , !", "a . b unknown !"]


@pytest.fixture
def make(late: ModuleType, tiny: ModuleType, tmp_path: Path) -> Make:
    """Make an embedder over a tiny graph: what `write_files` takes in `files`, the rest for the embedder."""

    def build(*, files: dict[str, Any] | None = None, **options: Any) -> OnnxTokenEmbedder:
        return OnnxTokenEmbedder(*late.write_files(tmp_path, tiny, **(files or {})), **options)

    return build


def without_punctuation(text: str) -> str:
    return " ".join(word for word in text.split() if word not in ".,!?'#")


@pytest.mark.parametrize("threads", [1, 3])
def test_every_token_but_punctuation_has_a_vector(make: Make, late: ModuleType, threads: int) -> None:
    found = make(threads=threads).embed_documents(TEXTS)
    assert len(found) == len(TEXTS)
    for vectors, text in zip(found, TEXTS, strict=True):
        assert vectors.dtype == np.int8
        assert vectors.flags.c_contiguous
        assert vectors.tolist() == late.expected_bytes(without_punctuation(text)).tolist()


def test_questions_keep_punctuation_and_precision(make: Make, late: ModuleType) -> None:
    for text in TEXTS:
        vectors = make().embed_query(text)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(text.split()), 2)
        assert np.allclose(vectors, late.expected(text), atol=1e-6)


def test_a_text_runs_alone_behind_the_marker_of_its_kind(
    make: Make, late: ModuleType, tiny: ModuleType
) -> None:
    # The largest state of the batch is added to all, and that of the marker is the largest of all.
    for marker, kind in (("[unused0]", "question"), ("[unused1]", "document")):
        table = late.TABLE.copy()
        table[late.WORDS.index(marker)] = 50.0
        embedder = make(files={"graph": {"table": table, "neighbours": True}})
        shifted = late.expected("a b", table + 50.0)
        found = embedder.embed_query("a b"), embedder.embed_documents(["a b", "c d e"])[0] / 127
        assert np.allclose(found[0], shifted, atol=1e-6) is (kind == "question")
        assert np.allclose(found[1], shifted, atol=0.01) is (kind == "document")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_vectors_do_not_depend_on_neighbours(make: Make, threads: int) -> None:
    embedder = make(files={"graph": {"neighbours": True}}, threads=threads)
    together = embedder.embed_documents(TEXTS * 3)
    for position, text in enumerate(TEXTS * 3):
        assert embedder.embed_documents([text])[0].tobytes() == together[position].tobytes()


def test_texts_are_cut(make: Make, late: ModuleType) -> None:
    embedder = make(max_tokens=8, max_vectors=3, max_question_tokens=7)
    assert embedder.embed_query("a b c d e f g").tolist() == embedder.embed_query("a b c d").tolist()
    assert len(embedder.embed_query("a b c d e")) == 4
    (vectors,) = embedder.embed_documents([". , a . b c"])
    assert vectors.tolist() == late.expected_bytes("a b").tolist()
    (vectors,) = embedder.embed_documents(["a b c d e f"])
    assert vectors.tolist() == late.expected_bytes("a b c").tolist()
    assert make().embed_documents(["a b " * 500])[0].shape == (64, 2)
    assert make().embed_query("a b " * 500).shape == (60, 2)
    assert make(max_tokens=512).embed_documents([". " * 100 + "a"])[0].shape == (1, 2)


def test_how_questions_are_cut_does_not_change_documents(make: Make) -> None:
    text = " " * 300 + "a b c"
    found = [
        make(max_tokens=4, max_question_tokens=most).embed_documents([text])[0].shape for most in (4, 67)
    ]
    assert found == [(0, 2), (0, 2)]


def test_texts_of_megabytes_cost_milliseconds(make: Make) -> None:
    embedder = make()
    embedder.embed_query("a")
    start = time.thread_time()
    embedder.embed_documents(["a " * 1_000_000, "мир 世界 🙂", "x" * 1_000_000])
    embedder.embed_query("b " * 1_000_000)
    assert time.thread_time() - start < 5


def test_many_texts_pass_through_several_windows(
    make: Make, late: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.embed.late.onnx._WINDOW", 7)
    texts = [" ".join("abcdefgh"[: i % 9]) for i in range(40)]
    found = make(threads=2).embed_documents(texts)
    assert all(
        vectors.tolist() == late.expected_bytes(text).tolist()
        for vectors, text in zip(found, texts, strict=True)
    )


def test_no_texts_give_no_arrays(make: Make) -> None:
    assert make().embed_documents([]) == []


def test_one_model_for_many_threads(make: Make) -> None:
    embedder = make()
    wanted = embedder.embed_query("a b c").tolist()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: embedder.embed_query("a b c").tolist(), range(20)))
    assert found == [wanted] * 20


@pytest.mark.parametrize(
    "graph", [{"types": False}, {"types": False, "mask": False}, {"kind": 6}, {"named_dim": True}]
)
def test_graphs_differ_in_inputs_types_and_shapes(
    make: Make, late: ModuleType, graph: dict[str, Any]
) -> None:
    (vectors,) = make(files={"graph": graph}).embed_documents(["a b"])
    assert vectors.tolist() == late.expected_bytes("a b").tolist()


def test_other_outputs_are_ignored(make: Make, late: ModuleType) -> None:
    vectors = make(files={"graph": {"pooled": True}}).embed_query("a b")
    assert np.allclose(vectors, late.expected("a b"), atol=1e-6)


def test_only_questions_go_through_changed_weights(make: Make, late: ModuleType, tmp_path: Path) -> None:
    column = np.ones((len(late.WORDS), 1))
    WeightDelta({"table.down": column, "table.up": np.array([[0.5, 0.0, -2.0]])}).save(tmp_path / "delta.npz")
    plain, tuned = make(), make(question_delta=tmp_path / "delta.npz")
    assert tuned.embed_documents(["a b"])[0].tobytes() == plain.embed_documents(["a b"])[0].tobytes()
    wanted = late.expected("a b", late.TABLE + np.float32([0.5, 0.0, -2.0]))
    assert np.allclose(tuned.embed_query("a b"), wanted, atol=1e-5)
    assert not np.allclose(plain.embed_query("a b"), wanted, atol=1e-2)
    assert tuned.checksum == plain.checksum


def test_a_damaged_delta_is_told_when_a_question_comes(make: Make, tmp_path: Path) -> None:
    (tmp_path / "delta.npz").write_bytes(b"junk" * 20)
    embedder = make(question_delta=tmp_path / "delta.npz")
    assert len(embedder.embed_documents(["a"])) == 1
    with pytest.raises(EmbedderError, match="model.onnx: cannot be loaded .*delta.npz: is damaged"):
        embedder.embed_query("a")


def test_identity_covers_everything_that_decides_vectors_of_documents(make: Make, late: ModuleType) -> None:
    same = {make(threads=threads, max_question_tokens=60 + threads).checksum for threads in (1, 2)}
    changed = {
        make(max_tokens=100).checksum,
        make(max_vectors=20).checksum,
        make(files={"matrix": late.MATRIX * 2}).checksum,
        make(files={"graph": {"table": late.TABLE + 1}}).checksum,
        make(files={"words": [*late.WORDS, "more"]}).checksum,
    }
    assert len(same) == 1
    assert len(same | changed) == 6
    assert make().name == "onnx:model.onnx"
    assert repr(make(name="mine", threads=2)) == "OnnxTokenEmbedder(name='mine', threads=2)"


def test_expected_digests_are_checked_before_loading(make: Make, tmp_path: Path) -> None:
    make()
    good = {
        f"{kind}_sha256": hashlib.sha256((tmp_path / file).read_bytes()).hexdigest()
        for kind, file in (("model", "model.onnx"), ("tokenizer", "tokenizer.json"))
    }
    assert make(**good).embed_query("a").shape == (1, 2)
    assert make(**good).checksum == make().checksum
    for argument in good:
        with pytest.raises(EmbedderError, match=f"'mine'.*sha256 is [0-9a-f]{{64}}, expected {'0' * 64}"):
            make(**{**good, argument: "0" * 64}, name="mine").embed_query("a")


def test_a_stated_dimension_is_checked_on_loading(make: Make) -> None:
    assert make().dim == 2
    embedder = make(dim=4)
    assert embedder.dim == 4
    with pytest.raises(EmbedderError, match="the projection gives 2 dimensions, not 4"):
        embedder.embed_query("a")


@pytest.mark.parametrize("named_dim", [False, True])
def test_a_projection_of_another_width_is_refused(make: Make, named_dim: bool) -> None:
    embedder = make(files={"matrix": np.ones((4, 2)), "graph": {"named_dim": named_dim}})
    with pytest.raises(EmbedderError, match="the graph gives 3 numbers a token; the projection takes 4"):
        embedder.embed_documents(["a"])


@pytest.mark.parametrize("missing", ["[CLS]", "[SEP]", "[unused0]", "[unused1]"])
def test_a_tokenizer_without_the_markers_is_refused(
    late: ModuleType, tiny: ModuleType, tmp_path: Path, missing: str
) -> None:
    model, _, projection = late.write_files(tmp_path, tiny)
    text = (tmp_path / "tokenizer.json").read_text().replace(missing, "[other]")
    (tmp_path / "tokenizer.json").write_text(text)
    embedder = OnnxTokenEmbedder(model, tmp_path / "tokenizer.json", projection)
    with pytest.raises(EmbedderError) as caught:
        embedder.embed_query("a")
    assert f"tokenizer.json: has no token {missing}" in str(caught.value)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({"inputs": ("position_ids",)}, "position_ids"),
        ({"kind": 1}, "float"),
        ({"rank": 2}, "expected one \\(batch, tokens, dim\\)"),
    ],
)
def test_other_graphs_are_refused(make: Make, graph: dict[str, Any], message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        make(files={"graph": graph}).embed_query("a")


def test_a_graph_that_fails_or_gives_nothing_is_an_error(make: Make, late: ModuleType) -> None:
    with pytest.raises(EmbedderError, match="running the model failed"):
        make(files={"graph": {"table": late.TABLE[:4]}}).embed_documents(["a", "b"])
    for factor in (0.0, np.nan, np.inf):
        with pytest.raises(EmbedderError, match=r"model.onnx: .* NaN, infinity or only zeros"):
            make(files={"graph": {"table": late.TABLE * np.float32(factor)}}).embed_query("a")


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "projection.npz"])
def test_broken_files_are_named(make: Make, tmp_path: Path, file: str) -> None:
    embedder = make()
    (tmp_path / file).write_bytes(b"\x00broken")
    with pytest.raises(EmbedderError, match=f"{file}: (cannot be loaded|is damaged)"):
        embedder.embed_query("a")
    (tmp_path / file).unlink()
    with pytest.raises(EmbedderError, match=f"{file}: cannot be (loaded|read)"):
        embedder.embed_query("a")


@pytest.mark.parametrize(
    "option",
    [
        {"max_tokens": 3},
        {"max_tokens": 513},
        {"max_question_tokens": 68},
        {"max_question_tokens": "60"},
        {"max_vectors": 0},
        {"max_vectors": 65},
        {"threads": 0},
        {"dim": 0},
        {"name": b"x"},
        {"question_delta": "missing.npz"},
    ],
)
def test_bad_arguments_are_refused(make: Make, option: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{next(iter(option))}: got"):
        make(**option)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_missing_files_are_refused(late: ModuleType, tiny: ModuleType, tmp_path: Path, place: int) -> None:
    paths = list(late.write_files(tmp_path, tiny))
    paths[place] = tmp_path / "none"
    with pytest.raises(
        InvalidArgumentError, match=("model_path", "tokenizer_path", "projection_path")[place]
    ):
        OnnxTokenEmbedder(*paths)


@pytest.mark.parametrize("bad", [None, 1, "\ud800"])
def test_bad_texts_are_refused(make: Make, bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"texts\[1\]"):
        make().embed_documents(["a", bad])
    with pytest.raises(InvalidArgumentError, match="text"):
        make().embed_query(bad)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_names_the_extra(make: Make, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr(
        "memspan.embed.onnx_graph.find_spec", lambda name: None if name == package else object()
    )
    for attempt in (make, OnnxTokenEmbedder.from_registry):
        with pytest.raises(MissingExtraError, match=rf"OnnxTokenEmbedder needs .*{package}.*memspan\[onnx\]"):
            attempt()


@pytest.mark.parametrize("name", [DEFAULT_MODEL, "gpt-9", None, ["a"]])
def test_only_models_for_late_interaction_are_made_of_the_registry(name: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^name: got .*{DEFAULT_TOKEN_MODEL}"):
        OnnxTokenEmbedder.from_registry(name)
