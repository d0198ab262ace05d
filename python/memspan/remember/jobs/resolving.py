"""What callers may give as recipe and as model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from memspan.errors import invalid
from memspan.llm import LLM, resolve_llm
from memspan.recipes import Recipe, recipe, recipe_names

__all__ = ["Model", "checked_llm", "checked_recipe"]


class Model(NamedTuple):
    """A language model that may still have to be made."""

    make: Callable[[], LLM | None]
    own: bool
    """Whether it was made here, and so is to be closed here."""
    given: bool = True
    """Whether there is one to be made."""


def checked_recipe(value: Any) -> Recipe:
    """The recipe that is meant by a name, or a recipe itself."""
    if isinstance(value, Recipe):
        return value
    if not isinstance(value, str) or value not in recipe_names():
        raise invalid("recipe", value, f"one of {', '.join(recipe_names())}, or a memspan.recipes.Recipe")
    return recipe(value)


def checked_llm(value: Any) -> Model:
    """The model that is meant by a name, or one itself. A name is looked up when the model is first needed."""
    if isinstance(value, str):
        if not value:
            raise invalid("llm", value, "the name of a model")
        return Model(lambda: resolve_llm(value), own=True)
    model = resolve_llm(value)
    return Model(lambda: model, own=False, given=model is not None)
