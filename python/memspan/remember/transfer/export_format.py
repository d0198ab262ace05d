"""One line of an export: a record or relation as a JSON object, and back."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from memspan.errors import InvalidArgumentError, invalid
from memspan.records import Record
from memspan.remember.embedding import EmbedderIdentity
from memspan.remember.input.checking import checked_record, checked_vector
from memspan.store.codec import pack_embedding, unpack_embedding

__all__ = [
    "END_TYPE",
    "FORMAT",
    "VERSION",
    "Header",
    "decode_header",
    "decode_record_line",
    "encode_record_line",
    "end",
    "header",
]

FORMAT: Final = "memspan-export"
VERSION: Final = 1
END_TYPE: Final = "end"
_TIMES: Final = ("at", "until", "recorded_at", "retired_at", "expires_at")
_FIELDS: Final = (
    "user", "id", "at", "text", "kind", "until", "recorded_at", "session", "speaker", "tags", "entities",
    "importance", "provenance", "fidelity", "sources", "metadata", "retired_at", "expires_at", "pinned", "held",
)  # fmt: skip
_REQUIRED: Final = ("user", "id", "at", "text")


class Header(NamedTuple):
    """What the first line says."""

    embedder: EmbedderIdentity
    """Whose vectors the file may hold."""
    ends: bool
    """Whether the last line is `end`; exports had none once."""


def header(embedder: EmbedderIdentity) -> dict[str, Any]:
    """The first line."""
    return {
        "type": "header",
        "format": FORMAT,
        "version": VERSION,
        "embedder": asdict(embedder),
        "ends": True,
    }


def end() -> dict[str, Any]:
    """The last line, by which a file that was cut off at the end of another one is told."""
    return {"type": END_TYPE}


def decode_header(line: Any, place: str) -> Header:
    """
    Raises:
        InvalidArgumentError: it is not the first line of an export, or of a newer version.
    """
    if not isinstance(line, Mapping) or line.get("type") != "header" or line.get("format") != FORMAT:
        accepted = f'the first line of an export, {{"type": "header", "format": "{FORMAT}", ...}}'
        raise invalid(place, line, accepted + "; conversations are read by `memspan ingest`")
    if line.get("version") != VERSION:
        raise invalid(f"{place}: version", line.get("version"), f"{VERSION}; a newer memspan may read it")
    try:
        embedder = line["embedder"]
        identity = EmbedderIdentity(str(embedder["name"]), int(embedder["dim"]), str(embedder["checksum"]))
    except (KeyError, TypeError, ValueError):
        raise invalid(f"{place}: embedder", line.get("embedder"), "name, dim and checksum") from None
    return Header(identity, line.get("ends") is True)


def encode_record_line(record: Record, *, embedding: bool) -> dict[str, Any]:
    """All fields that hold something. Times are ISO 8601 in UTC; the vector is base64 of little-endian float32."""
    line: dict[str, Any] = {"type": "record"}
    for field in _FIELDS:
        value = getattr(record, field)
        if value in (None, (), {}) or value is False:
            continue
        line[field] = (
            value.isoformat() if field in _TIMES else list(value) if isinstance(value, tuple) else value
        )
    if embedding and record.embedding is not None:
        line["embedding"] = base64.b64encode(pack_embedding(record.embedding)).decode("ascii")
    return line


def decode_record_line(line: Mapping[str, Any], place: str, dim: int | None) -> Record:
    """The checked record of a line; its vector is left out when `dim` is `None`.

    Raises:
        InvalidArgumentError: a field is missing, unknown or not acceptable.
    """
    for key in line:
        if key not in _FIELDS and key not in ("type", "embedding"):
            raise invalid(f"{place}: {key}", line[key], f"only the fields {', '.join(_FIELDS)}, embedding")
    for key in _REQUIRED:
        if key not in line:
            raise InvalidArgumentError(f"{place}: the field {key!r} is missing")
    fields = {key: line[key] for key in _FIELDS if key in line}
    embedding = None
    if dim is not None and "embedding" in line:
        try:
            vector = unpack_embedding(base64.b64decode(line["embedding"], validate=True))
        except (TypeError, ValueError, binascii.Error):
            raise invalid(
                f"{place}: embedding", line["embedding"], "base64 of little-endian float32"
            ) from None
        embedding = checked_vector(vector, dim, f"{place}: embedding")
    return checked_record(Record(**fields, embedding=embedding), place, noted=True)
