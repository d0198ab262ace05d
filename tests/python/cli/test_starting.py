"""Ctrl-C before a command has begun."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Read by every Python at its start: the process interrupts itself when it comes to a module.
_INTERRUPTING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""
_SCRIPT = "from memspan.cli.main import main\nmain()\n"


@pytest.mark.parametrize(
    "module", ["memspan._core", "numpy", "memspan.memory", "rich.text", "memspan.cli.commands.stats"]
)
@pytest.mark.parametrize("started", ["module", "script"])
def test_it_ends_with_130_and_no_traceback(tmp_path: Path, started: str, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(_INTERRUPTING)
    (tmp_path / "memspan").write_text(_SCRIPT)
    command = ["-m", "memspan"] if started == "module" else [str(tmp_path / "memspan")]
    done = subprocess.run(
        [sys.executable, *command, "stats"],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "INTERRUPT_AT": module},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr, done.stdout) == (130, "Error: interrupted\n", "")


def test_a_program_that_imports_memspan_keeps_its_interrupts(tmp_path: Path) -> None:
    program = tmp_path / "memspan"
    program.write_text(
        "import signal, memspan\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    for started in ([str(program)], ["-c", program.read_text()]):
        done = subprocess.run(
            [sys.executable, *started], capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout == "True\n"
