"""From what a model wrote to a checked object: the JSON in it, made one object of, and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from memspan.errors import missing_extra

try:
    from pydantic import BaseModel, ValidationError
except ImportError as _error:
    raise missing_extra(_error.name or "pydantic", "OpenAIModel", "llm") from _error

from memspan.base.half_emoji import without_half_emoji
from memspan.limits import MAX_REPLY_VALUES

from .found_json import find_json
from .thoughts import without_thoughts
from .unusable_reply import UnusableReply
from .whole_reply import count_values

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

__all__ = ["UnusableReply", "read_object"]

M = TypeVar("M", bound="BaseModel")

_SURROGATE: Final = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
_SHOWN: Final = 5
_NO_SCHEMAS: Final = frozenset(("$defs", "properties", "default", "enum", "const", "examples", "required"))
"""Keywords of a schema whose values are none."""


def read_object(text: str, schema: type[M]) -> tuple[M, str | None]:
    """The object that `text` holds, and what had to be done to get at it (`None`: nothing).

    Thoughts before the answer, code fences and prose around it are left out. Where the schema has nothing but a list,
    a bare list is taken for it, and the lists of several objects are joined. JSON that ends before it is complete is
    never filled up; a repair that would leave out a word, or makes fields that the schema has not, a field with two
    values and several objects that cannot be joined are refused: what is missing would be lost in silence.
    O(n) for JSON among prose; a repair takes at most some 0.2 s, and what would take longer is refused, as is an
    answer of more than `MAX_REPLY_VALUES`, which takes a second.

    Raises:
        UnusableReply: no such object; its message says what is wrong, and quotes none of the values.
    """
    answer = without_thoughts(text.strip())
    if not answer:
        raise UnusableReply("the answer is empty")
    if count_values(answer) > MAX_REPLY_VALUES:
        raise UnusableReply(f"the answer holds more than {MAX_REPLY_VALUES:,} values")
    shape = _Shape.of(schema)
    values, remarks = find_json(
        answer, shape.is_meant, lists=shape.only_list is not None, known=_known_names(schema)
    )
    try:
        if _SURROGATE.search(answer):
            values = json.loads(without_half_emoji(json.dumps(values, ensure_ascii=False)))
        value = shape.as_one(values, remarks)
    except RecursionError:
        raise UnusableReply("the answer is nested too deeply") from None
    if not isinstance(value, dict):
        raise UnusableReply("the answer is not a JSON object")
    if shape.names and shape.names.isdisjoint(value):
        raise UnusableReply(f"the object has none of the fields {', '.join(sorted(shape.names))}")
    try:
        return schema.model_validate(value), "; ".join(dict.fromkeys(remarks)) or None
    except ValidationError as error:
        raise UnusableReply(_describe(error)) from None


@dataclass(frozen=True, slots=True)
class _Shape:
    """What of a schema tells which JSON is meant for it."""

    names: frozenset[str]
    """Of the fields."""
    only_list: str | None
    """By which name the only field is read when it is a list."""
    item_names: frozenset[str]
    """Of the fields of that list's items; none when these are no objects."""

    @classmethod
    def of(cls, schema: type[BaseModel]) -> _Shape:
        fields = schema.model_fields
        if len(fields) == 1:
            ((name, field),) = fields.items()
            if getattr(field.annotation, "__origin__", field.annotation) in (list, tuple):
                item = next(iter(get_args(field.annotation)), None)
                items = item.model_fields if isinstance(item, type) and issubclass(item, BaseModel) else {}
                return cls(_names(fields), field.alias or name, _names(items))
        return cls(_names(fields), None, frozenset())

    def is_meant(self, value: Any) -> bool:
        """Whether a value among prose is the answer, or a part of it."""
        if isinstance(value, list) and self.only_list is not None:
            return not value or self._are_objects(value) or any(self._is_item(one) for one in value)
        return isinstance(value, dict) and not self.names.isdisjoint(value)

    def as_one(self, values: list[Any], remarks: list[str]) -> Any:
        """The values as one object, of which `remarks` then tells.

        Raises:
            UnusableReply: they cannot be joined, or are not meant.
        """
        parts: list[Any] = []
        for value in values:
            if not isinstance(value, list) or self.only_list is None:
                new = [value]
            elif self._are_objects(value):
                new = value
            elif not self.is_meant(value):
                raise UnusableReply(f"the list has none of the fields {', '.join(sorted(self.item_names))}")
            else:
                new = [{self.only_list: value}]
                remarks.append("a bare list")
            parts += (one for one in new if [one] != parts[-1:])  # some models say everything twice
        if len(parts) == 1:
            return parts[0]
        remarks.append("several objects")
        joined: list[Any] = []
        for part in parts:
            items = part.get(self.only_list) if isinstance(part, dict) else None
            if not isinstance(items, list):
                raise UnusableReply("the answer holds several objects")
            joined += items
        return {self.only_list: joined}

    def _are_objects(self, values: list[Any]) -> bool:
        """Whether they are objects of the schema instead of items of its list."""
        return bool(values) and all(
            isinstance(one, dict) and isinstance(one.get(self.only_list), list) for one in values
        )

    def _is_item(self, value: Any) -> bool:
        return not self.item_names or (isinstance(value, dict) and not self.item_names.isdisjoint(value))


def _names(fields: Mapping[str, FieldInfo]) -> frozenset[str]:
    return frozenset(name for key, field in fields.items() for name in (key, field.alias) if name)


_SAYS: Final = frozenset(("$ref", "allOf", "anyOf", "const", "enum", "oneOf", "type"))
"""Keywords of which a schema has one unless it takes anything."""


@lru_cache(maxsize=256)
def _known_names(schema: type[BaseModel]) -> frozenset[str] | None:
    """Of the fields at all depths; `None` where an object of the schema may have any."""
    names: set[str] = set()
    left: list[Any] = [schema.model_json_schema()]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left += node
        elif isinstance(node, dict):
            fields = node.get("properties")
            if node.get("additionalProperties") or (node.get("type") == "object" and fields is None):
                return None
            parts = [*(fields or {}).values(), *([node["items"]] if "items" in node else [])]
            if not all(isinstance(part, dict) and _SAYS.intersection(part) for part in parts):
                return None
            names.update(fields or ())
            left += (fields or {}).values()
            left += (value for key, value in node.items() if key not in _NO_SCHEMAS)
            left += node.get("$defs", {}).values()
    return frozenset(names)


def _describe(error: ValidationError) -> str:
    """Where and what, without the values: they are somebody's memories."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [
        f"{'.'.join(str(part)[:40] for part in one['loc']) or 'the object'}: {one['msg'][:80]}"
        for one in problems[:_SHOWN]
    ]
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return "; ".join(shown) + more
