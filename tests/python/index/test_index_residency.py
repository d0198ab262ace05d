"""`max_resident_bytes`: what a user of `Index` sees of it. What it does is tested natively (residency_test.cpp)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import memspan


def filled(index: memspan.Index, users: int = 20) -> memspan.Index:
    for user in range(users):
        index.add_many(
            user=f"u{user}",
            ids=[f"m{i}" for i in range(30)],
            ats=np.arange(30),
            embeddings=np.eye(30, 32, dtype=np.float32),
        )
    return index


def test_few_users_stay_and_all_answer(tmp_path: Path) -> None:
    index = filled(memspan.Index(32, max_resident_bytes=60_000, spill_directory=tmp_path))
    assert index.stats()["users"] == 20
    assert 1 <= index.stats()["resident_users"] < 15
    assert index.stats()["bytes"] < filled(memspan.Index(32)).stats()["bytes"]
    for user in range(20):
        assert index.search(user=f"u{user}", embedding=np.eye(1, 32, user)[0], k=1).ids == [f"m{user}"]
    assert len(index) == 600
    assert list(tmp_path.iterdir()) == []


def test_users_of_a_snapshot_are_read_when_asked_for(tmp_path: Path) -> None:
    filled(memspan.Index(32)).save(tmp_path / "s")
    index = memspan.Index.load(tmp_path / "s")
    assert (index.stats()["resident_users"], len(index), len(index.users())) == (0, 600, 20)
    assert index.locate(user="u3", id="m1") is not None
    assert index.stats()["resident_users"] == 1
    (tmp_path / "s").unlink()
    assert index.contains(user="u4", id="m1"), "the file may vanish meanwhile"


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "1 GB", 2**63])
def test_bad_limits(limit: object) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="max_resident_bytes"):
        memspan.Index(3, max_resident_bytes=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("directory", [5, b"x", "", "nul\0byte"])
def test_bad_directories(directory: object) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="spill_directory"):
        memspan.Index(3, spill_directory=directory)  # type: ignore[arg-type]
