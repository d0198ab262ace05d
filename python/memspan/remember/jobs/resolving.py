"""What callers may give as recipe and as model."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from memspan.errors import invalid
from memspan.llm import LLM
from memspan.recipes import Recipe, recipe, recipe_names

__all__ = ["checked_llm", "checked_recipe"]


def checked_recipe(value: Any) -> Recipe:
    """The recipe that is meant by a name, or a recipe itself."""
    if isinstance(value, Recipe):
        return value
    if not isinstance(value, str) or value not in recipe_names():
        raise invalid("recipe", value, f"one of {', '.join(recipe_names())}, or a memspan.recipes.Recipe")
    return recipe(value)


def checked_llm(value: Any) -> Callable[[], LLM | None]:
    """Makes the model that is meant, when it is needed: a name is looked up only then."""
    if value is None or hasattr(value, "acomplete"):
        return lambda: value
    if not isinstance(value, str) or not value:
        raise invalid("llm", value, "the name of a model, or a client with `acomplete`")

    def resolve() -> LLM:
        found: LLM = import_module("memspan.llm.resolve").resolve_llm(value)
        return found

    return resolve
