"""What models that run on this machine have in common: files that are checked, and cores to run on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memspan.embed.wheel import sha256_of
from memspan.errors import MemspanError, invalid

__all__ = ["check_file", "digest", "packaged", "require_digests"]


def check_file(path: Any, argument: str) -> Path:
    """`path` when it names an existing file, which is read later, wherever the process works then;
    `InvalidArgumentError` otherwise."""
    if not isinstance(path, (str, os.PathLike)) or not Path(path).is_file():
        raise invalid(argument, path, "the path of an existing file")
    return Path(path).absolute()


def packaged(name: str) -> Path:
    """The path of a file of this package."""
    return Path(__file__).parent / name


def digest(path: Path, error: type[MemspanError]) -> str:
    """sha256 of a file; `error` when it cannot be read."""
    try:
        return sha256_of(path)
    except OSError as reason:
        raise error(f"{path}: cannot be read ({reason})") from reason


def require_digests(owner: str, files: Iterable[tuple[Path, str | None]], error: type[MemspanError]) -> None:
    """Raise `error` unless each file has the sha256 beside it; `None` accepts any."""
    for path, expected in files:
        if expected is not None and (found := digest(path, error)) != expected:
            raise error(f"{owner}: {path} is damaged or another file: sha256 is {found}, expected {expected}")
