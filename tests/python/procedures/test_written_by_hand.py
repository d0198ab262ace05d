"""Records that callers wrote like learnt procedures."""

from __future__ import annotations

from typing import Any

import pytest
from agent_sessions import cancel_order

from memspan.memory import Memory

STEPS = ("find_order", "check_refund", "cancel_order")


@pytest.mark.parametrize(
    "told",
    [
        {"seen": True},
        {"seen": [1, ["k"], ["k", "x", None], ["k", 1 << 62, True], ["k", 5, 7], [1, 5, True]]},
        {"older": []},
        {"older": {"successes": "x", "failures": -1, "unknown": 1 << 62, "through": 1 << 62}},
    ],
)
def test_what_cannot_be_read_breaks_nothing(memory: Memory, told: dict[str, Any]) -> None:
    metadata = {"stage": "learning", "procedure": {"steps": [{"action": name} for name in STEPS], **told}}
    memory.add({"id": "own", "text": "Cancelling", "metadata": metadata}, user="ana", kind="procedural")
    (before,) = memory.procedures("ana")
    assert before.runs == 0

    memory.add([cancel_order(number) for number in (1, 2, 3, 4)], user="ana")
    memory.learn_procedures("ana")

    (one,) = memory.procedures("ana")
    assert (one.id, one.runs) == ("own", 4)
