"""Limits on what comes from outside, as the native core defines them; sizes are bytes of UTF-8."""

from __future__ import annotations

from memspan._core import (
    MAX_DEPTH,
    MAX_DIM,
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
    "MAX_INTERVALS",
    "MAX_JSON_DEPTH",
    "MAX_K",
    "MAX_METADATA_BYTES",
    "MAX_NAME_BYTES",
    "MAX_TAGS",
    "MAX_TAG_BYTES",
    "MAX_TEXT_BYTES",
]
