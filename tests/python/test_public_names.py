"""What public calls take and return can be named by who calls them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

import pytest

import memspan
import memspan.actions
import memspan.embed
import memspan.evaluate
import memspan.evaluate.reading
import memspan.formats
import memspan.formats.questions
import memspan.lifecycle.procedures
import memspan.llm
import memspan.ranking
import memspan.recall
import memspan.recipes
import memspan.rerank
import memspan.simulate
import memspan.simulate.real
import memspan.store
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

OTHERS: tuple[ModuleType, ...] = (
    memspan.actions,
    memspan.evaluate,
    memspan.evaluate.reading,
    memspan.formats,
    memspan.formats.questions,
    memspan.lifecycle.procedures,
    memspan.rerank,
    memspan.simulate,
    memspan.simulate.real,
    memspan.store,
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


def _calls(owner: type) -> Iterator[tuple[str, object]]:
    """Our public methods of a class, and its constructor."""
    for name in dir(owner):
        if not name.startswith("_") or name in ("__init__", "__call__"):
            member = inspect.getattr_static(owner, name)
            member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if inspect.isfunction(member) and member.__module__.startswith("memspan"):
                yield name, member


def _annotated(module: ModuleType) -> Iterator[tuple[str, object]]:
    """What a module exports that has hints, by its name, and what these have."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            yield f"{module.__name__}.{name}", value
        if inspect.isclass(value):
            yield from ((f"{module.__name__}.{name}.{call}", method) for call, method in _calls(value))


@pytest.mark.parametrize("extras", [False, True])
def test_all_hints_can_be_read(extras: bool) -> None:
    """As by those who make a tool of a call for a language model, or validate what they get."""
    unread, read = {}, 0
    for module in (*PUBLIC, *OTHERS):
        for name, value in _annotated(module):
            read += 1
            try:
                get_type_hints(value, include_extras=extras)
            except Exception as error:
                unread[name] = repr(error)
    assert unread == {}
    assert read > 500


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


def test_a_wrong_call_is_told_in_the_callers_names(tmp_path: Path) -> None:
    """Of the classes that `Memory` is made of nobody has heard."""

    class Own(memspan.Memory):
        def mine(self) -> None: ...

    with Own(tmp_path / "a.memspan", "hash") as memory:
        with pytest.raises(TypeError, match=r"^Memory\.add\(\) .*'user'"):
            memory.add("text")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"^Memory\.search\(\) .*'limit'"):
            memory.search("text", user="ana", limit=3)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"^UserMemory\.consolidate\(\) .*'user'"):
            memory.user("ana").consolidate(user="ana")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"^Index\.relate\(\) "):
            memspan.Index(2).relate("indoors", "home")  # type: ignore[call-arg,misc]
        assert Own.mine.__qualname__.endswith("Own.mine")
        assert memory.asearch.__qualname__ == "Memory.asearch"
