"""What a killed child told is read up to its last whole line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from children import run_and_kill


def tells_half_a_line(path: Path, acknowledgements: int, name: str, seed: int) -> None:
    os.write(acknowledgements, b'["ready", []]\n["start", ["a"]]\n["done", ["a"]]\n["start", ["b"]]\n["do')
    time.sleep(60)


def tells_without_end(path: Path, acknowledgements: int, name: str, seed: int) -> None:
    line = b'["start", ["' + b"a" * 5000 + b'"]]\n["done", []]\n'
    os.write(acknowledgements, b'["ready", []]\n')
    while True:
        os.write(acknowledgements, line)


def test_half_a_line_was_not_told(path: Path) -> None:
    assert run_and_kill(tells_half_a_line, path, 0, 0.01) == ([["a"]], ["b"])


def test_a_child_that_tells_much_is_read_until_it_is_killed(path: Path) -> None:
    done, pending = run_and_kill(tells_without_end, path, 0, 0.1)
    assert sum(len(told[0]) for told in done) > 65536
    assert pending in (None, ["a" * 5000])


def ends_before_it_is_ready(path: Path, acknowledgements: int, name: str, seed: int) -> None:
    os._exit(7)


def test_a_child_that_never_was_ready_is_not_waited_for(path: Path) -> None:
    with pytest.raises(AssertionError, match="before it was ready, with exit code 7"):
        run_and_kill(ends_before_it_is_ready, path, 0, 0.01)
