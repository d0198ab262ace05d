"""Secrets whose names stand beside them: in a field of their own, or before them in a list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from .secret import is_secret

__all__ = ["hidden_keys", "hidden_places"]

_NAMES: Final = frozenset({
    "field", "header", "id", "key", "label", "name", "option", "param", "parameter", "property", "setting", "type",
    "variable",
})  # fmt: skip
_VALUES: Final = frozenset({"val", "value"})
_INPUTS: Final = frozenset(
    {"css", "element", "id", "label", "locator", "placeholder", "selector", "type", "xpath"}
)
"""What names a field of a page or form that something is typed into: `#password`, "Password input"."""
_TYPED: Final = frozenset({"keys", "text", "val", "value"})
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LONGEST: Final = 128
_IDENTIFIER: Final = re.compile(r"\s*[\w.:$/-]{1,128}\s*")
"""A name of something, and no title such as "Password policy"."""


def hidden_keys(entry: Mapping[Any, Any]) -> frozenset[Any]:
    """The keys whose values are secret by another field, as in `{"name": "DB_PASSWORD", "value": "…"}`, or are typed
    into one that is for a secret, as in `{"selector": "#password", "text": "…"}`. O(fields)."""
    names, values, inputs, typed = [], [], [], []
    for key in entry:
        words = _WORD.findall(key) if isinstance(key, str) and len(key) <= _LONGEST else []
        word = words[-1].lower() if words else ""
        if word in _NAMES:
            names.append(key)
        elif word in _INPUTS:
            inputs.append(key)
        if word in _VALUES:
            values.append(key)
        if word in _TYPED:
            typed.append(key)
    hidden = {
        value
        for value in values
        if any(is_secret(name, entry[name]) or _names(entry[name], entry[value]) for name in names)
    }
    hidden |= {text for text in typed if any(_asks_for(entry[name], entry[text]) for name in inputs)}
    return frozenset(hidden)


def hidden_places(entries: Sequence[Any], *, inside: bool = False) -> frozenset[int]:
    """The places in a list that hold secrets: behind an option, as in `["--password", "…"]`, and in a list of pairs
    (`inside` is one) behind a name, as in `[["X-Api-Key", "…"]]`. O(length)."""
    places = {
        place
        for place, (name, value) in enumerate(pairwise(entries), 1)
        if isinstance(name, str) and name.startswith("-") and _names(name, value)
    }
    if inside and len(entries) == 2 and _names(*entries):
        places.add(1)
    return frozenset(places)


def _asks_for(field: Any, value: Any) -> bool:
    return isinstance(field, str) and len(field) <= _LONGEST and is_secret(field.strip(), value)


def _names(name: Any, value: Any) -> bool:
    if not isinstance(name, str) or (isinstance(value, str) and value.startswith("--")):
        return False
    return _IDENTIFIER.fullmatch(name) is not None and is_secret(name.strip(), value)
