"""Checks of what callers pass in, shared by the public classes: types here, values in the native core."""

from __future__ import annotations

import json
import math
import operator
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import EmbeddingError, InvalidArgumentError, WhereError, invalid
from .limits import MAX_JSON_DEPTH
from .records import KINDS

__all__ = [
    "as_array",
    "as_byte_limit",
    "as_choice",
    "as_embedding",
    "as_flag",
    "as_integer",
    "as_json",
    "as_kind",
    "as_number",
    "as_optional_text",
    "as_path",
    "as_positive",
    "as_residency",
    "as_share",
    "as_text",
    "as_texts",
    "as_where",
    "is_listing",
    "is_masked",
]


def as_text(value: Any, argument: str, error: type[InvalidArgumentError] = InvalidArgumentError) -> str:
    """`value` if it is a `str` that UTF-8 can hold."""
    if not isinstance(value, str):
        raise invalid(argument, value, "a str", error)
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as reason:
            raise invalid(argument, value, "text without lone surrogates", error) from reason
    return value


def as_optional_text(value: Any, argument: str) -> str | None:
    """The same, or `None`; empty text counts as `None`."""
    if value is None:
        return None
    return as_text(value, argument) or None


def is_listing(values: Any) -> bool:
    """Whether values can be taken one after the other. What stands for one value is none, though it may look like it: a
    text, a mapping, an array without a dimension."""
    if isinstance(values, (list, tuple)):
        return True
    if isinstance(values, (str, bytes, Mapping)) or (isinstance(values, np.ndarray) and values.ndim == 0):
        return False
    return isinstance(values, Iterable)


def as_texts(values: Any, argument: str) -> list[str]:
    """A list of texts; a bare `str` is refused, because it is nearly always a mistake."""
    if (texts := _core.copy_texts(values)) is not None:
        return texts
    if not is_listing(values):
        raise invalid(argument, values, "a list of str")
    return [as_text(value, f"{argument}[{position}]") for position, value in enumerate(values)]


def as_integer(value: Any, argument: str, low: int, high: int) -> int:
    """An integer of `low` to `high`; booleans and floats are refused."""
    if type(value) is int and low <= value <= high:
        return value
    accepted = f"an integer of {low}-{high}"
    # Older versions of numpy take their own booleans for integers.
    if isinstance(value, (bool, np.bool_, np.ndarray)):
        raise invalid(argument, value, accepted)
    try:
        number = operator.index(value)
    except TypeError:
        raise invalid(argument, value, accepted) from None
    if not low <= number <= high:
        raise invalid(argument, number, accepted)
    return number


def as_path(value: Any, argument: str) -> bytes:
    """A path as the file system spells it."""
    try:
        encoded = b"" if isinstance(value, bytes) else os.fsencode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise invalid(argument, value, "a str or os.PathLike that the file system can encode") from error
    if not encoded or b"\0" in encoded:
        raise invalid(argument, value, "a non-empty str or os.PathLike without NUL")
    return encoded


def as_byte_limit(value: Any, argument: str) -> int:
    """A number of bytes from 1 on; `None` becomes 0, no limit."""
    return 0 if value is None else as_integer(value, argument, 1, 2**63 - 1)


def as_residency(max_bytes: Any, spill_directory: Any) -> tuple[int, bytes]:
    """`max_resident_bytes` and `spill_directory`, by default that for temporary files, which is looked for where
    there is a limit: a container may have none."""
    limit = as_byte_limit(max_bytes, "max_resident_bytes")
    if spill_directory is None:
        spill_directory = _temporary_directory() if limit else "."
    directory = as_path(spill_directory, "spill_directory")
    if limit:  # Files are made there later, when the process may work in another directory.
        with suppress(FileNotFoundError):  # whose own is gone: the core finds nothing there, and says so
            directory = os.path.abspath(directory)
    return limit, directory


def _temporary_directory() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError as error:
        accepted = "a directory in which files can be made; the system has none for temporary files"
        raise invalid("spill_directory", None, accepted) from error


