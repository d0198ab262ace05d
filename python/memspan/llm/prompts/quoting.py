"""Data inside prompts: JSON lines between delimiters that no data can contain."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from memspan.errors import invalid

__all__ = ["quoted"]

# What would end the data, start a control token of some model (`<|im_end|>`, `[INST]`), break a line, or be invisible.
_UNSAFE: Final = re.compile(
    "[<>\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
    r"|\[(?=/?[A-Z_]+\])"
)


def quoted(name: str, value: Any) -> str:
    """`value` as JSON between `<name>` and `</name>`: a line for each item of a sequence, one line for anything else.

    The lines hold no `<`, so that no text can end the data before its time; they read back as the same values with any
    JSON parser. O(n).

    Raises:
        InvalidArgumentError: a value that JSON has no form for.
    """
    many = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    lines = [_line(name, item) for item in (value if many else (value,))]
    return "\n".join((f"<{name}>", *lines, f"</{name}>"))


def _line(name: str, item: Any) -> str:
    try:
        text = json.dumps(item, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid(f"data[{name!r}]", type(item), f"JSON-able values ({error})") from error
    return _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return json.dumps(character)[1:-1] if ord(character) > 0xFFFF else f"\\u{ord(character):04x}"
