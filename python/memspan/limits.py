"""Limits on what comes from outside; sizes are bytes of UTF-8. Most are as the native core defines them."""

from __future__ import annotations

from typing import Final

from memspan._core import (
    MAX_DEPTH,
    MAX_DIM,
    MAX_EXCLUDED,
    MAX_INTERVALS,
    MAX_JSON_DEPTH,
    MAX_K,
    MAX_METADATA_BYTES,
    MAX_NAME_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
    MAX_TEXT_BYTES,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_DIM",
    "MAX_EXCLUDED",
    "MAX_GIVEN_METADATA_BYTES",
    "MAX_INTERVALS",
    "MAX_JSON_DEPTH",
    "MAX_K",
    "MAX_METADATA_BYTES",
    "MAX_NAME_BYTES",
    "MAX_REPLY_BYTES",
    "MAX_REPLY_FACTS",
    "MAX_REPLY_VALUES",
    "MAX_STATEMENT_CHARS",
    "MAX_TAGS",
    "MAX_TAG_BYTES",
    "MAX_TEXT_BYTES",
]

_NOTES: Final = 64 << 10
"""For what the library notes of a record: how it ended, whose version it is, how it was shortened."""

MAX_GIVEN_METADATA_BYTES: Final = MAX_METADATA_BYTES - _NOTES
"""Of a caller's metadata as JSON. Beside more, no note had room: the record could not be ended or corrected, and sleep,
which ends memories, would stop at it."""

MAX_REPLY_BYTES: Final = 1 << 24
"""Of a reply of a language model's server, and of each event where it comes in pieces."""

MAX_REPLY_VALUES: Final = 100_000
"""Objects, lists and commas in an answer of a language model, which tell how long it takes to read; in all of a reply
ten times as many. The longest that models give, 128,000 tokens, have a quarter of that."""

MAX_REPLY_FACTS: Final = 1_000
"""Statements and procedures that are taken from one reply of a language model: later stages ask about each. A window of
turns gives some dozens; the job's log says how many were left out."""

MAX_STATEMENT_CHARS: Final = 8_000
"""Of one statement in a reply of a language model. Models that go wrong write lists without an end; a statement is a
sentence or some, and each goes into prompts of later stages and of answers."""
