"""kill -9 at any moment: what was acknowledged is there, what was not is there as a whole or not at all."""

from __future__ import annotations

import copy
import multiprocessing
import random
from pathlib import Path
from typing import Any

import pytest
from children import run_and_kill
from crash_writers import USERS, Operation, write_until_killed

from memspan.memory import Memory

State = dict[str, dict[str, Any]]


def apply(state: State, operation: Operation) -> None:
    """The plain-Python model of an operation."""
    user = state[operation["user"]]
    if operation["kind"] in ("add", "replace"):
        user["records"].update({id_: f"{operation['text']} of {id_}" for id_ in operation["ids"]})
    elif operation["kind"] == "forget":
        user["records"].pop(operation["ids"][0], None)
        if "t" not in {"t" for _ in user["records"]}:
            user["relations"] = {edge for edge in user["relations"] if "t" not in edge}
    elif operation["kind"] == "relate":
        user["relations"].add(("top", operation["text"]))


def observe(memory: Memory) -> State:
    with memory._engine.store.reading() as reader:
        return {
            user: {
                "records": {
                    record.id: record.text
                    for page in reader.scan(user, 500)
                    for record in page
                    if "version_of" not in record.metadata
                },
                "relations": {
                    (edge.parent, edge.child)
                    for edge in set(reader.relations(user)) - reader.made_relations(user)
                },
            }
            for user in USERS
        }


def check(path: Path, rounds: int) -> None:
    multiprocessing.get_context("forkserver").set_forkserver_preload(["memspan.memory"])
    chance = random.Random(rounds)
    state: State = {user: {"records": {}, "relations": set()} for user in USERS}
    acknowledged = interrupted = 0
    erased: set[str] = set()
    for round_ in range(rounds):
        before = copy.deepcopy(state)
        done, pending = run_and_kill(write_until_killed, path, round_, chance.random() * 0.08)
        for operation in done:
            apply(state, operation)
        acknowledged += len(done)
        possible = [state]
        if pending is not None:
            interrupted += 1
            possible.append(copy.deepcopy(state))
            apply(possible[1], pending)
        with Memory(path, "hash:16") as memory:
            found = observe(memory)
            assert found in possible, f"round {round_}"
            assert _problems(memory) == []
        state = found
        erased |= _erased(before, done, state)
    assert acknowledged > 0
    assert interrupted > 0
    _assert_erased(path, erased)


def _problems(memory: Memory) -> list[str]:
    """What `verify` finds, but for a snapshot that was put in place by a save that was killed before it could tell the
    store: that one is told of and not believed, which is what should become of it."""
    unbelieved = ("is not known to the store;", "belongs to another state of the store (differs in token);")
    return [
        problem
        for problem in memory.verify()
        if not (problem.startswith("snapshot ") and any(each in problem for each in unbelieved))
    ]


def _erased(before: State, done: list[Operation], after: State) -> set[str]:
    """Texts that were overwritten by a forget that was acknowledged."""
    state, gone = copy.deepcopy(before), set()
    for operation in done:
        if operation["kind"] == "forget":
            gone.add(state[operation["user"]]["records"].get(operation["ids"][0], ""))
        apply(state, operation)
    kept = {text for user in after.values() for text in user["records"].values()}
    return gone - kept - {""}


def _assert_erased(path: Path, texts: set[str]) -> None:
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert [text for text in sorted(texts) if text.encode() in content] == []


def test_kill_at_random_moments(path: Path) -> None:
    check(path, 12)


@pytest.mark.slow
def test_kill_at_random_moments_for_long(path: Path) -> None:
    check(path, 200)
