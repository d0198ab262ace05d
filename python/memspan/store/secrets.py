"""What the vault needs from a database: sealed secrets, which it cannot read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

__all__ = ["SealedSecret", "SecretReader", "SecretWriter"]


class SealedSecret(NamedTuple):
    """The secret of one record, encrypted."""

    record: str
    """The id of the record whose secret it is."""
    key_id: str
    """Says which key opens it, and nothing about that key."""
    nonce: bytes
    ciphertext: bytes


class SecretReader(Protocol):
    """The secrets of one user."""

    def all(self, user: str) -> Iterator[SealedSecret]:
        """In the order of their records' ids, a few at a time: one may take a mebibyte."""

    def keys(self, user: str) -> dict[str, str]:
        """The key id of each by its record, in the order of ids; reads no secret."""

    def one(self, user: str, record: str) -> SealedSecret | None: ...

    def key_ids(self, user: str) -> list[str]: ...


class SecretWriter(SecretReader, Protocol):
    """Changes inside the one exclusive transaction; none advances the change counter."""

    def put(self, user: str, secrets: Sequence[SealedSecret]) -> None:
        """Insert or replace, for a user that exists."""
