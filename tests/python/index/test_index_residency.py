"""`max_resident_bytes`: what a user of `Index` sees of it. What it does is tested natively (residency_test.cpp)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

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


def test_without_a_limit_no_directory_for_temporary_files_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose file system is read-only."""
    filled(memspan.Index(32)).save(tmp_path / "s")

    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", none)
    assert len(filled(memspan.Index(32))) == 600
    assert len(memspan.Index.load(tmp_path / "s")) == 600
    with pytest.raises(memspan.InvalidArgumentError, match="spill_directory"):
        memspan.Index(32, max_resident_bytes=60_000)
    assert len(memspan.Index(32, max_resident_bytes=60_000, spill_directory=tmp_path)) == 0


MEMORY = """
import sys
import numpy as np
import memspan

USERS, RECORDS, DIM, LIMIT = 1000, 60, 256, 8_000_000
random = np.random.default_rng(0)
vectors = random.standard_normal((RECORDS, DIM)).astype(np.float32)
ids = [f"m{i}" for i in range(RECORDS)]

def private():
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) * 1024

def fill(index, text="apple pear"):
    for user in range(USERS):
        index.add_many(
            user=f"u{user}", ids=ids, ats=range(RECORDS), embeddings=vectors, texts=[text] * RECORDS
        )

def search(index):
    for user in range(USERS):
        assert index.search(user=f"u{user}", embedding=vectors[5], k=1).ids == ["m5"]

options = dict(max_resident_bytes=LIMIT, spill_directory=sys.argv[1], auto_consolidate=False)
if sys.argv[2] == "filled":
    before = private()
    index = memspan.Index(DIM, **options)
    fill(index)
else:
    whole = memspan.Index(DIM, auto_consolidate=False)
    fill(whole)
    whole.save(sys.argv[1] + "/snapshot")
    del whole
    before = private()
    index = memspan.Index.load(sys.argv[1] + "/snapshot", **options)
for round in range(3):
    if sys.argv[2] == "written":
        fill(index, f"apple {round}")
        assert private() - before < 3 * LIMIT, (round, private() - before, index.stats())
    search(index)
    stats = index.stats()
    assert stats["bytes"] < LIMIT + 500_000, stats
    assert private() - before < 3 * LIMIT, (round, private() - before, stats)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="needs Linux")
@pytest.mark.parametrize("how", ["filled", "searched", "written"])
def test_the_memory_of_the_process_stays_near_the_limit(how: str) -> None:
    """All users together take ten times the limit, and each of them comes back in every round."""
    # `tmp_path` may lie in memory, where a mapped file counts as the process's own.
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, folder, how], capture_output=True, text=True, timeout=120
        )
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_spill_directory_must_be_there_if_memory_is_limited(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    wanted = f"spill_directory: got '{missing}': No such file or directory; accepted: a directory"
    with pytest.raises(memspan.InvalidArgumentError, match=wanted):
        memspan.Index(3, max_resident_bytes=1, spill_directory=missing)
    memspan.Index(3, spill_directory=missing).save(tmp_path / "s")
    with pytest.raises(memspan.InvalidArgumentError, match=wanted):
        memspan.Index.load(tmp_path / "s", max_resident_bytes=1, spill_directory=missing)
    with pytest.raises(memspan.InvalidArgumentError, match="Not a directory"):
        memspan.Index(3, max_resident_bytes=1, spill_directory=tmp_path / "s")


def test_a_spill_directory_stays_when_the_process_works_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "waiting").mkdir()
    monkeypatch.chdir(tmp_path)
    index = memspan.Index(32, max_resident_bytes=60_000, spill_directory="waiting")
    monkeypatch.chdir(tmp_path / "waiting")
    filled(index)
    stats = index.stats()
    assert stats["failed_spills"] == 0
    assert stats["resident_users"] < stats["users"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_spill_directory_must_be_writable(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(memspan.InvalidArgumentError, match="spill_directory: .*Permission denied"):
        memspan.Index(3, max_resident_bytes=1, spill_directory=tmp_path)


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "1 GB", 2**63])
def test_bad_limits(limit: object) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="max_resident_bytes"):
        memspan.Index(3, max_resident_bytes=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("directory", [5, b"x", "", "nul\0byte"])
def test_bad_directories(directory: object) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="spill_directory"):
        memspan.Index(3, spill_directory=directory)  # type: ignore[arg-type]
