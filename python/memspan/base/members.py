"""Whether an object keeps to one of our protocols."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import getattr_static

__all__ = ["has_members"]


def has_members(value: object, names: Iterable[str]) -> bool:
    """Whether all of these exist, without evaluating properties: one may load a model or ask an endpoint.

    Never of a class: somebody forgot to make an object of it.
    """
    missing = object()
    return not isinstance(value, type) and all(
        getattr_static(value, name, missing) is not missing for name in names
    )
