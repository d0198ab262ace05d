"""What public calls take and return can be named by who calls them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import get_type_hints

import pytest

import memspan
import memspan.embed
import memspan.evaluate
import memspan.llm
import memspan.ranking
import memspan.recall
import memspan.recipes
import memspan.simulate.real
import memspan.vault

PUBLIC: tuple[ModuleType, ...] = (
    memspan,
    memspan.embed,
    memspan.llm,
    memspan.ranking,
    memspan.recall,
    memspan.recipes,
    memspan.vault,
)


JSON_NAMES = {"as_dict", "as_json", "document", "to_dict", "to_json"}


def classes_named_by(owner: type) -> Iterator[str]:
    """Our classes that stand in the annotations of its public methods."""
    defined = {
        name
        for module in [each for key, each in sys.modules.items() if key.startswith("memspan.")]
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__.startswith("memspan.")
    }
    for name, method in inspect.getmembers(owner, inspect.isfunction):
        if name == "__init__" or not name.startswith("_"):
            for annotation in inspect.get_annotations(method).values():
                yield from defined & {*re.findall(r"\w+", str(annotation))}


@pytest.mark.parametrize("owner", [memspan.Memory, memspan.UserMemory, memspan.Index])
def test_the_classes_in_signatures_are_public(owner: type) -> None:
    for name in memspan.__all__:
        getattr(memspan, name)  # those that are loaded when they are named are among the classes then
    named = {*classes_named_by(owner)}
    assert named
    assert {name for name in named if not any(name in module.__all__ for module in PUBLIC)} == set()


# Their annotations name classes that are loaded when somebody wants them.
LOADED_LATER = {"compress", "consolidate", "learn_procedures", "sleep_log", "user", "vault"}


@pytest.mark.parametrize("owner", [memspan.Memory, memspan.UserMemory, memspan.Index])
def test_the_hints_of_calls_can_be_read(owner: type) -> None:
    """As by those who make a tool of a call for a language model."""
    for name in dir(owner):
        if not name.startswith("_") and name not in LOADED_LATER and name[1:] not in LOADED_LATER:
            call = getattr(owner, name)
            if callable(call):
                assert "return" in get_type_hints(call), name


def test_every_public_name_is_there_and_listed() -> None:
    for module in PUBLIC:
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert {*module.__all__} <= {*dir(module)}


def test_what_can_be_had_as_json_is_had_by_one_name() -> None:
    found = set()
    for module in (*PUBLIC, memspan.evaluate, memspan.simulate.real):
        for value in [getattr(module, name) for name in module.__all__]:
            if isinstance(value, type):
                found |= {f"{value.__name__}.{name}" for name in dir(value) if name in JSON_NAMES}
    assert "Quotas.to_dict" in found
    assert {name for name in found if not name.endswith(".to_dict")} == set()
