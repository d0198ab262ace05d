"""What Python 3.10 refuses, and neither the type checker nor the linter does."""

from __future__ import annotations

import ast
from pathlib import Path

import memspan

SOURCES = sorted(Path(memspan.__file__).parent.rglob("*.py"))


def test_no_named_tuple_has_another_base() -> None:
    classes = [
        (path.name, node.name, [ast.unparse(base) for base in node.bases])
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    named_tuples = [found for found in classes if "NamedTuple" in found[2]]

    assert named_tuples
    assert [found for found in named_tuples if len(found[2]) > 1] == []
