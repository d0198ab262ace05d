"""What the child processes of the crash tests run."""

from __future__ import annotations

import json
import os
import random
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from memspan.memory import Memory

USERS = ("ana", "ben")
Operation = dict[str, Any]


def next_operation(chance: random.Random, name: str, step: int) -> Operation:
    """A random change; names and texts tell which step made them."""
    user = chance.choice(USERS)
    kind = chance.choices(["add", "replace", "forget", "relate", "reopen", "tag"], [10, 4, 1, 2, 1, 1])[0]
    ids = [f"{name}-{step}-{i}" for i in range(chance.choice([1, 1, 3, 40]))]
    if kind == "replace":
        ids = [f"shared-{chance.randrange(5)}"]
    if kind == "forget":
        ids = [f"shared-{chance.randrange(5)}"]
    return {"kind": kind, "user": user, "ids": ids, "text": f"mark{name}x{step}x"}


def carry_out(memory: Memory, operation: Operation) -> None:
    """Apply an operation to a memory."""
    user, text = operation["user"], operation["text"]
    if operation["kind"] in ("add", "replace"):
        memory.add(
            [{"id": id_, "text": f"{text} of {id_}", "tags": ["t"], "at": 0} for id_ in operation["ids"]],
            user=user,
        )
    elif operation["kind"] == "forget":
        memory.forget(user=user, id=operation["ids"][0])
    elif operation["kind"] == "relate":
        memory.relate(user=user, parent="top", child=text)
    elif operation["kind"] == "tag":
        memory.tag(user)


def write_until_killed(path: Path, acknowledgements: int, name: str, seed: int) -> None:
    """Tell every operation before it starts and after it is acknowledged, through a pipe that outlives the process."""
    chance = random.Random(seed)

    def tell(word: str, operation: Operation | None = None) -> None:
        os.write(acknowledgements, (json.dumps([word, operation]) + "\n").encode())

    memory = Memory(path, "hash:16")
    tell("ready")
    step = 0
    while True:
        operation = next_operation(chance, name, step)
        tell("start", operation)
        if operation["kind"] == "reopen":
            memory.close()
            memory = Memory(path, "hash:16")
        else:
            carry_out(memory, operation)
        tell("done")
        step += 1


def write_some(path: Path, name: str, count: int, go: Connection) -> None:
    """Add `count` records and check after each that the own ones are all there and nobody's disappear."""
    with Memory(path, "hash:16") as memory:
        go.send("ready")
        go.recv()
        seen = 0
        for i in range(count):
            memory.add([{"id": f"{name}-{i}", "text": f"number {i} of {name}"}], user="ana")
            found = {recall.id for recall in memory.latest(user="ana", k=10_000)}
            assert {f"{name}-{j}" for j in range(i + 1)} <= found
            assert len(found) >= seen
            seen = len(found)
        go.send("done")


def answer_pings(path: Path, pings: Connection) -> None:
    """On each ping, look for what the other process has just added, then add an answer."""
    with Memory(path, "hash:16") as memory:
        pings.send("ready")
        while (number := pings.recv()) is not None:
            found = [
                recall.id for recall in memory.search(f"ping {number}", user="ana", views=["lexical"], k=1000)
            ]
            seen = memory.get(user="ana", id=f"ping-{number}") is not None and f"ping-{number}" in found
            if number % 5 == 4:
                memory.forget(user="ana", id=f"ping-{number - 1}")
            memory.add([{"id": f"pong-{number}", "text": f"pong {number}"}], user="ana")
            pings.send(seen)
