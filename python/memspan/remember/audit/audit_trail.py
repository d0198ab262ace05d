"""What the audit of a memory says, with what was only counted so far."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from memspan.arguments import as_integer
from memspan.errors import MemspanError, invalid
from memspan.records import Record
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.reports.audit_info import AuditEntry
from memspan.store.audit import AuditFilter
from memspan.times import TimeLike, to_likely_micros

from .auditing import enter_lines, who_acts

__all__ = ["audit", "count_added", "end_tally", "enter_tally"]

_logger = logging.getLogger("memspan")
_MOST: Final = 1_000_000


def count_added(engine: Engine, records: Sequence[Record]) -> None:
    """Count committed records for an entry that comes later."""
    actor = who_acts(engine.actor)
    for record in records:
        engine.tally.add(actor, record.user, 1)


def enter_tally(engine: Engine) -> None:
    """Enter what was only counted so far."""
    if engine.tally.empty:
        return
    lines, writer = engine.tally.take(), None
    try:
        with engine.store.writing() as writer:
            enter_lines(writer, lines)
    except BaseException:
        if writer is None or not writer.committed:
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
        None if since is None else to_likely_micros(since, "since"),
        None if until is None else to_likely_micros(until, "until"),
    )
    most = as_integer(limit, "limit", 1, _MOST)
    engine.require_open()
    enter_tally(engine)
    with engine.store.reading() as reader:
        return reader.audit.entries(wanted, most)
