"""Records as the columns that the native core takes: strings, float32 rows, int64 microseconds, uint8 kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memspan import _core
from memspan.arguments import (
    as_array,
    as_embedding,
    as_flag,
    as_json,
    as_kind,
    as_number,
    as_optional_text,
    as_text,
    as_texts,
    is_listing,
    is_masked,
)
from memspan.errors import EmbeddingError, TimeError, invalid
from memspan.times import TimeLike, now_micros, to_micros

__all__ = ["NativeColumns", "pack_columns", "pack_record"]

FOREVER: Final = np.iinfo(np.int64).max
"""The core's mark for a record whose validity does not end."""

_NOT_JUDGED: Final = -1.0
"""The core's mark for a record whose importance nobody judged."""

NativeColumns: TypeAlias = tuple[
    list[str],  # users
    list[str],  # ids
    NDArray[np.int64],  # ats
    NDArray[np.int64],  # untils
    NDArray[np.int64],  # recorded_ats
    NDArray[np.uint8],  # kinds
    list[str],  # texts
    list[str],  # tags of all records, one after the other
    NDArray[np.int64],  # where each record's tags end
    list[str | None],  # sessions
    list[str | None],  # speakers
    list[str],  # metadata as JSON
    "NDArray[np.float32] | None",  # importances, -1: not judged; None: none is
    "NDArray[np.uint8] | None",  # pins; None: none
    "NDArray[np.int64] | None",  # retired_ats; None: none
    "NDArray[np.int64] | None",  # expires_ats; None: none
    "NDArray[np.float32] | list[NDArray[np.float32]] | None",  # embeddings, (n, dim), or n of shape (dim,)
    "NDArray[np.uint8] | None",  # which of them are real; None: all
    bool,  # errors name values as entries of columns
]
"""The positional arguments of `_core.Index.add`."""


def pack_record(
    dim: int,
    *,
    user: str,
    id: str,
    at: TimeLike,
    text: str,
    embedding: ArrayLike | None,
    tags: Sequence[str],
    kind: str,
    until: TimeLike | None,
    recorded_at: TimeLike | None,
    session: str | None,
    speaker: str | None,
    metadata: Mapping[str, Any] | None,
    importance: float | None,
    pinned: bool,
    retired_at: TimeLike | None,
    expires_at: TimeLike | None,
) -> NativeColumns:
    """One record as columns of length one; the arguments are those of `Index.add`."""
    return (
        [as_text(user, "user")],
        [as_text(id, "id")],
        np.array([to_micros(at, "at")], np.int64),
        np.array([FOREVER if until is None else to_micros(until, "until")], np.int64),
        np.array([now_micros() if recorded_at is None else to_micros(recorded_at, "recorded_at")], np.int64),
        np.array([as_kind(kind)], np.uint8),
        [as_text(text, "text")],
        *_joined([as_texts(tags, "tags")]),
        [as_optional_text(session, "session")],
        [as_optional_text(speaker, "speaker")],
        [as_json(metadata, "metadata")],
        None if importance is None else np.array([as_number(importance, "importance", 0, 1)], np.float32),
        np.array([1], np.uint8) if as_flag(pinned, "pinned") else None,
        None if retired_at is None else np.array([to_micros(retired_at, "retired_at")], np.int64),
        None if expires_at is None else np.array([to_micros(expires_at, "expires_at")], np.int64),
        None if embedding is None else as_embedding(embedding, "embedding", (dim,)).reshape(1, dim),
        None,
        False,
    )


def pack_columns(
    dim: int,
    *,
    ids: Sequence[str],
    ats: Sequence[TimeLike] | np.ndarray[Any, np.dtype[np.int64]],
    user: str | None,
    users: Sequence[str] | None,
    texts: Sequence[str] | None,
    embeddings: ArrayLike | Sequence[ArrayLike | None] | None,
    tags: Sequence[Sequence[str]] | None,
    kinds: Sequence[str] | None,
    untils: Sequence[TimeLike | None] | None,
    recorded_ats: Sequence[TimeLike] | None,
    sessions: Sequence[str | None] | None,
    speakers: Sequence[str | None] | None,
    metadatas: Sequence[Mapping[str, Any] | None] | None,
    importances: Sequence[float | None] | None,
    pins: Sequence[bool] | None,
    retired_ats: Sequence[TimeLike | None] | None,
    expires_ats: Sequence[TimeLike | None] | None,
) -> NativeColumns:
    """Check and convert the columns of `Index.add_many`."""
    native_ids = as_texts(ids, "ids")
    count = len(native_ids)
    if (user is None) == (users is None):
        raise invalid("user", (user, users), "either `user` for all records or `users` for each")
    rows, present = _embeddings(embeddings, count, dim)
    return (
        as_texts(_column(users, "users", count), "users")
        if user is None
        else [as_text(user, "user")] * count,
        native_ids,
        _times(ats, "ats", count),
        _times(untils, "untils", count, default=FOREVER),
        _times(recorded_ats, "recorded_ats", count, default=now_micros()),
        _kinds(kinds, count),
        [""] * count if texts is None else as_texts(_column(texts, "texts", count), "texts"),
        *(([], np.zeros(count, np.int64)) if tags is None else _tags(tags, count)),
        _optional_texts(sessions, "sessions", count),
        _optional_texts(speakers, "speakers", count),
        _metadatas(metadatas, count),
        _importances(importances, count),
        _pins(pins, count),
        None if retired_ats is None else _times(retired_ats, "retired_ats", count, default=FOREVER),
        None if expires_ats is None else _times(expires_ats, "expires_ats", count, default=FOREVER),
        rows,
        present,
        True,
    )


