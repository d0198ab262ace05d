"""The JSON that a text holds: alone, among prose, several one after the other, with small mistakes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final

from memspan.errors import missing_extra

try:
    import json_repair
except ImportError as _error:
    raise missing_extra(_error.name or "json_repair", "OpenAIModel", "llm") from _error

from .unusable_reply import UnusableReply

__all__ = ["find_json"]

_OBJECT: Final = re.compile(r"\{\s*[\"'}]")
_LIST: Final = re.compile(r"\[\s*(?:\{\s*[\"'}]|\])")
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*("?)|[{}\[\]]', re.DOTALL)
_START: Final = re.compile(r"[\[{]")
_OPENS: Final = re.compile(r'[\[{,:](?=\s*")')
_CLOSES: Final = re.compile(r'"(?=\s*[,:\]}])')
_ESCAPE: Final = re.compile(r"\\.")
_WORD: Final = re.compile(r"\w+")
_REPAIRABLE: Final = 1 << 16
"""Characters; what is longer is not repaired but asked for again."""
_STRAY: Final = 200
"""Quotes inside of strings; the time of a repair grows with their square: 2,000 take 0.8 s."""


def find_json(
    text: str, is_meant: Callable[[Any], bool], *, lists: bool, known: Collection[str] | None = None
) -> tuple[list[Any], list[str]]:
    """The values in a text that are meant, at least one, and remarks on what had to be done to get at them.

    A field that stands twice in an object is joined when both are lists.

    Args:
        is_meant: of a value among prose; where none is, the last one is returned.
        lists: look for lists of objects, too; else for objects alone.
        known: names that fields may have in what is repaired; `None` for any.

    Raises:
        UnusableReply: no JSON, or some of it would be lost.
    """
    remarks: list[str] = []
    with suppress(ValueError, RecursionError):
        return [_load(text, remarks)], remarks
    found: list[Any] = []
    value: Any = None
    start = _next_start(text, 0, lists=lists, strict=False)
    if start < 0:
        raise UnusableReply("the answer holds no JSON object")
    around = "text around the JSON"
    while start >= 0:
        end = _end(text, start)
        if end < 0:
            raise UnusableReply("the answer ends in the middle of its JSON", cut=True)
        try:
            value = _load(text[start:end], remarks)
        except (ValueError, RecursionError):
            value, end, around = _repaired(text[start:], known), len(text), "JSON that had to be repaired"
        if is_meant(value):
            found.append(value)
        start = _next_start(text, end, lists=lists, strict=bool(found))
    return found or [value], [around, *remarks]


def _load(text: str, remarks: list[str]) -> Any:
    return json.loads(text, object_pairs_hook=partial(_object, remarks))


def _object(remarks: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no value is lost because its name stands twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name not in found:
            found[name] = value
        elif found[name] != value:
            if not (isinstance(found[name], list) and isinstance(value, list)):
                raise UnusableReply("an object has a field twice, with different values")
            found[name].extend(value)
            remarks[:] = ["a field that stands twice"]
    return found


def _next_start(text: str, start: int, *, lists: bool, strict: bool) -> int:
    """Where the next value starts, brackets of prose such as `{this}` and `[1]` left out; -1: nowhere.

    Args:
        strict: leave out what does not begin as JSON does, too.
    """
    passed = start
    for bracket in _START.finditer(text, start):
        at = bracket.start()
        if at < passed:
            continue
        if bracket[0] == "[":
            if lists and _LIST.match(text, at):
                return at
        elif _OBJECT.match(text, at):
            return at
        elif not strict:
            passed = text.find("}", at)
            if passed < 0 or text.find("{", at + 1, passed) >= 0:
                return at
    return -1


def _end(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`; -1 when the text ends before it."""
    open_brackets = []
    for mark in _MARK.finditer(text, start):
        first = mark[0][0]
        if first == '"':
            if not mark[1]:
                break
        elif first in "{[":
            open_brackets.append(first)
        elif open_brackets[-1] == ("{" if first == "}" else "["):
            open_brackets.pop()
            if not open_brackets:
                return mark.end()
    return -1


def _repaired(text: str, known: Collection[str] | None) -> Any:
    stray = text.count('"') - len(_OPENS.findall(text)) - len(_CLOSES.findall(text))
    if len(text) <= _REPAIRABLE and stray <= _STRAY:
        with suppress(ValueError, RecursionError):
            value = json_repair.loads(text)
            left_out = _words(text) - _words(json.dumps(value, ensure_ascii=False))
            # Of 'on Friday, 10:30' a repair may make a text and a field named "10".
            if not left_out and (known is None or all(name in known for name in _names(value))):
                return value
    raise UnusableReply("the answer is not valid JSON")


def _names(value: Any) -> Iterator[str]:
    """The names of all fields, however deep."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield from one
            left += one.values()
        elif isinstance(one, list):
            left += one


def _words(text: str) -> Counter[str]:
    """To see whether a repair lost some: repairing may mean leaving out."""
    words = _WORD.findall(_ESCAPE.sub(" ", text).lower())
    return Counter("null" if word == "none" else word for word in words)
