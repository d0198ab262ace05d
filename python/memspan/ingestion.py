"""Put the turns of a file into a memory, batch by batch, and keep the books on what was committed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .errors import FormatError, InvalidArgumentError
from .formats import Turn
from .grown_chats import under_known_names
from .memory import Memory
from .remember.input.messages import to_drafts

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
    """Add `turns` to `memory`, one transaction for each user of a batch, and another for those of the user's turns that
    have no time, updating `report` after each commit.

    When reading fails, what was read before is committed first and the error goes on to the caller. So it is when the
    memory refuses a turn that its reader let pass. A turn whose id occurred before replaces the earlier one, within a
    batch as well as across batches; a chat without a name that has grown goes on where it was stored. A turn without a
    time happens when it is added: beside others of the batch it would follow those.

    Raises:
        FormatError: a turn is not acceptable; says where it stands.
    """
    start = time.perf_counter()
    pending: dict[tuple[str, bool], list[Turn]] = {}
    ids: set[tuple[str, str]] = set()
    count = 0

    def add(user: str, chosen: list[Turn]) -> None:
        if chosen:
            memory.add([_message(turn) for turn in chosen], user=user)
            report.turns[user] += len(chosen)
            advance(len(chosen))

    def commit() -> None:
        nonlocal count
        while pending:
            user, _ = key = next(iter(pending))
            chosen = pending.pop(key)
            try:
                add(user, chosen)
            except InvalidArgumentError as error:
                refused = next((turn for turn in chosen if _refusal(turn) is not None), None)
                if refused is None:
                    raise
                add(user, chosen[: chosen.index(refused)])
                raise FormatError(f"{refused.position}: {_refusal(refused)}") from error
        ids.clear()
        count = 0

    try:
        for turn in under_known_names(memory._engine, turns, commit):
            if turn.id is not None and (turn.user, turn.id) in ids:
                commit()
            if turn.id is not None:
                ids.add((turn.user, turn.id))
            pending.setdefault((turn.user, turn.at is not None), []).append(turn)
            count += 1
            if count >= batch:
                commit()
        commit()
    except (ValueError, OSError):
        commit()
        raise
    finally:
        report.seconds = time.perf_counter() - start


def _refusal(turn: Turn) -> str | None:
    """Why a memory takes no such turn; `None` where it would."""
    try:
        to_drafts(
            [_message(turn)], user=turn.user, at=None, session=None, metadata=None, tags=(), kind=turn.kind
        )
    except InvalidArgumentError as error:
        return str(error).removeprefix("messages[0]").removeprefix(".")
    return None


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
