"""A fork beside other threads' calls: the child's index is whole, and nothing in it stays locked."""

from __future__ import annotations

import subprocess
import sys

import pytest

# In a process of its own: threads and forks do not mix with those of other tests.
CODE = """
import os, signal, threading
import numpy as np, memspan

signal.alarm(120)
rows = np.random.default_rng(1).normal(size=(4000, 16)).astype(np.float32)
index = memspan.Index(16)
index.add_many(
    user="ana", ids=[f"r{i}" for i in range(4000)], ats=list(range(4000)), texts=["tent"] * 4000, embeddings=rows
)
queries = [memspan.Query(user="ana", embedding=row, text="tent") for row in rows[:200]]
over = threading.Event()

def write():
    ids = [f"n{i}" for i in range(400)]
    while not over.is_set():
        index.add_many(user="ana", ids=ids, ats=list(range(400)), texts=["tent"] * 400, embeddings=rows[:400])
        index.remove(user="ana", ids=ids)

def consolidate():
    while not over.is_set():
        index.consolidate(user="ana", force=True)

def search():
    while not over.is_set():
        index.search_many(queries)

threads = [threading.Thread(target=each) for each in (write, consolidate, search)]
for thread in threads:
    thread.start()
statuses = []
for _ in range(6):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        index.add(user="ana", id="child", at=1, text="boat")
        assert index.search(user="ana", text="boat").ids == ["child"]
        index.consolidate(user="ana", force=True)
        assert index.search(user="ana", embedding=rows[7], k=1).ids[0] in ("r7", "n7")
        index.remove(user="ana", ids=["child"])
        os._exit(0)
    statuses.append(os.waitpid(child, 0)[1])
over.set()
for thread in threads:
    thread.join()
print(statuses, "child" in index.ids(user="ana"))
"""


SPILLING = """
import os, signal, threading
import numpy as np, memspan

signal.alarm(100)
rows = np.random.default_rng(1).normal(size=(40, 64)).astype(np.float32)
users = [f"u{number}" for number in range(8)]
index = memspan.Index(64, max_resident_bytes=1, auto_consolidate=False)
for user in users:
    index.add_many(user=user, ids=[f"r{i}" for i in range(40)], ats=list(range(40)), embeddings=rows)
over = threading.Event()

def write(mine):
    while not over.is_set():
        for user in mine:
            index.add(user=user, id="r0", at=0, embedding=rows[0])

def use():
    for _ in range(3):
        for user in users:
            index.add(user=user, id="r1", at=1, embedding=rows[1])
    for user in users:
        assert index.search(user=user, embedding=rows[7], k=1).ids == ["r7"]

threads = [threading.Thread(target=write, args=(users[first::2],), daemon=True) for first in range(2)]
for thread in threads:
    thread.start()
statuses = []
for _ in range(6):
    child = os.fork()
    use()
    if child == 0:
        os._exit(0)
    statuses.append(os.waitpid(child, 0)[1])
over.set()
for thread in threads:
    thread.join()
use()
print(statuses)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_fork_beside_calls_that_put_users_away_leaves_each_side_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SPILLING], capture_output=True, text=True, check=False, timeout=200
    )
    assert done.stdout == f"{[0] * 6}\n", done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_forked_child_uses_its_index_whatever_other_threads_were_about() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=False, timeout=200
    )
    assert done.stdout == f"{[0] * 6} False\n", done.stderr
