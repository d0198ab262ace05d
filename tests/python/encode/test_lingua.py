"""`Lingua`: retention by a token classifier, on a graph whose logits are known."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from attention_model import write_classifier, write_words
from conversations import turns, work
from tools import MemoryTools, run_stages

from memspan.encode.compression.compress import Compress
from memspan.encode.compression.lingua import Lingua
from memspan.encode.compression.pieces import split_pieces
from memspan.errors import InvalidArgumentError, LLMError

A, B, C = 4, 5, 6


def scores(lingua: Lingua, *texts: str) -> list[list[float]]:
    found = asyncio.run(lingua.score(texts, [split_pieces(text) for text in texts], MemoryTools()))
    return [of_text.round(6).tolist() for of_text in found]


def sigmoid(logit: float) -> float:
    return round(float(1 / (1 + np.exp(-logit))), 6)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    model = write_classifier(tmp_path / "model.onnx", {A: 2.0, B: -1.0, C: 0.5})
    return model, write_words(tmp_path / "words.json")


def test_scores_are_the_chance_to_be_retained(files: tuple[Path, Path]) -> None:
    assert scores(Lingua(*files), "a b", "", "c a") == [
        [sigmoid(2), sigmoid(-1)],
        [],
        [sigmoid(0.5), sigmoid(2)],
    ]


def test_long_texts_are_scored_in_parts(files: tuple[Path, Path]) -> None:
    text = " ".join("abc"[i % 3] for i in range(100))
    whole, parts = Lingua(*files), Lingua(*files, max_tokens=8)

    assert scores(whole, text) == scores(parts, text)


def test_compression_keeps_what_the_model_wants(files: tuple[Path, Path]) -> None:
    tools = MemoryTools()
    given = work(turns("b b a b c b"))

    done = asyncio.run(run_stages([Compress(rate=0.34, scorer=Lingua(*files))], given, tools))

    assert done.turns[0].text == "b a c"  # the first piece of equal ones stays: ceil(.34 * 6) is three
    assert not tools.noted("scorer failed")


def test_files_are_checked(files: tuple[Path, Path], tmp_path: Path) -> None:
    model, tokenizer = files
    right = hashlib.sha256(model.read_bytes()).hexdigest()

    assert scores(Lingua(model, tokenizer, model_sha256=right), "a") == [[sigmoid(2)]]
    with pytest.raises(LLMError, match="damaged or another file"):
        scores(Lingua(model, tokenizer, model_sha256="0" * 64), "a")
    with pytest.raises(LLMError, match="expected one"):
        scores(Lingua(write_classifier(tmp_path / "three.onnx", {}, classes=3), tokenizer), "a")
    with pytest.raises(InvalidArgumentError, match="model_path"):
        Lingua(tmp_path / "missing.onnx", tokenizer)


def test_a_broken_model_does_not_stop_the_job(files: tuple[Path, Path]) -> None:
    files[0].write_bytes(b"no model")
    tools = MemoryTools()

    done = asyncio.run(run_stages([Compress(rate=0.5, scorer=Lingua(*files))], work(turns("a b c d")), tools))

    (note,) = tools.noted("scorer failed")
    assert note["scorer"] == "lingua:model.onnx"
    assert len(done.turns[0].text) == 3


def test_stages_are_imported_without_the_extra() -> None:
    code = (
        "import sys; import memspan.encode.compression.compress, memspan.encode.segment, memspan.encode.buffer, "
        "memspan.recipes.lightmem, memspan.lifecycle.sleep.update; "
        "print([m for m in ('onnxruntime', 'tokenizers', 'pydantic', 'openai', 'onnx') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
