"""The data of a rendered prompt, read back: what a scripted model knows."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["prompt_data", "task_of"]

_BLOCK = re.compile(r"^<([a-z_]+)>\n((?:.*\n)*?)</\1>$", re.MULTILINE)


def prompt_data(user: str) -> dict[str, list[Any]]:
    """The lines of each block of data in a prompt's user message, by the block's name, as JSON values."""
    return {found[1]: [json.loads(line) for line in found[2].splitlines()] for found in _BLOCK.finditer(user)}


def task_of(system: str) -> str:
    """The name of the prompt: what stands after `Task:` in the first line of the instructions."""
    return system.split("\n", 1)[0].removeprefix("Task: ")
