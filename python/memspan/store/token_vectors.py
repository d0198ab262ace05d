"""What late interaction needs from a database: a vector for each token of a record, beside its embedding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.records import Record

__all__ = ["TokenVectorReader", "TokenVectorWriter", "TokenVectors"]


class TokenVectors(NamedTuple):
    """The token vectors of one record.

    `(pk, sequence)` never stands for two wordings: what is kept under it is right until the record changes, or until
    the store's token vectors are made by another model.
    """

    pk: int
    """The key of the record's row."""
    sequence: int
    """The point of the change sequence at which the record was last written."""
    vectors: NDArray[np.int8]
    """Shape (n, dim), read-only; n may be 0."""


class TokenVectorReader(Protocol):
    """Token vectors in one consistent view."""

    def token_vectors(self, user: str, ids: Sequence[str], dim: int) -> dict[str, TokenVectors]:
        """Those of the asked records that exist and have token vectors, by id. One query for each 1,024 ids or fewer.

        Args:
            dim: values of one vector, as the model makes them.

        Raises:
            StoreError: a row is damaged: it does not consist of whole vectors.
        """

    def record_versions(self, user: str, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """`(pk, sequence)` of those of the asked records that exist, by id, whether they have token vectors or not. It
        reads no text and no vector."""

    def without_token_vectors(self, user: str | None, after: int, limit: int) -> list[tuple[int, Record]]:
        """Records of the user, or of all, that have no token vectors, by ascending keys greater than `after`, without
        embeddings. Records of the vault, whose texts are labels of secrets, are left out. O(records of the user, or
        those passed over)."""


class TokenVectorWriter(TokenVectorReader, Protocol):
    """Changes of token vectors inside the one exclusive transaction. Only dropping all advances the change counter."""

    def put_token_vectors(
        self, user: str, vectors: Mapping[str, NDArray[np.int8]], *, as_of: int | None = None
    ) -> None:
        """Insert or replace, by id; nothing for ids that are no records, and for records of the vault.

        Args:
            vectors: shape (n, dim) each, of the embedded text that the record has now.
            as_of: the sequence of the view that the texts were read from: records that changed after it are passed
                over. Without it the caller has read the texts, or put the records, in this transaction.
        """

    def drop_token_vectors(self) -> None:
        """Delete those of all users: others will come from another model, which other handles have to notice."""
