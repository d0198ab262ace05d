"""The command line where nothing optional is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A module that is None in sys.modules cannot be imported: as if it were not installed.
_PROGRAM = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
from memspan.cli.main import main
sys.argv = ["memspan", *{arguments!r}]
main()
"""
_OPTIONAL = (
    "pydantic", "openai", "json_repair", "httpx", "tenacity", "snowballstemmer", "scipy", "onnxruntime", "tokenizers",
    "matplotlib", "cryptography",
)  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["models", "list"],
        ["recipes", "list"],
        ["recipes", "show", "verbatim"],
        ["eval", "--help"],
        ["ask", "--help"],
        ["process", "--help"],
        ["consolidate", "--help"],
        ["fit", "--help"],
        ["vault", "get", "--help"],
        ["vault", "new-key"],
    ],
)
def test_it_starts(arguments: list[str]) -> None:
    program = _PROGRAM.format(missing=_OPTIONAL, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
