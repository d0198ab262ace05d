"""Turns stay as they are; no model is needed."""

from .recipe import Recipe

RECIPE = Recipe(name="verbatim", summary="turns as they are, searchable at once, no model")
