"""`Memory.consolidate`: the layout of the index, which changes no answer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import memspan


def test_answers_stay(tmp_path: Path) -> None:
    with memspan.Memory(
        tmp_path / "agent.memspan", embedder=memspan.HashEmbedder(dim=64), auto_consolidate=False
    ) as memory:
        texts = [f"note {number} about kite {number % 7} and boat {number % 11}" for number in range(500)]
        memory.add([{"text": text, "at": number * 10**6} for number, text in enumerate(texts)], user="ana")
        before = [recall.id for recall in memory.search("boat 7", user="ana", k=20)]
        report = memory.consolidate("ana")
        assert report.users == 1
        assert report.records == 500
        assert [recall.id for recall in memory.search("boat 7", user="ana", k=20)] == before
        assert memory.user("ana").consolidate().skipped == 1
        assert memory.consolidate().users == 1


def test_bad_users_are_refused(tmp_path: Path) -> None:
    with (
        memspan.Memory(tmp_path / "agent.memspan", embedder=memspan.HashEmbedder(dim=64)) as memory,
        pytest.raises(memspan.InvalidArgumentError, match="user"),
    ):
        memory.consolidate("")


def test_a_memory_consolidates_by_itself(tmp_path: Path) -> None:
    path, embedder = tmp_path / "agent.memspan", memspan.HashEmbedder(dim=64)
    texts = [f"note {number} about kite {number % 7} and boat {number % 11}" for number in range(1200)]
    for automatic in (False, True):
        with memspan.Memory(path, embedder, auto_consolidate=automatic) as memory:
            memory.add(texts[:600] if not automatic else texts[600:], user="ana")
            index = memory._engine.current()
            while index.auto_consolidations().waiting:
                time.sleep(0.001)
            assert index.auto_consolidations().done == automatic
    with pytest.raises(memspan.InvalidArgumentError, match="auto_consolidate"):
        memspan.Memory(path, embedder, auto_consolidate="yes")  # type: ignore[arg-type]