def _column(values: Any, argument: str, count: int) -> Sequence[Any]:
    if not is_listing(values) or not hasattr(values, "__len__"):
        raise invalid(argument, values, f"a list of {count} entries, one for each id")
    if len(values) != count:
        raise invalid(argument, f"{len(values)} entries", f"{count} entries, one for each id")
    column: Sequence[Any] = values
    return column


def _times(values: Any, argument: str, count: int, default: int | None = None) -> NDArray[np.int64]:
    if values is None and default is not None:
        return np.full(count, default, np.int64)
    if isinstance(values, np.ndarray) and values.dtype == np.int64:
        if values.shape != (count,):
            raise invalid(argument, f"an array of shape {values.shape}", f"shape ({count},)", TimeError)
        if is_masked(values):
            raise invalid(argument, "an array with masked values", "a time for each id", TimeError)
        return np.ascontiguousarray(values)
    column = _column(values, argument, count)
    if (times := _core.copy_times(column, default)) is not None:
        return times
    micros = (
        default if value is None and default is not None else to_micros(value, f"{argument}[{position}]")
        for position, value in enumerate(column)
    )
    return np.fromiter(micros, np.int64, count)


def _kinds(values: Any, count: int) -> NDArray[np.uint8]:
    if values is None:
        return np.zeros(count, np.uint8)
    column = _column(values, "kinds", count)
    if (codes := _core.copy_kinds(column)) is not None:
        return codes
    return np.fromiter(
        (as_kind(kind, f"kinds[{position}]") for position, kind in enumerate(column)), np.uint8, count
    )


def _tags(values: Any, count: int) -> tuple[list[str], NDArray[np.int64]]:
    column = _column(values, "tags", count)
    if (copied := _core.copy_text_lists(column)) is not None:
        return copied
    return _joined([as_texts(tags, f"tags[{position}]") for position, tags in enumerate(column)])


def _joined(lists: list[list[str]]) -> tuple[list[str], NDArray[np.int64]]:
    ends = np.cumsum([len(texts) for texts in lists], dtype=np.int64)
    return [text for texts in lists for text in texts], ends


def _optional_texts(values: Any, argument: str, count: int) -> list[str | None]:
    if values is None:
        return [None] * count
    column = _column(values, argument, count)
    if (texts := _core.copy_optional_texts(column)) is not None:
        return texts
    return [as_optional_text(value, f"{argument}[{position}]") for position, value in enumerate(column)]


def _metadatas(values: Any, count: int) -> list[str]:
    if values is None:
        return [""] * count
    column = _column(values, "metadatas", count)
    if (texts := _core.copy_json_texts(column)) is not None:
        return texts
    return [as_json(value, f"metadatas[{position}]") for position, value in enumerate(column)]


def _importances(values: Any, count: int) -> NDArray[np.float32] | None:
    if values is None:
        return None
    column = _column(values, "importances", count)
    if (importances := _core.copy_importances(column)) is not None:
        return importances
    return np.fromiter(
        (
            _NOT_JUDGED if value is None else as_number(value, f"importances[{position}]", 0, 1)
            for position, value in enumerate(column)
        ),
        np.float32,
        count,
    )


def _pins(values: Any, count: int) -> NDArray[np.uint8] | None:
    if values is None:
        return None
    column = _column(values, "pins", count)
    if (flags := _core.copy_flags(column)) is not None:
        return flags
    return np.fromiter(
        (as_flag(pin, f"pins[{position}]") for position, pin in enumerate(column)), np.uint8, count
    )


def _embeddings(
    values: Any, count: int, dim: int
) -> tuple[NDArray[np.float32] | list[NDArray[np.float32]] | None, NDArray[np.uint8] | None]:
    if values is None:
        return None, None
    if count == 0:
        _column(values, "embeddings", count)
        return None, None
    shape = (count, dim)
    if isinstance(values, (list, tuple)):
        column: Sequence[Any] = _column(values, "embeddings", count)
        masked = any(type(row) is not np.ndarray and is_masked(row) for row in column)
        if not masked and (arrays := _core.copy_rows(column, dim)) is not None:
            return arrays, None
        if not masked and not any(row is None for row in column):
            return as_embedding(column, "embeddings", shape), None
    else:
        rows = as_array(values, "embeddings", f"float values of shape {shape}")
        if rows.ndim and rows.dtype != object:
            if len(rows) != count:
                got = f"an array of shape {rows.shape}"
                raise invalid("embeddings", got, f"shape {shape}", EmbeddingError)
            return as_embedding(rows, "embeddings", shape), None
        if not rows.ndim:
            raise invalid("embeddings", values, f"a list of {count} entries, one for each id")
        column = _column(rows, "embeddings", count)
    # Rows of which some may be missing, in a list or as data frames hand them out.
    packed, present = np.zeros(shape, np.float32), np.zeros(count, np.uint8)
    for position, row in enumerate(column):
        if row is not None:
            packed[position] = as_embedding(row, f"embeddings[{position}]", (dim,))
            present[position] = 1
    return packed, present
