"""`Memory.consolidate`: the layout of the index, which changes no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import memspan


def test_answers_stay(tmp_path: Path) -> None:
    with memspan.Memory(tmp_path / "agent.memspan", embedder=memspan.HashEmbedder(dim=64)) as memory:
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
