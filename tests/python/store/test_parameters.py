"""Statements that name their parameters get them by name: from Python 3.14 on, sqlite3 refuses a sequence for them."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import memspan.store.sqlite

MODULES = [
    import_module(f"memspan.store.sqlite.{path.stem}")
    for path in sorted(Path(memspan.store.sqlite.__file__).parent.glob("*.py"))
]
CALLS = {"execute", "executemany", "_all", "_one"}
NAMED = re.compile(r"(?<![\w:]):[a-z_]+")


def statement(node: ast.AST, module: ModuleType) -> str:
    """The texts of an expression and of the constants that it names, one after the other."""
    parts = (
        part.value if isinstance(part, ast.Constant) else getattr(module, part.id, "")
        for part in ast.walk(node)
        if isinstance(part, (ast.Constant, ast.Name))
    )
    return " ".join(part for part in parts if isinstance(part, str))


def test_no_named_parameter_gets_a_sequence() -> None:
    positional = [
        (module, call.lineno, statement(call.args[0], module))
        for module in MODULES
        for call in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in CALLS
        and len(call.args) > 1
        and isinstance(call.args[1], (ast.Tuple, ast.List))
    ]

    assert len(positional) > 20
    assert [found for found in positional if NAMED.search(found[2])] == []
