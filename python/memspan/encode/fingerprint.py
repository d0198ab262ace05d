"""What a kept result was made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from .values import Turn

__all__ = ["fingerprint"]


def fingerprint(turns: Sequence[Turn]) -> str:
    """16 hexadecimal digits that change with the turns' ids and texts: part of a key, so that what was made of other
    turns is never taken for these."""
    said = json.dumps([(turn.id, turn.text) for turn in turns])
    return hashlib.sha256(said.encode()).hexdigest()[:16]
