"""Enter what is done to a memory, and who does it, in its audit."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from memspan.arguments import as_integer
from memspan.audit_info import AuditEntry
from memspan.errors import MemspanError, invalid
from memspan.records import Record
from memspan.store.audit import AuditFilter
from memspan.times import TimeLike, now_micros, to_micros

from .fields import checked_name
from .tally import Added

if TYPE_CHECKING:
    from memspan.store import StoreWriter

    from .engine import Change, Engine

__all__ = [
    "acting",
    "audit",
    "audited",
    "checked_actor",
    "count_added",
    "end_tally",
    "enter_added",
    "enter_tally",
]

_logger = logging.getLogger("memspan")
_MOST: Final = 1_000_000
_MANY: Final = 64
"""Records of which each transaction is entered at once."""

_actor: ContextVar[str | None] = ContextVar("memspan_actor", default=None)


def audited(
    engine: Engine,
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
    lines = engine.tally.take()
    change.counted += lines
    _enter(change.writer, lines)
    change.writer.audit.append(now_micros(), _who(engine), action, user, sorted(ids), details)


def enter_added(engine: Engine, change: Change, records: Sequence[Record]) -> bool:
    """Enter that records were added, if they are many or the tally is due; else `count_added` has to follow."""
    if len(records) < _MANY and not engine.tally.due:
        return False
    taken = engine.tally.take()
    change.counted += taken
    counts = Counter({(line.actor, line.user): line.records for line in taken})
    counts.update((_who(engine), record.user) for record in records)
    _enter(change.writer, (Added(*key, count) for key, count in counts.items()))
    return True


def count_added(engine: Engine, records: Sequence[Record]) -> None:
    """Count committed records for an entry that comes later."""
    if records:
        engine.tally.add(_who(engine), Counter(record.user for record in records))


def enter_tally(engine: Engine) -> None:
    """Enter what was only counted so far."""
    if engine.tally.empty:
        return
    lines = engine.tally.take()
    try:
        with engine.store.writing() as writer:
            _enter(writer, lines)
    except BaseException:
        engine.tally.give_back(lines)
        raise


def end_tally(engine: Engine) -> None:
    """Enter what was only counted so far, before the memory is closed; a failure is logged."""
    try:
        if not engine.closed:
            enter_tally(engine)
    except MemspanError as error:
        _logger.warning(
            "%s: what was added last could not be entered in the audit (%s)", engine.store.path, error
        )


def _enter(writer: StoreWriter, lines: Iterable[Added]) -> None:
    for line in lines:
        writer.audit.append(now_micros(), line.actor, "add", line.user, (), {"records": line.records})


def _who(engine: Engine) -> str:
    actor = _actor.get()
    return engine.actor if actor is None else actor


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


def audit(
    engine: Engine,
    *,
    user: str | None,
    id: str | None,
    action: str | None,
    since: TimeLike | None,
    until: TimeLike | None,
    limit: int,
) -> list[AuditEntry]:
    """See `Memory.audit`."""
    if user is not None:
        checked_name(user, "user")
    if id is not None and user is None:
        raise invalid("user", user, "the user whose record `id` is")
    wanted = AuditFilter(
        user,
        None if id is None else checked_name(id, "id"),
        None if action is None else checked_name(action, "action"),
        None if since is None else to_micros(since, "since"),
        None if until is None else to_micros(until, "until"),
    )
    most = as_integer(limit, "limit", 1, _MOST)
    engine.require_open()
    enter_tally(engine)
    with engine.store.reading() as reader:
        return reader.audit.entries(wanted, most)
