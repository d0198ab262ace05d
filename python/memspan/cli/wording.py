"""Errors in the words of the command line: the library names calls and arguments, which nobody can type here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memspan.embed.registry import DEFAULT_MODEL

__all__ = ["in_words_of_commands"]

_TYPED: Final[Mapping[str, str]] = {
    "Memory.jobs lists them": "`memspan jobs` lists them",
    "`runs` lists them": "`memspan runs` lists them",
    "`memspan load` and `Memory.load` read it": "`memspan load` reads it",
    "open the memory with Memory(path, llm=...)": "give --llm MODEL or set MEMSPAN_LLM",
    "With `another_key` it can begin": "With --another-key it can begin",
    "the text that `memspan.vault.new_key` makes of them": "the text that `memspan vault new-key` makes of them",
    "api_key_variable: got 'OPENAI_API_KEY'; accepted: the name of an environment variable that holds a key for": "no "
    "key: set the environment variable OPENAI_API_KEY to the one for",
    "is named by base_url or OPENAI_BASE_URL": "is named by --base-url or OPENAI_BASE_URL",
    "; an embedder; a function; or None": "",
    "pass the embedder that filled it, or convert the store with Memory(path, embedder=..., reembed=True), "
    "Memory.reembed or `memspan reembed`": "leave --embedder out, and MEMSPAN_EMBEDDER unset, for the one that filled "
    "it, or convert the store with `memspan reembed`",
    "pass that embedder as `embedder`, or convert the store: "
    f"Memory(path, embedder='{DEFAULT_MODEL}', reembed=True) or `memspan reembed`": "open the store from Python with "
    "that embedder, or convert it with `memspan reembed`",
    "the token, or the plan, that `forget_matching` returned": "the token that `memspan forget --matching` printed",
}


def in_words_of_commands(message: str) -> str:
    """The message with options and commands in place of arguments and calls."""
    for called, typed in _TYPED.items():
        message = message.replace(called, typed)
    return message
