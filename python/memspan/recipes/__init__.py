"""Recipes: named compositions of stages, one file for each."""

from .recipe import Recipe, recipe, recipe_names

__all__ = ["Recipe", "recipe", "recipe_names"]
