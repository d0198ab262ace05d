"""What the replies of models are made of: fields that forgive what does no harm, so that one odd value in a list does
not cost the rest of the reply. What is empty in the end, stages drop and note.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, Final, TypeVar

from memspan.base.half_emoji import without_half_emoji
from memspan.errors import missing_extra

try:
    from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
except ImportError as error:
    raise missing_extra("pydantic", "a stage that asks a language model", "llm") from error
from pydantic_core import PydanticUseDefault

from memspan.encode.written_numbers import written_numbers

__all__ = [
    "AliasChoices",
    "BeforeValidator",
    "Field",
    "Flag",
    "Items",
    "Number",
    "Numbers",
    "ReplyModel",
    "SomeItems",
    "Text",
    "Texts",
    "is_no",
    "model_validator",
]

T = TypeVar("T")
_FIRST_WORD: Final = re.compile(r"\w+(?:\.\w+)*")
_BETWEEN: Final = re.compile(r"[,;\n\uff0c\uff1b\u3001\u060c](?:\s*[-*\u2022]\s)?|^\s*[-*\u2022]\s")
_KINDS: Final = frozenset(("category", "kind", "type"))
_NO: Final = frozenset(("false", "no", "not", "0", "none", "null"))


class ReplyModel(BaseModel):
    """Base of the replies; fields that nobody asked for are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _text(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return without_half_emoji(" ".join(_pieces(value)))
    return "" if value is None else without_half_emoji(str(value))


def _pieces(value: Any) -> Iterator[str]:
    """The texts and numbers in lists and objects, however deep, in order."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, (list, dict)):
            left += reversed(one if isinstance(one, list) else list(one.values()))
        elif isinstance(one, (str, int, float)) and not isinstance(one, bool):
            yield str(one)


def _texts(value: Any) -> list[str]:
    items = list(value.values()) if isinstance(value, dict) else [value]
    texts = (_name_of(one) for item in items for one in _listed(item))
    return [without_half_emoji(text) for text in texts if isinstance(text, str)]


def _name_of(item: Any) -> Any:
    """What an object is called that stands in place of a name, such as `{"name": "Ana", "type": "person"}`."""
    if not isinstance(item, dict):
        return item
    said = {key: value for key, value in item.items() if isinstance(value, str) and key not in _KINDS}
    return said.get("name", next(iter(said.values()), None))


def _listed(item: Any) -> list[Any]:
    """The items of a list, also of one that is written as text: "camping, hiking", or as JSON once more."""
    if not isinstance(item, str):
        return item if isinstance(item, list) else [item]
    if item.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return list(json.loads(item))
    marks = " \t'\"[]" if item.lstrip().startswith("[") else None
    return [text for part in _BETWEEN.split(item) if (text := part.strip(marks))]


def _numbers(value: Any) -> list[int]:
    items = value if isinstance(value, list) else [value]
    return [number for item in items for number in _numbers_in(item)]


def _numbers_in(item: Any) -> list[int]:
    if isinstance(item, bool) or not isinstance(item, (str, int, float)):
        return []
    if isinstance(item, str):
        return written_numbers(item)
    return [int(item)] if abs(item) < 1e9 else []


def _flag(value: Any) -> bool:
    """Whatever does not begin with a no ("not found", "No.") is a yes: an answer that is there is not lost by an odd
    word beside it."""
    if value is None:
        raise PydanticUseDefault
    return not is_no(value)


def is_no(value: Any) -> bool:
    """Whether a truth value is there and says no, in whatever words."""
    if isinstance(value, str):
        first = _FIRST_WORD.search(value.lower())
        return first is not None and first[0] in _NO
    return value is not None and not value


def _is_item(value: Any) -> bool:
    return isinstance(value, (dict, ReplyModel))


def _items(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [item if _is_item(item) else {} for item in items]


def _some_items(value: Any) -> Any:
    return _items(value) if isinstance(value, list) and any(map(_is_item, value)) else value


Text = Annotated[str, BeforeValidator(_text)]
"""Text; nothing is empty text, and one in pieces is put together."""
Texts = Annotated[list[str], BeforeValidator(_texts)]
"""A list of texts, also where they stand in groups, or in one text between commas; what is no text is left out."""
Number = Annotated[int, BeforeValidator(lambda value: next(iter(_numbers(value)), 0))]
"""The first number; 0, which nothing has, when there is none."""
Numbers = Annotated[list[int], BeforeValidator(_numbers)]
"""A list of numbers, also where they are written as text ("turn 3", "1-4"); what holds none is left out."""
Flag = Annotated[bool, BeforeValidator(_flag)]
"""A truth value that has a default, which nothing stands for."""
Items = Annotated[list[T], BeforeValidator(_items)]
"""A list of objects; what is none is an empty one."""
SomeItems = Annotated[list[T], BeforeValidator(_some_items)]
"""The same where it is all of a reply: it is there, and one that holds something holds an object."""
