"""What was forgotten is in no procedure, and in no file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from agent_sessions import cancel_order, session

from memspan.lifecycle.procedures import Mining
from memspan.memory import Memory


def bytes_on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file())


@pytest.mark.parametrize("word", ["kumquat", "zanzibar", "frobnicate"])
def test_forgetting_reaches_procedures(memory: Memory, path: Path, word: str) -> None:
    """In a request, in an argument that is always the same, in the name of a tool that was always used before."""
    for number in range(1, 7):
        others = [f"other_{number}_{i}" for i in range(8)]
        steps = ["frobnicate", *others[:4], ("start", {"place": "zanzibar"}), "go_on", "finish", *others[4:]]
        memory.add(session(f"s{number}", *steps, asked="Get a kumquat", day=number), user="ana")
    memory.learn_procedures("ana", settings=Mining(gap=0))
    (one,) = memory.procedures(user="ana")
    assert word in one.text
    assert word.encode() in bytes_on_disk(path)

    for number in range(1, 7):
        ids = {
            "kumquat": f"s{number}-asked",
            "zanzibar": f"s{number}-5-call",
            "frobnicate": f"s{number}-0-call",
        }
        memory.forget(user="ana", id=ids[word])
        memory.learn_procedures("ana", settings=Mining(gap=0))

    assert all(word not in one.text for one in memory.procedures(user="ana"))
    memory.close()
    assert word.encode() not in bytes_on_disk(path)


def test_a_forgotten_user_leaves_no_procedure(memory: Memory, path: Path) -> None:
    memory.add([cancel_order(number) for number in range(4)], user="ana")
    memory.learn_procedures("ana")

    memory.forget(user="ana")

    memory.close()
    assert b"cancel" not in bytes_on_disk(path)
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM records").fetchone() == (0,)
