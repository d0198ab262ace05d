"""What is kept of the decisions of an update in sleep."""

from __future__ import annotations

import json
from typing import Any

from memspan.lifecycle.sleep import log as sleep_log
from memspan.lifecycle.sleep.log import SleepDecision, log_of, read_log


def decided(memory: str, action: str, *later: str) -> dict[str, Any]:
    return {"event": "decided", "memory": memory, "action": action, "later": list(later)}


NOTES = [
    decided("a", "keep"),
    decided("b", "merge", "c", "d"),
    decided("e", "update", "f"),
    decided("g", "retire", "h"),
    {"event": "unknown memories", "memory": "g", "numbers": [9]},
    {
        "event": "refused",
        "memory": "i",
        "action": "merge",
        "reason": "would lose something",
        "missing": ["Oslo"],
    },
    {"event": "refused", "memory": "j", "action": "burn Oslo", "reason": "no such action"},
    {"event": "no decision", "memory": "k", "reason": "the reply said Oslo"},
    decided("l", "update", "m"),
    {"event": "overtaken", "memory": "l", "action": "update"},
    decided("n", "retire", "o"),
    {"event": "skipped", "memory": "n", "action": "retire"},
]
IDS = "abcdefghijklmno"


def test_each_memory_has_its_last_outcome() -> None:
    found = {one.memory: one for one in read_log(json.loads(json.dumps(log_of(NOTES))), IDS)}
    assert found["a"] == SleepDecision("a", "kept", "keep", (), None)
    assert found["b"] == SleepDecision("b", "merged", "merge", ("c", "d"), None)
    assert (found["e"].outcome, found["g"].outcome) == ("updated", "retired")
    assert found["i"] == SleepDecision("i", "refused", "merge", (), "would lose something")
    assert found["j"] == SleepDecision("j", "refused", None, (), "no such action")
    assert found["k"] == SleepDecision("k", "undecided", None, (), None)
    assert found["l"] == SleepDecision("l", "overtaken", "update", ("m",), None)
    assert found["n"].outcome == "skipped"


def test_nothing_that_was_said_is_kept() -> None:
    assert "Oslo" not in json.dumps(log_of(NOTES))


def test_forgotten_memories_have_no_name() -> None:
    log = log_of([decided("secret-id", "merge", "other-id")])
    assert "secret-id" not in json.dumps(log)
    assert read_log(log, ["other-id"]) == [SleepDecision(None, "merged", "merge", ("other-id",), None)]


def test_a_long_log_keeps_what_changed(monkeypatch: Any) -> None:
    monkeypatch.setattr(sleep_log, "_MOST", 2)
    log = log_of([*(decided(f"k{i}", "keep") for i in range(5)), decided("x", "retire", "y")])
    assert log["left_out"] == 4
    assert [entry["outcome"] for entry in log["decisions"]] == ["retired", "kept"]
    assert read_log({}, []) == []
