"""Methods that are answered natively look and behave like methods written in Python."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import gc
import inspect
import pickle
import pydoc
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from index_helpers import DIM, small_index, vector

import memspan

METHODS = [memspan.Index.search, memspan.Index.latest, memspan.Index.add, memspan.Query.__init__]
INDEX = small_index()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_introspection(method: Any) -> None:
    function = method.__wrapped__
    assert inspect.isfunction(function)
    assert inspect.signature(method) == inspect.signature(function)
    assert inspect.isroutine(method)
    assert inspect.getsource(method) == inspect.getsource(function)
    assert (method.__name__, method.__qualname__) == (function.__name__, function.__qualname__)
    assert (method.__module__, method.__doc__) == (function.__module__, function.__doc__)
    assert repr(method) == repr(function)
    assert method.__annotations__ == function.__annotations__
    assert pickle.loads(pickle.dumps(method)) is method
    assert copy.copy(method) is method
    assert copy.deepcopy(method) is method
    wrapper = functools.wraps(method)(lambda *args, **kwargs: method(*args, **kwargs))
    assert wrapper.__name__ == function.__name__


def test_signatures() -> None:
    bound = inspect.signature(INDEX.search)
    assert list(bound.parameters)[:3] == ["user", "text", "embedding"]
    assert bound.parameters["recall"].default == 0.995
    assert inspect.signature(memspan.Query).parameters == bound.parameters
    assert list(inspect.signature(memspan.Index.search).parameters) == ["self", *bound.parameters]


def test_help() -> None:
    shown = words_of_help(memspan.Index)
    assert "search( self, *, user: 'str', text: 'str None' = None" in shown
    assert "The best `k` records of a user, best first" in shown
    assert "latest( self, *, user: 'str', k: 'int' = 20" in words_of_help(memspan.Index.latest)


def words_of_help(thing: object) -> str:
    """From Python 3.13 on a long signature has a line for each parameter."""
    return " ".join(pydoc.plain(pydoc.render_doc(thing)).replace("|", " ").replace("(", "( ").split())


def test_every_way_to_call() -> None:
    expected = ["camp"]
    assert INDEX.search(user="ana", text="lake").ids == expected
    assert memspan.Index.search(INDEX, user="ana", text="lake").ids == expected
    search = INDEX.search
    assert search(user="ana", text="lake").ids == expected
    assert search.__self__ is INDEX
    assert functools.partial(INDEX.search, user="ana")(text="lake").ids == expected
    assert INDEX.search(**{"".join(("us", "er")): "ana", "te" + "xt"[:]: "lake"}).ids == expected

    class Special(memspan.Index):
        def search(self, **arguments: Any) -> memspan.Hits:
            return super().search(**arguments | {"k": 1})

    special = Special(DIM)
    for number in range(3):
        special.add(user="ana", id=f"m{number}", at=number)
    assert special.search(user="ana").ids == ["m2"]
    assert len(special.latest(user="ana")) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: INDEX.search("ana"), "positional"),
        (lambda: INDEX.search("ana", text="x"), "positional"),
        (lambda: INDEX.search(), "user"),
        (lambda: INDEX.search(text="x"), "user"),
        (lambda: INDEX.search(user="ana", texts="x"), "texts"),
        (lambda: INDEX.search(user="ana", **{"a key": 1}), "a key"),
        (lambda: INDEX.search(INDEX, user="ana"), "positional"),
        (lambda: INDEX.search(self=INDEX, user="ana"), "self"),
        (lambda: memspan.Index.search(user="ana"), "self"),
        (lambda: INDEX.latest("ana"), "positional"),
        (lambda: INDEX.latest(k=3), "user"),
        (lambda: INDEX.latest(user="ana", text="x"), "text"),
        (lambda: INDEX.add(user="ana", id="m"), "at"),
        (lambda: INDEX.add("ana", "m", 0), "positional"),
        (lambda: INDEX.add(user="ana", id="m", at=0, tag="x"), "tag"),
        (lambda: memspan.Query("ana"), "positional"),
        (lambda: memspan.Query(), "user"),
        (lambda: memspan.Query(user="ana", texts="x"), "texts"),
    ],
)
def test_wrong_keywords(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_what_is_no_index() -> None:
    for other in (object(), "ana", memspan.Query(user="ana"), memspan.Index.__new__(memspan.Index)):
        with pytest.raises(AttributeError):
            memspan.Index.search(other, user="ana")
        with pytest.raises(AttributeError):
            memspan.Index.add(other, user="ana", id="m", at=0)


def test_copies() -> None:
    query = memspan.Query(user="ana", text="lake")
    assert INDEX.search_many([copy.copy(query)])[0].ids == ["camp"]
    hits = INDEX.search(user="ana")
    for thing in (query, hits, hits[0]):
        with pytest.raises(TypeError):
            pickle.dumps(thing)
    for thing in (hits, hits[0]):
        assert copy.copy(thing) == thing
        with pytest.raises(TypeError):
            type(thing)()


# One call of every sort that can go wrong or right; none may keep anything.
USER, TEXT, VECTOR, TAGS = (
    "ana" + str(DIM),
    "camping by the lake" + str(DIM),
    vector(1),
    ["camping" + str(DIM)],
)
CALLS: list[Callable[[], Any]] = [
    lambda: INDEX.search(user=USER, text=TEXT, embedding=VECTOR, tags=TAGS, between=(0, 5)).ids,
    lambda: INDEX.search(user="ana", text="lake", embedding=VECTOR, explain=True)[0].explanation,
    lambda: list(INDEX.search(user="ana", where={"price": 10})),
    lambda: INDEX.search(user="ana").index(INDEX.search(user="ana")[0]),
    lambda: INDEX.search(user=USER, embedding=vector(0)),
    lambda: INDEX.search(user=USER, text=TEXT, k=0),
    lambda: INDEX.search(user=USER, tags=[*TAGS, 5]),
    lambda: INDEX.search(user=USER, tags=TAGS, text="\ud800"),
    lambda: INDEX.search(user=USER, views=["semantic"]),
    lambda: INDEX.search(user=USER, nothing=TAGS),
    lambda: INDEX.search(USER),
    lambda: INDEX.latest(user=USER, between=(5, 1)),
    lambda: memspan.Query(user=USER, embedding=VECTOR, tags=TAGS),
    lambda: memspan.Query(user=USER, embedding=VECTOR, tags=TAGS, k=-1),
    lambda: INDEX.search_many([memspan.Query(user=USER, embedding=VECTOR)] * 3),
    lambda: INDEX.search_many([memspan.Query(user=USER, embedding=np.ones(DIM + 1))] * 3),
    lambda: INDEX.add(
        user="ben", id=USER, at=5, text=TEXT, embedding=VECTOR, tags=TAGS, metadata={"a": TEXT}
    ),
    lambda: INDEX.add(user=USER, id="x" * 600, at=5, text=TEXT, tags=TAGS),
    lambda: INDEX.add_many(user="ben", ids=[USER], ats=[5], texts=[TEXT], tags=[TAGS]),
    lambda: INDEX.add_many(user="ben", ids=[USER], ats=[5], texts=[TEXT], tags=[[*TAGS, None]]),
]


@pytest.mark.parametrize("call", CALLS)
def test_no_reference_is_kept(call: Callable[[], Any]) -> None:
    def repeat(times: int) -> None:
        for _ in range(times):
            with contextlib.suppress(memspan.InvalidArgumentError, TypeError):
                call()

    things = [USER, TEXT, VECTOR, TAGS, TAGS[0], INDEX, INDEX._native, None.__class__]
    repeat(100)
    gc.collect()
    gc.freeze()  # what all other tests have left need not be searched again each time
    tracemalloc.start()
    try:
        repeat(50)
        # What a call keeps it keeps each time. A thread that reports the tests may keep something
        # once, and numpy keeps small blocks until it has enough of them.
        for _ in range(20):
            gc.collect()
            first = tracemalloc.get_traced_memory()[0]
            before = [sys.getrefcount(thing) for thing in things]
            repeat(150)
            gc.collect()
            held = [sys.getrefcount(thing) for thing in things] != before
            grown = tracemalloc.get_traced_memory()[0] - first
            if not held and grown < 1500:
                break
    finally:
        tracemalloc.stop()
    assert not held, "150 calls kept references"
    assert grown < 1500, "150 calls kept memory"


def test_arguments_that_another_thread_changes_meanwhile() -> None:
    index = memspan.Index(DIM)
    first, second = vector(1), vector(0, 1)
    for number in range(50):
        index.add(user="ana", id=f"a{number}", at=number, embedding=first)
        index.add(user="ana", id=f"b{number}", at=number, embedding=second)
    embedding, names, done = first.copy(), ["a0"], Event()

    def change() -> None:
        while not done.is_set():
            embedding[:] = second
            names[:] = [f"b{number}" for number in range(20)]
            embedding[:] = first
            names.clear()

    changer = Thread(target=change)
    changer.start()
    try:
        for number in range(2000):
            ids = index.search(user="ana", embedding=embedding, exclude=names, k=100).ids
            assert len(ids) in (100, 99, 80)
            index.add(user="ben", id=f"m{number % 7}", at=number, embedding=embedding, tags=names)
    finally:
        done.set()
        changer.join()
    tags = {tag.name for tag in index.tags(user="ben")}
    assert tags <= {"a0", *(f"b{number}" for number in range(20))}


STUB = Path(memspan.__file__).with_name("_core.pyi")


@pytest.mark.parametrize("kind", [memspan.Hit, memspan.Hits])
def test_the_stub_documents_answers_as_they_do(kind: type) -> None:
    classes = [
        node for node in ast.parse(STUB.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)
    ]
    (described,) = [node for node in classes if node.name == kind.__name__]
    told = {None: (ast.get_docstring(described), kind.__doc__)}
    for node in described.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            told[node.name] = (ast.get_docstring(node), getattr(kind, node.name).__doc__)
    assert len(told) > 5
    for name, (written, shown) in told.items():
        assert written, name
        assert " ".join(written.split()) == " ".join((shown or "").split()), name
