"""Recipes: named compositions of stages, one file for each."""

from .reading import Reading
from .recipe import Recipe, recipe, recipe_names

__all__ = ["Reading", "Recipe", "recipe", "recipe_names"]
