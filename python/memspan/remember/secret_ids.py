"""Ids that secrets have: only the vault itself changes what lies under them."""

from __future__ import annotations

from memspan.errors import invalid
from memspan.store import StoreReader

__all__ = ["is_secret", "refuse_secret"]


def is_secret(reader: StoreReader, user: str, id_: str) -> bool:
    """Whether a secret of the user has this id, wherever its record lies."""
    return reader.secrets.one(user, id_) is not None


def refuse_secret(reader: StoreReader, user: str, id_: str) -> None:
    """Refuse to write under the id of a secret: who would find or delete it afterwards?

    Raises:
        InvalidArgumentError: a secret of the user has this id.
    """
    if is_secret(reader, user, id_):
        raise invalid(
            "id", id_, "an id that no secret has; the vault itself replaces, relabels and deletes those"
        )
