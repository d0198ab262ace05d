"""From what a model wrote to a checked object: strict JSON first, then JSON among prose, then repair."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memspan.errors import missing_extra

try:
    import json_repair
    from pydantic import ValidationError
except ImportError as _error:
    raise missing_extra(_error.name or "pydantic", "OpenAIModel", "llm") from _error

from memspan.half_emoji import without_half_emoji

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["UnusableReply", "read_object"]

M = TypeVar("M", bound="BaseModel")

_THOUGHTS_END: Final = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OBJECT: Final = re.compile(r"\{\s*[\"'}]")
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*("?)|[{}\[\]]', re.DOTALL)
_OPENS: Final = re.compile(r'[\[{,:](?=\s*")')
_CLOSES: Final = re.compile(r'"(?=\s*[,:\]}])')
_SURROGATE: Final = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\.")
_WORD: Final = re.compile(r"\w+")
_REPAIRABLE: Final = 1 << 16
"""Characters; what is longer is not repaired but asked for again."""
_STRAY: Final = 200
"""Quotes inside of strings; the time of a repair grows with their square: 2,000 take 0.8 s."""
_SHOWN: Final = 5
_REASON: Final = 300


class UnusableReply(Exception):  # noqa: N818 - not an error yet: the model is asked to correct it
    """What a model wrote is not the object that was asked for.

    Attributes:
        cut: it ends in the middle of its JSON.
    """

    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason[:_REASON])
        self.cut = cut


def read_object(text: str, schema: type[M]) -> tuple[M, str | None]:
    """The object that `text` holds, and what had to be done to get at it (`None`: nothing).

    Thoughts before the answer, code fences and prose around it are left out; a bare list is taken for the only list
    of the schema. JSON that ends before it is complete is never filled up, and a repair that would leave out a word is
    refused: what is missing would be lost in silence.
    O(n) for JSON among prose; a repair takes at most some 0.2 s, and what would take longer is refused.

    Raises:
        UnusableReply: no such object; its message says what is wrong, and quotes none of the values.
    """
    answer = _without_thoughts(text.strip())
    if not answer:
        raise UnusableReply("the answer is empty")
    value, remark = _find_json(answer, schema)
    if _SURROGATE.search(answer):
        try:
            value = json.loads(without_half_emoji(json.dumps(value, ensure_ascii=False)))
        except RecursionError:
            raise UnusableReply("the answer is nested too deeply") from None
    if isinstance(value, list) and (name := _only_list(schema)) is not None:
        value, remark = {name: value}, "a bare list"
    if not isinstance(value, dict):
        raise UnusableReply("the answer is not a JSON object")
    known = {name for key, field in schema.model_fields.items() for name in (key, field.alias) if name}
    if known and known.isdisjoint(value):
        raise UnusableReply(f"the object has none of the fields {', '.join(sorted(known))}")
    try:
        return schema.model_validate(value), remark
    except ValidationError as error:
        raise UnusableReply(_describe(error)) from None


def _without_thoughts(text: str) -> str:
    """What follows the thoughts; some servers leave out the tag that opens them. JSON that speaks of the tag is left
    alone."""
    end = _THOUGHTS_END.search(text)
    return text if end is None or text.startswith(("{", "[", "```")) else text[end.end() :].lstrip()


def _find_json(answer: str, schema: type[BaseModel]) -> tuple[Any, str | None]:
    try:
        return json.loads(answer), None
    except (ValueError, RecursionError):
        pass
    start = _first_object(answer, 0)
    if start < 0:
        raise UnusableReply("the answer holds no JSON object")
    while start >= 0:
        end = _end_of_object(answer, start)
        if end < 0:
            raise UnusableReply("the answer ends in the middle of its JSON", cut=True)
        try:
            value = json.loads(answer[start:end])
        except (ValueError, RecursionError):
            return _repaired(answer[start:]), "JSON that had to be repaired"
        if not schema.model_fields.keys().isdisjoint(value):
            return value, "text around the JSON"
        start = _first_object(answer, end)
    return value, None


def _first_object(answer: str, start: int) -> int:
    """Where the next object starts, braces of prose such as `{this}` left out; -1: nowhere."""
    start = answer.find("{", start)
    while start >= 0 and not _OBJECT.match(answer, start):
        close = answer.find("}", start)
        if close < 0 or answer.find("{", start + 1, close) >= 0:
            break
        start = answer.find("{", close)
    return start


def _end_of_object(answer: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`; -1 when the text ends before it."""
    open_brackets = []
    for mark in _MARK.finditer(answer, start):
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


def _repaired(text: str) -> Any:
    stray = text.count('"') - len(_OPENS.findall(text)) - len(_CLOSES.findall(text))
    if len(text) <= _REPAIRABLE and stray <= _STRAY:
        with suppress(ValueError, RecursionError):
            value = json_repair.loads(text)
            if not _words(text) - _words(json.dumps(value, ensure_ascii=False)):
                return value
    raise UnusableReply("the answer is not valid JSON")


def _words(text: str) -> Counter[str]:
    """To see whether a repair lost some: repairing may mean leaving out."""
    words = _WORD.findall(_ESCAPE.sub(" ", text).lower())
    return Counter("null" if word == "none" else word for word in words)


def _only_list(schema: type[BaseModel]) -> str | None:
    lists = [
        name
        for name, field in schema.model_fields.items()
        if getattr(field.annotation, "__origin__", field.annotation) in (list, tuple)
    ]
    return lists[0] if len(lists) == 1 == len(schema.model_fields) else None


def _describe(error: ValidationError) -> str:
    """Where and what, without the values: they are somebody's memories."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [
        f"{'.'.join(str(part)[:40] for part in one['loc']) or 'the object'}: {one['msg'][:80]}"
        for one in problems[:_SHOWN]
    ]
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return "; ".join(shown) + more
