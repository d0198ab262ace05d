"""The arguments of a call without what only this call had: their shape, their short values, their text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from memspan.base.half_emoji import without_half_emoji

from .action import Scalar
from .paired import hidden_keys, hidden_places
from .secret import HIDDEN, is_secret, without_secrets

__all__ = ["call_text", "shape_of", "values_of"]

_DEEPEST: Final = 3
_MOST: Final = 32
_NAME_CHARS: Final = 64
_VALUE_CHARS: Final = 80
_SHOWN_CHARS: Final = 4_000
_LONGEST_JSON: Final = 100_000
"""Characters of a text that is read as JSON."""
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")


def shape_of(arguments: Any) -> dict[str, str]:
    """A type for each argument: `text`, `number`, `flag`, `date`, `list`, `object` or `null`; those of objects by
    dotted names, three levels deep. At most 32."""
    return {name: _type_of(value) for name, value in _leaves(arguments)}


def values_of(arguments: Any) -> dict[str, Scalar]:
    """The values of at most 80 characters, by the same names. Those whose names speak of passwords, keys or tokens, and
    texts that hold some, are left out."""
    return {
        name: value
        for name, value in _leaves(arguments, hidden=False)
        if isinstance(value, (str, int, float)) and not is_secret(name, value) and _fits(value)
    }


def call_text(name: str, arguments: Any) -> str:
    """`name(key="value", count=3)`: a call as it is read and searched. Secrets show as `***`, and a value of more than
    4,000 characters is cut: a memory of what was done needs no copy of a file that was written."""
    if arguments is None or arguments == "":
        return f"{name}()"
    try:
        if isinstance(arguments, Mapping):
            hidden = hidden_keys(arguments)
            parts = [
                f"{_clean(key)}={_shown(key, HIDDEN if key in hidden else value)}"
                for key, value in arguments.items()
            ]
            return f"{name}({', '.join(parts)})"
        return f"{name}({_shown('', arguments)})"
    except (ValueError, RecursionError):  # nested too deeply, or in itself
        return f"{name}(…)"


def _leaves(arguments: Any, *, hidden: bool = True) -> Iterator[tuple[str, Any]]:
    """The arguments by dotted names; without `hidden` those are left out that another one names as secrets."""
    return islice(_walk(arguments, "", 1, hidden), _MOST)


def _walk(arguments: Any, prefix: str, depth: int, hidden: bool) -> Iterator[tuple[str, Any]]:
    if not isinstance(arguments, Mapping):
        return
    left_out = frozenset() if hidden else hidden_keys(arguments)
    for key, value in arguments.items():
        if key in left_out:
            continue
        name = f"{prefix}{_clean(key)[:_NAME_CHARS]}"
        if isinstance(value, Mapping) and value and depth < _DEEPEST:
            yield from _walk(value, f"{name}.", depth + 1, hidden)
        elif name:
            yield name, value


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "date" if _DATE.fullmatch(value) else "text"
    return "object" if isinstance(value, Mapping) else "list"


def _fits(value: Scalar) -> bool:
    if isinstance(value, str):
        return len(value) <= _VALUE_CHARS and value == _clean(value) == _without_secrets(value)
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    return math.isfinite(value)


def _shown(key: Any, value: Any) -> str:
    text = _json(_masked(key, value))
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}… ({len(text):,} characters)"


def _masked(key: Any, value: Any, *, inside: bool = False) -> Any:
    """The value with the secrets inside hidden."""
    if is_secret(str(key), value):
        return HIDDEN
    if isinstance(value, Mapping):
        hidden = hidden_keys(value)
        return {str(name): HIDDEN if name in hidden else _masked(name, item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        places = hidden_places(value, inside=inside)
        return [
            HIDDEN if place in places else _masked("", item, inside=True) for place, item in enumerate(value)
        ]
    return _without_secrets(value) if isinstance(value, str) else value


def _without_secrets(text: str) -> str:
    """Also of JSON that is written as text once more, such as the body of a request."""
    shown = without_secrets(text)
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST_JSON:
        return shown
    try:
        read = json.loads(text)
        masked = _masked("", read)
        return shown if masked == read else without_secrets(json.dumps(masked, ensure_ascii=False))
    except (ValueError, RecursionError):
        return shown


def _json(value: Any) -> str:
    return _clean(json.dumps(value, ensure_ascii=False, default=str))


def _clean(key: Any) -> str:
    """Text that UTF-8 can hold; half emoji become U+FFFD."""
    text = key if isinstance(key, str) else str(key)
    return without_half_emoji(text)
