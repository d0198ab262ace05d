"""The table of token vectors: what late interaction compares, word by word."""

from __future__ import annotations

from typing import Final

__all__ = ["TOKEN_VECTORS"]

# From schema version 5 to 6. Invariants:
# - A row holds n vectors of int8, one after the other, made of the record's embedded text (speaker, text, captions of
#   images) and of nothing else. All rows of a store are of one model, so of one width, which is not kept here.
# - They are derived: a record without a row gets one when somebody makes it. No change of this table advances the
#   change counter, as the index holds none of it.
# - A record that is written anew with the same embedded text takes its row along; any other loses it, and so does one
#   that goes to the cold tier. Records of the vault have none.
TOKEN_VECTORS: Final = (
    """
    CREATE TABLE token_vectors (
        record_pk INTEGER PRIMARY KEY REFERENCES records(pk) ON DELETE CASCADE,
        vectors BLOB NOT NULL
    ) STRICT
    """,
)
