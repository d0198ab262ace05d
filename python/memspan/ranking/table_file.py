"""Files of weights: what they share, whatever table they hold."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from memspan.base.replacing import replacing
from memspan.errors import FormatError

__all__ = ["MOST_BYTES", "parse_table", "read_table_bytes", "write_table"]

MOST_BYTES: Final = 1 << 20


def read_table_bytes(path: str | os.PathLike[str]) -> bytes:
    """What the file holds, for `parse_table`; no more of it than that refuses.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        return file.read(MOST_BYTES + 1)


def write_table(path: str | os.PathLike[str], kind: str, version: int, **document: Any) -> None:
    """Write a table of weights as JSON, in the form that `parse_table` reads; where that fails, what was there stays.

    Raises:
        OSError: it cannot be written.
    """
    text = json.dumps({"format": kind, "version": version, **document}, indent=1)
    with replacing(Path(path)) as file:
        file.write(text + "\n")


def parse_table(raw: bytes, name: str, kind: str, versions: Sequence[int]) -> dict[str, Any]:
    """The document of a table of weights.

    Args:
        raw: what the file holds; of more than a megabyte nothing is parsed.
        name: of the file, for messages.
        kind: what its `format` must be.
        versions: that can be read.

    Raises:
        FormatError: it is something else.
    """
    accepted = (
        f"a {kind} of version {max(versions)}{' or before' if len(versions) > 1 else ''}, as it is saved"
    )
    try:
        document = json.loads(raw) if len(raw) <= MOST_BYTES else None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}: not JSON ({error}); accepted: {accepted}") from error
    if not isinstance(document, dict) or document.get("format") != kind:
        raise FormatError(f"{name}: no {kind}; accepted: {accepted}")
    if document.get("version") not in versions:
        raise FormatError(f"{name}: version {document.get('version')!r}; accepted: {accepted}")
    return document
