"""Threads that search, write and compute at the same time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import memspan

DIM = 16
RECORDS = 9000


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((RECORDS, DIM)).astype(np.float32)


@pytest.fixture
def index(vectors: np.ndarray) -> memspan.Index:
    made = memspan.Index(DIM, auto_consolidate=False)
    made.add_many(
        user="ana",
        ids=[str(i) for i in range(RECORDS)],
        ats=list(range(RECORDS)),
        texts=[f"opera {i}" for i in range(RECORDS)],
        embeddings=vectors,
    )
    made.consolidate(user="ana", force=True)
    return made


@contextmanager
def running(work: Callable[[], object], count: int = 1) -> Iterator[None]:
    """Threads that do this again and again."""
    stop = threading.Event()

    def again() -> None:
        while not stop.is_set():
            work()

    threads = [threading.Thread(target=again) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextmanager
def turns_of(seconds: float) -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("text", [None, "opera"])
@pytest.mark.parametrize("searching", [1, 3])
def test_a_search_beside_a_thread_that_computes_does_not_wait_for_a_turn_each(
    index, vectors, text, searching
):
    taken: list[float] = []
    lock = threading.Lock()

    def searches() -> None:
        start = time.perf_counter()
        for i in range(1000):
            index.search(user="ana", embedding=vectors[i], text=text, k=3)
        with lock:
            taken.append(time.perf_counter() - start)

    threads = [threading.Thread(target=searches) for _ in range(searching)]
    with turns_of(0.05), running(lambda: sum(range(1000))):  # 50 s for each, were it a turn for each search
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(taken) == searching
    assert max(taken) < 10


@pytest.mark.parametrize("threads", [2, 8])
def test_many_threads_find_what_one_finds(index, vectors, threads):
    expected = [index.search(user="ana", embedding=vectors[i], k=3) for i in range(200)]
    wrong: list[int] = []

    def searches() -> None:
        for round_ in range(10):
            for i, hits in enumerate(expected):
                found = index.search(user="ana", embedding=vectors[i], k=3)
                if [hit.id for hit in found] != [hit.id for hit in hits]:
                    wrong.append(round_)

    others = [threading.Thread(target=searches) for _ in range(threads)]
    with running(lambda: index.add(user="ben", id="b", at=0, text="x", embedding=vectors[0])):
        for thread in others:
            thread.start()
        for thread in others:
            thread.join()
    assert wrong == []


def test_searches_go_on_while_others_come_and_go(index, vectors):
    """One thread after the other, and some at once, beside others that sleep."""
    with running(lambda: time.sleep(0.0001), count=2):
        for i in range(200):
            thread = threading.Thread(target=lambda i=i: index.search(user="ana", embedding=vectors[i], k=3))
            thread.start()
            assert index.search(user="ana", embedding=vectors[i], k=1)[0].id == str(i)
            thread.join(60)
            assert not thread.is_alive()


AT_THE_END = """
import sys, threading, time
import numpy as np
import memspan

index = memspan.Index(32, auto_consolidate=False)
rows = np.random.default_rng(0).standard_normal((6000, 32)).astype(np.float32)
ids = [str(n) for n in range(len(rows))]
index.add_many(user="ana", ids=ids, ats=list(range(len(rows))), embeddings=rows)
calls = {
    "search": lambda: index.search(user="ana", embedding=rows[0], k=10, exact=True),
    "add_many": lambda: index.add_many(user="ben", ids=ids[:500], ats=list(range(500)), embeddings=rows[:500]),
    "ids": lambda: index.ids(user="ana"),
    "consolidate": lambda: index.consolidate(user="ana", force=True),
}

def forever():
    while True:
        calls[sys.argv[1]]()

for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.parametrize("call", ["search", "add_many", "ids", "consolidate"])
def test_daemon_threads_do_not_end_the_process_with_an_abort(call: str) -> None:
    """Whose call ends when the interpreter has."""
    command = [sys.executable, "-c", AT_THE_END, call]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
