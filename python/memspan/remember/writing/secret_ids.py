"""Ids that secrets have: only the vault itself changes what lies under them. And those whose life is over."""

from __future__ import annotations

from memspan.errors import invalid
from memspan.store import StoreReader
from memspan.times import now_micros

__all__ = ["expired_secrets", "is_secret", "refuse_secret"]


def is_secret(reader: StoreReader, user: str, id_: str) -> bool:
    """Whether a secret of the user has this id, wherever its record lies."""
    return reader.secrets.one(user, id_) is not None


def expired_secrets(reader: StoreReader, user: str) -> frozenset[str]:
    """Ids of the user's secrets, in memory or in the cold tier, that the next sleep erases: those whose life is over,
    but for those that are pinned or held. O(secrets and expired records of the user)."""
    secrets = reader.secrets.keys(user).keys()
    if not secrets:
        return frozenset()
    now = now_micros()
    over = [*reader.lifetimes.expired(user, now, reader.count(user)), *reader.cold.expired_ids(now, user)]
    return frozenset(secrets & {id_ for _, id_ in over})


def refuse_secret(reader: StoreReader, user: str, id_: str) -> None:
    """Refuse to write under the id of a secret: who would find or delete it afterwards?

    Raises:
        InvalidArgumentError: a secret of the user has this id.
    """
    if is_secret(reader, user, id_):
        raise invalid(
            "id", id_, "an id that no secret has; the vault itself replaces, relabels and deletes those"
        )
