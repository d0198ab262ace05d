"""How the index of a memory keeps its vectors: a setting of the store that may change."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memspan import errors
from memspan.memory import Memory

Open = Callable[..., Memory]


def fill(memory: Memory) -> None:
    memory.add([{"id": f"m{i}", "text": f"text {i} word{i % 7}"} for i in range(40)], user="ana")


def ids(memory: Memory) -> list[str]:
    return [found.id for found in memory.search("text 17", user="ana", k=5)]


def test_it_is_float32_unless_something_else_is_said(open_memory: Open) -> None:
    assert open_memory().stats()["row_format"] == "float32"


def test_it_stays_with_the_store_until_it_is_changed(
    open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory(row_format="bfloat16")
    fill(memory)
    answers = ids(memory)
    kept = memory.get(user="ana", id="m17")
    memory.close()

    memory = open_memory()
    assert memory.stats()["row_format"] == "bfloat16"
    assert ids(memory) == answers
    assert memory.verify() == []
    assert not caplog.records
    memory.close()

    with caplog.at_level(logging.WARNING):
        memory = open_memory(row_format="float32")
    assert "keeps vectors as bfloat16, not float32" in caplog.text
    caplog.clear()
    assert memory.stats()["row_format"] == "float32"
    assert ids(memory) == answers
    assert memory.verify() == []
    memory.close()

    # The file has the vectors as they were given, whatever the index makes of them.
    memory = open_memory()
    assert memory.stats()["row_format"] == "float32"
    again = memory.get(user="ana", id="m17")
    assert kept is not None
    assert again is not None
    np.testing.assert_array_equal(again.embedding, kept.embedding)
    assert path.with_name(path.name + ".index").exists()
    assert not caplog.records


def test_bad_formats_are_refused_before_a_file_is_made(open_memory: Open, path: Path) -> None:
    for bad in ("", "float16", 16, b"bfloat16"):
        with pytest.raises(errors.InvalidArgumentError, match="^row_format"):
            open_memory(row_format=bad)
    assert not path.exists()
