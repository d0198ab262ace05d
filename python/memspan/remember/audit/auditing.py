"""Enter what is done to a memory, and who does it, in its audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from memspan.records import Record
from memspan.remember.input.fields import checked_name
from memspan.remember.writing.change import Change
from memspan.store import StoreWriter
from memspan.times import now_micros

from .tally import Added

__all__ = ["acting", "audited", "checked_actor", "enter_added", "enter_lines", "who_acts"]

_MANY: Final = 64
"""Records of which each transaction is entered at once."""

_actor: ContextVar[str | None] = ContextVar("memspan_actor", default=None)


def audited(
    change: Change,
    action: str,
    *,
    user: str | None = None,
    ids: Sequence[str] = (),
    **details: Any,
) -> None:
    """Enter an action in the transaction that does it.

    Args:
        action: lower case words with dots, such as `vault.read`.
        ids: records that are named, by fingerprints; leave them out where there are very many and they can be read
            elsewhere, and give their number in the details.
        details: numbers, truth values and words of ours. Never a text, name, id or time of a record: the audit is not
            erased.
    """
    lines = change.tally.take()
    change.counted += lines
    enter_lines(change.writer, lines)
    change.writer.audit.append(now_micros(), who_acts(change.actor), action, user, sorted(ids), details)


def enter_added(change: Change, records: Sequence[Record]) -> bool:
    """Enter that records were added, if they are many or the tally is due; else `count_added` has to follow."""
    if len(records) < _MANY and not change.tally.due:
        return False
    taken = change.tally.take()
    change.counted += taken
    counts = Counter({(line.actor, line.user): line.records for line in taken})
    actor = who_acts(change.actor)
    for user, count in Counter([record.user for record in records]).items():
        counts[actor, user] += count
    enter_lines(change.writer, (Added(*key, count) for key, count in counts.items()))
    return True


def enter_lines(writer: StoreWriter, lines: Iterable[Added]) -> None:
    """Enter what was counted."""
    for line in lines:
        writer.audit.append(now_micros(), line.actor, "add", line.user, (), {"records": line.records})


def who_acts(otherwise: str) -> str:
    """Whom `acting` names, or somebody else."""
    actor = _actor.get()
    return otherwise if actor is None else actor


def checked_actor(actor: Any) -> str:
    """The name of who acts; `None` and empty text for nobody in particular."""
    return "" if actor is None or actor == "" else checked_name(actor, "actor")


@contextmanager
def acting(actor: str | None) -> Iterator[None]:
    """See `Memory.acting`."""
    token = _actor.set(checked_actor(actor))
    try:
        yield
    finally:
        _actor.reset(token)
