"""Which memories an update in sleep has seen, whatever the clock said when, and whatever was done to them since."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Final

from memspan.records import Record
from memspan.times import to_micros

__all__ = ["dump_seen", "load_seen", "seen_mark"]

_BYTES: Final = 8


def seen_mark(record: Record) -> bytes:
    """Of what a memory says: another one when it is written anew, the same when it is pinned, tagged or restored. Tells
    nothing of one that is forgotten."""
    learnt = None if record.recorded_at is None else to_micros(record.recorded_at)
    return hashlib.sha256(f"{learnt} {record.id}".encode()).digest()[:_BYTES]


def dump_seen(marks: Iterable[bytes]) -> str:
    """The marks as text, eleven characters each."""
    return b64encode(b"".join(sorted(marks))).decode()


def load_seen(text: str) -> frozenset[bytes]:
    """What `dump_seen` made."""
    marks = b64decode(text)
    return frozenset(marks[start : start + _BYTES] for start in range(0, len(marks), _BYTES))
