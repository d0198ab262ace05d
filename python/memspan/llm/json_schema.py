"""A pydantic model as the kind of JSON schema that servers take for structured output."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from memspan.errors import invalid

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["schema_name", "strict_schema"]

_DROPPED: Final = frozenset({"title", "default", "minLength", "maxLength", "uniqueItems"})
"""Keywords that OpenAI's strict mode refuses, or that say nothing; pydantic checks what they mean afterwards."""


@lru_cache(maxsize=256)
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of `model` with every property required, no others allowed, and no references.

    The same object for the same model: not to be changed.

    Raises:
        InvalidArgumentError: a model that refers to itself; strict schemas cannot.
    """
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    strict: dict[str, Any] = _strict(schema, definitions, ())
    return strict


def schema_name(model: type[BaseModel]) -> str:
    """The name that goes with it: letters, digits, `_` and `-`."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", model.__name__)[:64]


def _strict(node: Any, definitions: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions, inside) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(reference := node.get("$ref"), str):
        name = reference.removeprefix("#/$defs/")
        if name in inside:
            raise invalid("schema", name, "a model that does not refer to itself")
        merged = {**definitions[name], **{key: value for key, value in node.items() if key != "$ref"}}
        return _strict(merged, definitions, (*inside, name))
    if isinstance(only := node.get("allOf"), list) and len(only) == 1:  # what older versions of pydantic wrap
        rest = {key: value for key, value in node.items() if key != "allOf"}
        return {**_strict(only[0], definitions, inside), **_strict(rest, definitions, inside)}
    strict = {
        key: value if key in ("enum", "const") else _strict(value, definitions, inside)
        for key, value in node.items()
        if key not in _DROPPED and key != "properties"
    }
    if isinstance(properties := node.get("properties"), dict):  # whose keys are names and no keywords
        strict["properties"] = {
            name: _strict(value, definitions, inside) for name, value in properties.items()
        }
        strict["required"] = list(properties)
        strict["additionalProperties"] = False
    return strict
