"""Token vectors of records that have none: added without a token embedder, come back from the cold tier, ..."""

from __future__ import annotations

from typing import Final

from memspan.errors import invalid
from memspan.remember.compose import embedded_text
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.remember.progress import tracking

__all__ = ["fill_token_vectors"]

_BATCH: Final = 256


def fill_token_vectors(engine: Engine, user: str | None, progress: bool) -> int:
    """See `Memory.make_token_vectors`. Each batch is committed by itself, so that an interrupted call lost nothing."""
    if user is not None:
        checked_name(user, "user")
    engine.require_open()
    tokens = engine.tokens
    if tokens is None:
        raise invalid("token_embedder", None, "one when the memory is opened, to make token vectors with")
    made, after = 0, -1
    with engine.store.reading() as reader:
        total = reader.count(user)
    with tracking("token vectors", total, progress) as advance:
        while True:
            with engine.store.reading() as reader:
                found, as_of = reader.without_token_vectors(user, after, _BATCH), reader.sequence()
            if not found:
                break
            after = found[-1][0]
            records = [record for _, record in found]
            tokens.make([embedded_text(record) for record in records])
            with engine.changing() as change:
                made += tokens.write(change.writer, records, as_of=as_of)
            advance(len(records))
    if made:
        tokens.forget()  # What is kept says that they have none.
    return made
