"""Times to live that concern the same records are set one after the other, whoever sets them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import Final

from memspan.errors import MemspanError, StoreError
from memspan.remember.engine import Engine
from memspan.remember.jobs.worker import is_at_work, this_process
from memspan.store import StoreReader
from memspan.store.lifetimes import UnsettledLifetime

__all__ = ["Patience", "at_work", "begin", "is_seen_to", "take_over"]

_SECONDS: Final = 30.0
"""How long somebody else's may come no further."""
_LOOK: Final = 0.01

_here: set[str] = set()
"""Who is at work in this process."""


@contextmanager
def at_work(engine: Engine) -> Iterator[str]:
    """The name of who sees to times to live in the block; when it raises, nobody sees any more to those that were begun
    under it: the process may live for long, and the next opening is to go on."""
    name = f"{this_process()} {secrets.token_hex(8)}"
    _here.add(name)
    try:
        yield name
    except BaseException:
        with suppress(MemspanError), engine.store.writing() as writer:
            for left in writer.lifetimes.unsettled():
                if left.by == name:
                    writer.lifetimes.unsettle(left._replace(by=""))
        raise
    finally:
        _here.discard(name)


def is_seen_to(left: UnsettledLifetime) -> bool:
    """Whether who began to set it is still at it."""
    process = left.by.rpartition(" ")[0]
    return left.by in _here if process == this_process() else is_at_work(process)


def begin(engine: Engine, wanted: UnsettledLifetime) -> UnsettledLifetime | None:
    """Note that it is being set; or return one that has to come to its end before: the ends that it gave would count as
    ends of the records' own."""
    with engine.store.reading() as reader:
        other = _before(reader, wanted)
    if other is None:
        with engine.store.writing() as writer:
            other = _before(writer, wanted)
            # Of one who is not there, all is done in the transaction that ends it.
            if other is None and (wanted.user is None or writer.has_user(wanted.user)):
                writer.lifetimes.unsettle(wanted)
    return other


def take_over(engine: Engine, left: UnsettledLifetime, by: str) -> UnsettledLifetime | None:
    """What nobody sees to, to go on with; `None`: somebody else does, or it is done."""
    taken = left._replace(by=by)
    with engine.store.writing() as writer:
        if left not in writer.lifetimes.unsettled():
            return None
        writer.lifetimes.unsettle(taken)
    return taken


class Patience:
    """Waits for others for as long as they go on."""

    def __init__(self, engine: Engine) -> None:
        self._path = engine.store.path
        self._last: UnsettledLifetime | None = None
        self._until = 0.0

    def wait(self, other: UnsettledLifetime) -> None:
        """For a moment.

        Raises:
            StoreError: it has been the same for long.
        """
        if other != self._last:
            self._last, self._until = other, monotonic() + _SECONDS
        elif monotonic() > self._until:
            raise StoreError(
                f"{self._path}: another process or thread is setting a time to live of kind {other.kind!r}, and has "
                f"come no further for {_SECONDS:.0f} seconds; nothing was changed; try again when it has ended"
            )
        sleep(_LOOK)


def _before(reader: StoreReader, wanted: UnsettledLifetime) -> UnsettledLifetime | None:
    for left in reader.lifetimes.unsettled():
        if left.kind == wanted.kind and (left.user == wanted.user or None in (left.user, wanted.user)):
            return left
    return None
