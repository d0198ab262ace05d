"""Put the turns of a file into a memory, batch by batch, and keep the books on what was committed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .formats import Turn
from .memory import Memory

__all__ = ["IngestReport", "ingest_turns"]


@dataclass(slots=True)
class IngestReport:
    """What is committed so far; stays right when reading or writing fails half-way."""

    turns: Counter[str] = field(default_factory=Counter)
    """Committed turns by user."""
    seconds: float = 0.0
    """From the first turn read to the last commit, or to what ended the work before it; reading and embedding
    included."""

    @property
    def total(self) -> int:
        """Committed turns of all users."""
        return self.turns.total()

    @property
    def rate(self) -> float:
        """Turns a second; 0 before the first commit."""
        return self.total / self.seconds if self.seconds > 0 else 0.0


def ingest_turns(
    memory: Memory,
    turns: Iterable[Turn],
    report: IngestReport,
    *,
    batch: int = 256,
    advance: Callable[[int], object] = lambda count: None,
) -> None:
    """Add `turns` to `memory`, one transaction for each user of a batch, updating `report` after each commit.

    When reading fails, what was read before is committed first and the error goes on to the caller. A turn
    whose id occurred before replaces the earlier one, within a batch as well as across batches.
    """
    start = time.perf_counter()
    pending: dict[str, list[dict[str, Any]]] = {}
    ids: set[tuple[str, str]] = set()
    count = 0

    def commit() -> None:
        nonlocal count
        for user in list(pending):
            messages = pending.pop(user)
            memory.add(messages, user=user)
            report.turns[user] += len(messages)
            advance(len(messages))
        ids.clear()
        count = 0

    try:
        for turn in turns:
            if turn.id is not None and (turn.user, turn.id) in ids:
                commit()
            if turn.id is not None:
                ids.add((turn.user, turn.id))
            pending.setdefault(turn.user, []).append(_message(turn))
            count += 1
            if count >= batch:
                commit()
    except (ValueError, OSError):
        commit()
        raise
    else:
        commit()
    finally:
        report.seconds = time.perf_counter() - start


def _message(turn: Turn) -> dict[str, Any]:
    message = {
        "text": turn.text,
        "id": turn.id,
        "speaker": turn.speaker,
        "at": turn.at,
        "until": turn.until,
        "session": turn.session,
        "kind": turn.kind,
        "tags": list(turn.tags),
        "images": list(turn.images),
        "metadata": dict(turn.metadata),
    }
    return {name: value for name, value in message.items() if value not in (None, [], {})}
