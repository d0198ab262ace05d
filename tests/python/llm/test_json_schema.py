"""Schemas that servers take for structured output."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

import pytest
from pydantic import BaseModel, Field

from memspan.errors import InvalidArgumentError
from memspan.llm.json_schema import schema_name, strict_schema

T = TypeVar("T")


class Inner(BaseModel):
    title: str = Field(description="the title", min_length=1)
    default: int = Field(3, ge=0)


class Outer(BaseModel):
    """What to fill."""

    first: Inner = Field(description="the first")
    others: list[Inner] = Field([], max_length=4)
    kind: Literal["title", "default"] = "title"
    end: str | None = None


class Tree(BaseModel):
    children: list[Tree]


class Box(BaseModel, Generic[T]):
    value: T


def inner(**more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "the title"},
            "default": {"type": "integer", "minimum": 0},
        },
        "required": ["title", "default"],
        "additionalProperties": False,
        **more,
    }


def test_everything_is_required_nothing_else_allowed_and_nothing_referred_to() -> None:
    assert strict_schema(Outer) == {
        "type": "object",
        "description": "What to fill.",
        "properties": {
            "first": inner(description="the first"),
            "others": {"type": "array", "maxItems": 4, "items": inner()},
            "kind": {"type": "string", "enum": ["title", "default"]},
            "end": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["first", "others", "kind", "end"],
        "additionalProperties": False,
    }


def test_a_model_that_refers_to_itself_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Tree"):
        strict_schema(Tree)


def test_names_are_what_servers_take() -> None:
    assert schema_name(Outer) == "Outer"
    assert schema_name(Box[list[int]]) == "Box_list_int_"
