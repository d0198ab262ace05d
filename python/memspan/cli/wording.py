"""Errors in the words of the command line: the library names calls and arguments, which nobody can type here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["in_words_of_commands"]

_TYPED: Final[Mapping[str, str]] = {
    "Memory.jobs lists them": "`memspan jobs` lists them",
    "open the memory with Memory(path, llm=...)": "give --llm MODEL or set MEMSPAN_LLM",
    "With `another_key` it can begin": "With --another-key it can begin",
    "the text that `memspan.vault.new_key` makes of them": "the text that `memspan vault new-key` makes of them",
    "the token, or the plan, that `forget_matching` returned": "the token that `memspan forget --matching` printed",
}


def in_words_of_commands(message: str) -> str:
    """The message with options and commands in place of arguments and calls."""
    for called, typed in _TYPED.items():
        message = message.replace(called, typed)
    return message
