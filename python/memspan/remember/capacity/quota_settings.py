"""Quotas between the store, where they are kept, and the index, which keeps to them."""

from __future__ import annotations

from collections.abc import Iterable

from memspan.index import Index
from memspan.lifecycle.quotas import Quotas
from memspan.store import StoreReader

__all__ = ["apply_quotas", "apply_to", "drop_outlived_quotas", "stored_quotas"]


def stored_quotas(reader: StoreReader, user: str | None) -> Quotas | None:
    """What applies to a user: the quotas of their own, else everybody's. With `None`: everybody's."""
    for name in dict.fromkeys((user, None)):
        text = reader.quotas.get(name)
        if text is not None:
            return Quotas.parse(text)
    return None


def apply_to(index: Index, user: str | None, quotas: Quotas | None) -> None:
    """Give an index the quotas of a user, or of everybody else."""
    if quotas is None:
        index.set_quotas(user=user, capacities=None)
    else:
        index.set_quotas(user=user, capacities=quotas.capacities, eviction=quotas.eviction)


def apply_quotas(index: Index, reader: StoreReader, after: int) -> None:
    """Give an index the quotas that were set after a point of the change sequence."""
    for user, text in reader.quotas.changed(after):
        apply_to(index, user, None if text is None else Quotas.parse(text))


def drop_outlived_quotas(index: Index, reader: StoreReader, users: Iterable[str]) -> None:
    """Take quotas from an index that are not the users' own in the store: others of those names had them, who are gone.

    An index tells the users whom it has records of, and not those whom it has quotas for alone, so that these cannot be
    looked for when somebody goes; records that come ask instead.
    """
    for user in users:
        if index.quotas(user=user) is not None and reader.quotas.get(user) is None:
            index.set_quotas(user=user, capacities=None)
