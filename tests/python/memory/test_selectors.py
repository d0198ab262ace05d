"""What the selectors of forgetting and holding take, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.times import from_micros


def at(second: int) -> Any:
    return from_micros(1_700_000_000_000_000 + second * 1_000_000)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add(
        [
            {"id": f"{kind}-{session}", "text": "x y", "kind": kind, "session": session, "at": at(i)}
            for i, (kind, session) in enumerate(
                (kind, session) for kind in ("episodic", "semantic", "vault") for session in ("s", "t")
            )
        ],
        user="ana",
    )
    memory.add([{"id": "episodic-s", "text": "of ben", "session": "s"}], user="ben")
    return memory


def left(memory: Memory) -> set[str]:
    return set(memory._engine.current().ids(user="ana"))


ALL = {f"{kind}-{session}" for kind in ("episodic", "semantic", "vault") for session in ("s", "t")}


@pytest.mark.parametrize(
    ("selectors", "gone"),
    [
        ({"session": "s"}, {"episodic-s", "semantic-s", "vault-s"}),
        ({"kinds": ["vault"]}, {"vault-s", "vault-t"}),
        ({"kinds": ("vault", "semantic")}, {"vault-s", "vault-t", "semantic-s", "semantic-t"}),
        ({"session": "t", "kinds": ["semantic"]}, {"semantic-t"}),
        ({"between": (at(1), at(3))}, {"episodic-t", "semantic-s"}),
        ({"between": [(None, at(1)), (at(5), None)]}, {"episodic-s", "vault-t"}),
        ({"between": (at(1), at(1))}, set()),
        ({"between": (None, None), "session": "s", "kinds": ["vault"]}, {"vault-s"}),
        ({"id": ["vault-s", "vault-s", "nobody"]}, {"vault-s"}),
        ({"id": []}, set()),
        ({"session": "unknown"}, set()),
        ({}, ALL),
    ],
)
def test_each_selector(filled: Memory, selectors: dict[str, Any], gone: set[str]) -> None:
    assert filled.forget(user="ana", **selectors) == len(gone)
    assert left(filled) == ALL - gone
    assert filled.get(user="ben", id="episodic-s") is not None
    assert filled.verify() == []


@pytest.mark.parametrize(
    ("selectors", "named"),
    [
        ({"id": "a", "session": "s"}, "session"),
        ({"id": "a", "kinds": ["vault"]}, "kinds"),
        ({"id": 7}, "id"),
        ({"id": b"a"}, "id"),
        ({"id": [""]}, r"id\[0\]"),
        ({"id": {"a": 1}}, "id"),
        ({"source": "a", "between": (None, None)}, "source"),
        ({"session": ""}, "session"),
        ({"session": 5}, "session"),
        ({"kinds": []}, "kinds"),
        ({"kinds": "vault"}, "kinds"),
        ({"kinds": ["secret"]}, r"kinds\[0\]"),
        ({"between": (at(2), at(1))}, "between"),
        ({"between": "yesterday"}, "between"),
        ({"between": []}, "between"),
        ({"confirm": 5}, "confirm"),
        ({"confirm": "nonsense"}, "confirm"),
        ({"confirm": "nonsense", "id": "a"}, "id"),
    ],
)
def test_bad_selectors_change_nothing(filled: Memory, selectors: dict[str, Any], named: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"^{named}.*: got .*; accepted: "):
        filled.forget(user="ana", **selectors)
    if "confirm" not in selectors:
        for call in (filled.hold, filled.release):
            with pytest.raises(errors.InvalidArgumentError, match=f"^{named}.*: got .*; accepted: "):
                call(user="ana", **selectors)
    assert left(filled) == ALL


def test_nobody_is_forgotten_by_mistake(filled: Memory) -> None:
    for call in (filled.forget, filled.hold, filled.release):
        for user in (None, "", 5):
            with pytest.raises(errors.InvalidArgumentError, match=r"^user: got .*; accepted: "):
                call(user=user)  # type: ignore[operator]
    assert left(filled) == ALL
