"""After a fork both sides have every user, also those who wait in a file that they share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")

BEFORE = """
import os, sys
import numpy as np
from memspan import Index

USERS, RECORDS, DIM = 60, 40, 64
random = np.random.default_rng(0)
vectors = random.standard_normal((USERS, RECORDS, DIM)).astype(np.float32)
index = Index(DIM, max_resident_bytes=200_000, spill_directory=sys.argv[1], auto_consolidate=False)
for user in range(USERS):
    index.add_many(
        user=f"u{user}", ids=[f"m{i}" for i in range(RECORDS)], ats=list(range(RECORDS)), embeddings=vectors[user]
    )
assert index.stats()["resident_users"] < USERS / 2

def check(*added):
    for user in range(USERS):
        for record in (7, 31):
            assert index.search(user=f"u{user}", embedding=vectors[user][record], k=1).ids == [f"m{record}"]
        assert set(index.ids(user=f"u{user}")) == {*(f"m{i}" for i in range(RECORDS)), *added}

def write(id):
    for user in range(USERS):
        index.add(user=f"u{user}", id=id, at=99, text="written")

def wait(pid):
    status = os.waitpid(pid, 0)[1]
    assert status == 0, status
"""

CHILD_ENDS = """
pid = os.fork()
if pid == 0:
    sys.exit(0)
wait(pid)
check()
write("later")
check("later")
"""

CHILD_DROPS_THE_INDEX = """
pid = os.fork()
if pid == 0:
    del index
    os._exit(0)
wait(pid)
check()
"""

CHILD_WRITES = """
pid = os.fork()
if pid == 0:
    check()
    write("child")
    check("child")
    write("child again")
    check("child", "child again")
    sys.exit(0)
wait(pid)
check()
"""

BOTH_WRITE = """
to_child, from_parent = os.pipe()
pid = os.fork()
if pid == 0:
    os.read(to_child, 1)
    check()
    write("child")
    check("child")
    sys.exit(0)
write("parent")
check("parent")
os.write(from_parent, b"x")
write("parent again")
check("parent", "parent again")
wait(pid)
check("parent", "parent again")
"""

GRANDCHILD = """
pid = os.fork()
if pid == 0:
    write("child")
    inner = os.fork()
    if inner == 0:
        write("grandchild")
        check("child", "grandchild")
        sys.exit(0)
    wait(inner)
    check("child")
    sys.exit(0)
wait(pid)
check()
"""


@pytest.mark.parametrize("script", [CHILD_ENDS, CHILD_DROPS_THE_INDEX, CHILD_WRITES, BOTH_WRITE, GRANDCHILD])
def test_users_in_a_file_survive_on_both_sides(tmp_path: Path, script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", BEFORE + script, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert list(tmp_path.iterdir()) == []
