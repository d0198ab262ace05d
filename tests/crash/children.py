"""A child process that tells what it begins and what is done, and is killed while it works."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, BinaryIO

Writer = Callable[[Path, int, str, int], None]
"""Works on a store, and tells through a descriptor; has a name and a seed."""


def run_and_kill(writer: Writer, path: Path, round_: int, delay: float) -> tuple[list[Any], Any]:
    """Let a child write until it is killed, so many seconds after it is ready.

    It tells a line of JSON for each step: `["ready", ...]` once, then `["start", what]` before and `["done", ...]`
    after each change. Returns what was acknowledged, and what it was in (`None`: nothing).
    """
    context = multiprocessing.get_context("forkserver")
    reading, writing = os.pipe()
    child = context.Process(target=_child, args=(writer, path, context.reducer.DupFd(writing), round_))
    child.start()
    os.close(writing)
    with os.fdopen(reading, "rb") as lines:
        wait_until_ready(child, lines)
        killing = threading.Timer(delay, child.kill)
        killing.start()
        # Read until its end: a child that waits for room in the pipe would not be killed at work.
        told = [json.loads(line) for line in _whole_lines(lines.read())]
    killing.join()
    child.join()
    done: list[Any] = []
    pending = None
    for word, what in told:
        if word == "start":
            pending = what
        else:
            assert pending is not None
            done.append(pending)
            pending = None
    return done, pending


def wait_until_ready(child: BaseProcess, lines: BinaryIO) -> None:
    """Read the line that says so. A child that ends before, as when it cannot import the test, fails the test."""
    line = lines.readline() if lines in wait([lines, child.sentinel]) else b""
    if not line:
        child.join()
        raise AssertionError(f"the child ended before it was ready, with exit code {child.exitcode}")
    assert json.loads(line)[0] == "ready"


def _whole_lines(told: bytes) -> list[bytes]:
    """Without the line that it was killed in: longer ones are not written at once, and what one tells was not begun."""
    return told[: told.rfind(b"\n") + 1].splitlines()


def _child(writer: Writer, path: Path, descriptor: Any, round_: int) -> None:
    writer(path, descriptor.detach(), f"r{round_}", round_)