def as_number(value: Any, argument: str, low: float, high: float) -> float:
    """A finite number of `low` to `high`."""
    accepted = f"a number of {low:g}-{high:g}"
    if isinstance(value, (bool, np.bool_, np.ndarray)) or not hasattr(value, "__float__"):
        raise invalid(argument, value, accepted)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):  # such as of an integer that no float can hold
        raise invalid(argument, value, accepted) from None
    if not math.isfinite(number) or not low <= number <= high:
        raise invalid(argument, value, accepted)
    return number


def as_share(value: Any, argument: str) -> float:
    """A number above 0 and at most 1."""
    return as_positive(value, argument, 1)


def as_positive(value: Any, argument: str, most: float) -> float:
    """A number above 0 and at most `most`."""
    try:
        number = as_number(value, argument, 0, most)
    except InvalidArgumentError:
        number = 0.0
    if number == 0:
        raise invalid(argument, value, f"a number above 0 and at most {most:g}")
    return number


def as_flag(value: Any, argument: str) -> bool:
    """A boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise invalid(argument, value, "True or False")
    return bool(value)


def as_choice(value: Any, argument: str, choices: Sequence[str]) -> int:
    """Position of `value` among `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise invalid(argument, value, " | ".join(choices))
    return choices.index(value)


def as_kind(value: Any, argument: str = "kind") -> int:
    """Position of a kind in `KINDS`."""
    return as_choice(value, argument, KINDS)


def is_masked(value: Any) -> bool:
    """Whether some of an array's values are masked: what lies under a mask is no value."""
    return (
        isinstance(value, np.ndarray)
        and type(value) is not np.ndarray
        and bool(np.any(getattr(value, "mask", False)))
    )


def as_array(value: Any, argument: str, accepted: str) -> NDArray[Any]:
    """`value` as numpy reads it.

    Raises:
        EmbeddingError: it cannot be read, or some of it is masked.
    """
    if is_masked(value):
        raise invalid(argument, "an array with masked values", accepted, EmbeddingError)
    try:
        return np.asarray(value)
    except Exception as error:  # such as that of a tensor that must not become an array
        raise invalid(argument, value, accepted, EmbeddingError) from error


def as_embedding(value: Any, argument: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """`value` as a C-ordered float32 array of `shape`; values are checked by the native core.

    Raises:
        EmbeddingError: not numeric, or of another shape.
    """
    accepted = f"float values of shape {shape}"
    array = as_array(value, argument, accepted)
    kind = array.dtype.kind
    # bfloat16 and its kin, which JAX and others have from ml_dtypes, pass for numpy's raw bytes.
    if kind not in "fiu" and not (kind == "V" and np.can_cast(array.dtype, np.float32)):
        raise invalid(argument, f"an array of {array.dtype}", accepted, EmbeddingError)
    if array.shape != shape:
        raise invalid(argument, f"an array of shape {array.shape}", accepted, EmbeddingError)
    with np.errstate(over="ignore"):  # what overflows becomes infinity, which the core refuses by name
        return np.ascontiguousarray(array, dtype=np.float32)


def as_json(value: Any, argument: str, error: type[InvalidArgumentError] = InvalidArgumentError) -> str:
    """The strict JSON text of an object; empty text for `None` or an empty object."""
    if value is None:
        return ""
    if not isinstance(value, Mapping):
        raise invalid(argument, value, "a dict", error)
    if not value:
        return ""
    _check_json(value, argument, error, MAX_JSON_DEPTH)
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=dict)
    return as_text(text, argument, error)


def _check_json(value: Any, place: str, error: type[InvalidArgumentError], depth: int) -> None:
    if depth == 0:
        raise invalid(place, value, f"at most {MAX_JSON_DEPTH} nested levels", error)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise invalid(place, key, "str keys", error)
            _check_json(item, f"{place}.{key}", error, depth - 1)
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            _check_json(item, f"{place}[{position}]", error, depth - 1)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise invalid(place, value, "finite numbers", error)
    elif isinstance(value, int) and not isinstance(value, bool):
        if not -(2**63) <= value < 2**64:
            raise invalid(place, value, "integers of at most 64 bits", error)
    elif value is not None and not isinstance(value, (str, bool)):
        raise invalid(place, value, "str, int, float, bool, None, list or dict", error)


def as_where(value: Any) -> str:
    """The JSON text of a `where` filter."""
    return as_json(value, "where", WhereError)
