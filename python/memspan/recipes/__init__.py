"""Recipes: named compositions of stages, one file for each."""

from .gathering import Gathering
from .reading import Reading
from .recipe import Recipe, recipe, recipe_names

__all__ = ["Gathering", "Reading", "Recipe", "recipe", "recipe_names"]
