"""Strict JSON: what the standard decoder lets pass (NaN, infinities, overflowing numbers) is refused here."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from ..errors import FormatError
from .place import Place, describe

__all__ = ["decode_json", "decode_utf8"]


def decode_utf8(data: bytes, file: str, first_line: int) -> str:
    """Decode UTF-8.

    Raises:
        FormatError: naming the line of the first byte that is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise FormatError(
            f"{Place(file, line)}: not UTF-8: {error.reason} (byte 0x{data[error.start]:02x})"
        ) from error


def decode_json(text: str, file: str, first_line: int) -> Any:
    """Decode one JSON value. A key that occurs twice in an object keeps its last value.

    Raises:
        FormatError: the text is not JSON, is nested too deeply, or holds a number that is not finite.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = Place(file, first_line + error.lineno - 1)
        raise FormatError(f"{place}: not JSON: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise FormatError(f"{Place(file, first_line)}: JSON nested too deeply") from error
    except ValueError as error:
        # From the hooks below, and from integers longer than the interpreter converts.
        raise FormatError(f"{Place(file, first_line)}: not JSON: {error}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {describe(digits)} is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
