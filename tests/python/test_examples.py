"""The examples in docstrings do what they say, on a store with one memory, without a model."""

from __future__ import annotations

import doctest
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import ScriptedLLM

import memspan
from memspan.recall import Plan

SHOWN = {
    "Memory": memspan.Memory,
    "Memory.add": memspan.Memory.add,
    "Memory.search": memspan.Memory.search,
    "Memory.context": memspan.Memory.context,
    "Memory.ask": memspan.Memory.ask,
    "Plan": Plan,
    "Index": memspan.Index,
    "Index.search": memspan.Index.search,
    "Query": memspan.Query,
}

Names = dict[str, Any]


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ScriptedLLM) -> Iterator[Names]:
    """What the examples find there: `memspan`, `memory` and `index`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server.reply("answer", {"answer": "Bergen.", "sources": [1], "enough": True})
    with memspan.Memory("agent.memspan", "hash") as memory:
        memory.add(
            [{"id": "m1", "role": "user", "content": "I moved to Bergen.", "at": "2024-04-02"}], user="ana"
        )
        index = memspan.Index(dim=2)
        index.add(
            user="ana", id="m1", at="2024-05-19", text="The bill was 640 euros.", metadata={"city": "Houten"}
        )
        yield {"memspan": memspan, "memory": memory, "index": index}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_does_what_it_says(name: str, names: Names) -> None:
    if name == "Memory.ask":
        pytest.importorskip("openai")
    shown: Callable[..., Any] = SHOWN[name]
    text = shown.__doc__
    if text is None:
        pytest.skip("no docstrings are here (python -OO)")
    # The store in the examples is filled by the default model, which is not everywhere.
    text = text.replace('Memory("agent.memspan"', 'Memory("agent.memspan", "hash"')
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert example.examples, name
    said = io.StringIO()
    failed = doctest.DocTestRunner().run(example, out=said.write, clear_globs=False).failed
    example.globs["memory"].close()
    assert failed == 0, said.getvalue()
