"""Names of conversations that have none, whose messages have numbers for ids."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["names_by_content"]


def names_by_content(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The name that follows from all that is said, and then those that the conversation had when it ended one message
    earlier, two, and so on. O(size of the messages).

    Raises:
        RecursionError: a message is nested too deeply.
    """
    names: list[str] = []
    said = hashlib.blake2b(digest_size=15)
    for number, message in enumerate(messages):
        said.update(f"{', ' if number else '['}{json.dumps(message)}".encode())
        whole = said.copy()
        whole.update(b"]")
        names.append(whole.hexdigest())
    return tuple(reversed(names))
