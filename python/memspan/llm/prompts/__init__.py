"""The prompts of memspan: one file for each, with a version, instructions, and places for data that is never trusted.

A file `<name>.md` starts with `version: N`; raise N with every change. `--- system` starts the instructions, whose
first line is `Task: <name>`; `--- user` starts the rest. `{setting}` is replaced by a number or a few words of ours,
`{{data}}`, on a line of its own, by JSON lines between `<data>` and `</data>`. A notice that data never instructs is
added to the instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from memspan.errors import invalid
from memspan.llm.prompt import Prompt

from .template import Template

__all__ = ["prompt_names", "render", "template"]


@cache
def prompt_names() -> tuple[str, ...]:
    """The prompts that come with memspan, sorted."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in found if name.endswith(".md")))


@cache
def template(name: str) -> Template:
    """The template of that name.

    Raises:
        InvalidArgumentError: there is none.
    """
    if name not in prompt_names():
        raise invalid("prompt", name, f"one of {', '.join(prompt_names())}")
    return Template.parse(name, files(__name__).joinpath(f"{name}.md").read_text("utf-8"))


def render(
    name: str, *, settings: Mapping[str, str | int | float] | None = None, data: Mapping[str, Any]
) -> Prompt:
    """The prompt of that name, filled.

    Args:
        name: one of `prompt_names()`.
        settings: numbers and words of ours for `{setting}`; never a word of a memory.
        data: JSON-able values for `{{data}}`; a sequence becomes one line an item.

    Raises:
        InvalidArgumentError: an unknown prompt, a missing or unknown name, or a value that is not acceptable.
    """
    return template(name).render(settings or {}, data)
