"""How many calls of Python functions something makes: a measure of work that depends on no clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def counted_calls(work: Callable[[], object]) -> int:
    """Calls of Python functions, generators that go on included."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
