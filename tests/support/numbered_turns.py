"""Turns that differ by a number, and which of them a memory still has."""

from __future__ import annotations

from typing import Any

from memspan import Memory


def turns(*numbers: int, **fields: Any) -> list[dict[str, Any]]:
    """One a second since 2001, `m<number>`."""
    return [
        {"id": f"m{n}", "text": f"turn number {n}", "at": (1_000_000_000 + n) * 1_000_000, **fields}
        for n in numbers
    ]


def live(memory: Memory, user: str = "ana") -> set[str]:
    """Ids of the records outside the cold tier."""
    with memory._engine.store.reading() as reader:
        return set(reader.ids(user))
