"""Send no model what was forgotten after it was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from memspan.base.worker_threads import in_worker
from memspan.errors import ForgottenError
from memspan.llm.protocol import Ready
from memspan.records import Record
from memspan.remember.endings.life import is_expired
from memspan.remember.engine import Engine
from memspan.times import from_micros, now_micros

__all__ = ["learnt_at", "unforgotten"]


def learnt_at(records: Iterable[Record]) -> dict[str, datetime | None]:
    """What `unforgotten` is told of records."""
    return {record.id: record.recorded_at for record in records}


def unforgotten(engine: Engine, user: str, read: Mapping[str, datetime | None]) -> Ready:
    """Refuses a request once one of the memories in it was forgotten, ran out, or was written anew; one that was
    evicted, ended, or shortened is there all the same. One read of the store by ids.

    What is with the server already cannot be taken back.

    Args:
        read: when each memory had been learnt, by id; `None`: only ask whether it is there.
    """

    async def ready() -> None:
        if await in_worker(_is_gone, engine, user, read):
            raise ForgottenError(
                "a memory that was to be sent was forgotten, or changed, after it was read; it was not sent"
            )

    return ready


def _is_gone(engine: Engine, user: str, read: Mapping[str, datetime | None]) -> bool:
    now = from_micros(now_micros())
    with engine.store.reading() as reader:
        found = reader.fetch(user, list(read))
        missing = [id_ for id_ in read if id_ not in found]
        if missing and not reader.cold.empty:
            found |= {id_: cold.record for id_, cold in reader.cold.fetch(user, missing).items()}
    return any(
        id_ not in found
        or is_expired(found[id_], now)
        or (learnt is not None and found[id_].recorded_at != learnt)
        for id_, learnt in read.items()
    )
