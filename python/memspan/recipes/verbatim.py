"""Turns stay as they are; no model is needed."""

from .reading import Reading
from .recipe import Recipe

RECIPE = Recipe(
    name="verbatim",
    summary="turns as they are, searchable at once, no model",
    read=Reading(plan="rules", tokens=600),  # a model is needed for answers only, once for each
)
