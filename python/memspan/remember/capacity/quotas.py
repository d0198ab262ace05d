"""Set quotas and keep to them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from memspan.errors import MemspanError, QuotaError
from memspan.index import Index
from memspan.lifecycle.quotas import Quotas, as_quotas
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import remove_if_nothing_is_left
from memspan.remember.input.fields import checked_name
from memspan.remember.jobs.worker import is_at_work, this_process
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import evict
from memspan.store import StoreReader

from .quota_settings import apply_to, stored_quotas

__all__ = ["enforce", "excess", "quotas_of", "set_quotas", "settle_quotas"]

_logger = logging.getLogger("memspan")

_SLICE: Final = 256
"""Records of a transaction; other writers wait for it."""
_USERS: Final = 1024
"""Users of a transaction, most of whom have nothing to lose: a look at one takes some 10 us."""


def quotas_of(engine: Engine, user: str | None) -> Quotas | None:
    """See `Memory.quotas`."""
    if user is not None:
        checked_name(user, "user")
    engine.require_open()
    with engine.store.reading() as reader:
        return stored_quotas(reader, user)


@survives_damage
def set_quotas(engine: Engine, quotas: Quotas | int | None, user: str | None) -> int:
    """See `Memory.set_quotas`."""
    if user is not None:
        checked_name(user, "user")
    wanted = as_quotas(quotas)
    text = None if wanted is None else wanted.dump()
    with engine.changing() as change:
        writer = change.writer
        if writer.quotas.get(user) == text:
            left = writer.quotas.unsettled().get(user)
            since = None if left is None else left.since
        else:
            since = _set(change, user, wanted, text)
    return 0 if since is None else _settle(engine, user, since)


def _set(change: Change, user: str | None, wanted: Quotas | None, text: str | None) -> int | None:
    """What `_settle` takes when evictions may have to follow."""
    writer = change.writer
    # Those who lose quotas of their own come under everybody's.
    applied = wanted if wanted is not None or user is None else stored_quotas(writer, None)
    if applied is not None:
        _refuse_to_evict_pinned(writer, applied, user)
    writer.quotas.set(user, text)
    kinds: dict[str, Any] = {} if wanted is None else dict(wanted.capacities)
    audited(change, "quotas", user=user, **kinds)
    change.apply(lambda index: apply_to(index, user, wanted))
    if wanted is None and user is not None and remove_if_nothing_is_left(change, user):
        return None
    if applied is None or (user is not None and not _beyond(change.index, user, applied)):
        return None
    return writer.quotas.unsettle(user, this_process())


def settle_quotas(engine: Engine) -> None:
    """Go on with evictions that quotas asked for when a process died amid them; one that is still at it is left alone.
    What hinders that, such as a writer that stays, is logged: the next opening goes on, and each sleep does what
    concerns its user."""
    with engine.store.reading() as reader:
        unsettled = reader.quotas.unsettled()
    try:
        for user, left in unsettled.items():
            if not is_at_work(left.by):
                with engine.store.writing() as writer:
                    writer.quotas.take_over(user, left.since, this_process())
                _settle(engine, user, left.since)
    except MemspanError as error:
        _logger.warning(
            "%s: not everybody could be brought within their quotas (%s)", engine.store.path, error
        )


def _settle(engine: Engine, user: str | None, since: int) -> int:
    """Bring everybody whom quotas concern within them; returns how many records went to the cold tier."""
    try:
        with engine.store.reading() as reader:
            affected = reader.users() if user is None else [user]
        evicted = enforce(engine, *affected)
        with engine.store.writing() as writer:
            writer.quotas.settle(user, since)
    except BaseException:
        # The process may live for long: the next opening is to go on.
        with suppress(MemspanError), engine.store.writing() as writer:
            writer.quotas.take_over(user, since, "")
        raise
    return evicted


def _refuse_to_evict_pinned(reader: StoreReader, quotas: Quotas, user: str | None) -> None:
    capacities = quotas.capacities
    for name, kind, pinned in reader.quotas.pinned(user):
        capacity = capacities[kind]
        own = user is None and reader.quotas.get(name) is not None
        if capacity is not None and pinned > capacity and not own:
            raise QuotaError(
                f"quotas: {pinned:,} records of kind {kind!r} of user {name!r} are pinned or held, "
                f"more than a capacity of {capacity:,}; nothing was changed"
            )


@survives_damage
def excess(engine: Engine, user: str) -> dict[str, int]:
    """How many records of each kind a user has beyond their quotas: what `enforce` would evict, but for what is
    pinned. Kinds within theirs are left out."""
    with engine.comparing() as (index, reader):
        quotas = stored_quotas(reader, user)
        if quotas is None:
            return {}
        return _beyond(index, user, quotas)


def _beyond(index: Index, user: str, quotas: Quotas) -> dict[str, int]:
    counts = index.stats(user=user)["kinds"]
    found = {
        kind: counts.get(kind, 0) - capacity
        for kind, capacity in quotas.capacities.items()
        if capacity is not None
    }
    return {kind: count for kind, count in found.items() if count > 0}


def enforce(
    engine: Engine,
    *users: str,
    follow: Callable[[Change], None] = lambda change: None,
    in_time: Callable[[], bool] = lambda: True,
) -> int:
    """Bring users within their quotas, after these have shrunk; returns how many records went to the cold tier.

    In transactions of 256 records: others get their turn in between, and until the last one some user has more than the
    new quotas allow. Interrupted, the next opening goes on, or sleep.

    Args:
        follow: is told of each transaction, so that a journal can keep what goes.
        in_time: is asked before each whether to go on.
    """
    evicted = done = 0
    while done < len(users) and in_time():
        went, within = _evict_slice(engine, users[done : done + _USERS], follow)
        evicted += went
        done += within
    return evicted


@survives_damage
def _evict_slice(engine: Engine, users: Sequence[str], follow: Callable[[Change], None]) -> tuple[int, int]:
    """How many records went, and how many of the users, the first ones, are within their quotas then."""
    left, within = _SLICE, 0
    with engine.changing() as change:
        follow(change)
        change.keep_uses(users)
        for user in users:
            left -= evict(change, user, left)
            if not left:
                break
            within += 1
    engine.note_unsaved(_SLICE - left)
    return _SLICE - left, within
