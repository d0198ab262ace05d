"""A handle that was open at a fork works on both sides."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")

BUSY_FORK = """
import os, sys, threading
from memspan.memory import Memory

memory = Memory(sys.argv[1], "hash:16")
memory.add([{"id": f"before-{i}", "text": "text"} for i in range(50)], user="ana")
stop = threading.Event()

def search():
    while not stop.is_set():
        memory.search("text", user="ana")

def write():
    while not stop.is_set():
        memory.add("written all the time", user="ben")

# Threads that the children do not have are in the middle of something at the moment of the fork.
threads = [threading.Thread(target=target) for target in (search, search, write, write)]
for thread in threads:
    thread.start()
children = []
for name in ("a", "b", "c"):
    pid = os.fork()
    if pid == 0:
        for i in range(20):
            memory.add([{"id": f"{name}-{i}", "text": f"text {i}"}], user="ana")
        found = {recall.id for recall in memory.latest(user="ana", k=1000)}
        assert {f"before-{i}" for i in range(50)} | {f"{name}-{i}" for i in range(20)} <= found
        assert memory.search("text 7", user="ana")
        memory.close()
        os._exit(0)
    children.append(pid)
stop.set()
for thread in threads:
    thread.join()
memory.close()  # The parent's last connection goes while the children write.
statuses = [os.waitpid(pid, 0)[1] for pid in children]
assert statuses == [0, 0, 0], statuses
with Memory(sys.argv[1]) as memory:
    assert memory.stats("ana")["records"] == 50 + 3 * 20
    assert memory.verify() == []
print("fine")
"""

FORK_IN_A_TRANSACTION = """
import os, sys
from memspan.errors import StoreError
from memspan.memory import Memory

memory = Memory(sys.argv[1], "hash:16")
with memory._engine.store.writing() as writer:
    writer.relate("ana", "a", "b")
    pid = os.fork()
    if pid == 0:
        for call in (memory.users, lambda: Memory(sys.argv[1])):
            try:
                call()
            except StoreError as error:
                assert "forked in the middle" in str(error), error
            else:
                os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
assert memory.users() == ["ana"]
assert memory.verify() == []
memory.close()
print("fine")
"""


def run(script: str, path: Path) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout, done.stderr


def test_parent_and_children_go_on_with_the_handle(path: Path) -> None:
    assert run(BUSY_FORK, path) == ("fine\n", "")


def test_a_fork_inside_a_transaction_is_refused_in_the_child(path: Path) -> None:
    assert run(FORK_IN_A_TRANSACTION, path) == ("fine\n", "")


BARE_INDEX = """
import os
import time
import numpy as np
from memspan import Index

random = np.random.default_rng(0)
centers = random.standard_normal((30, 64))

def vectors(count):
    return (centers[random.integers(0, 30, count)] + random.standard_normal((count, 64))).astype(np.float32)

def check(index, side):
    for i in range(600):
        index.add(user="ana", id=f"{side}-{i}", at=i, embedding=vectors(1)[0])
    wanted = vectors(1)[0]
    index.add(user="ana", id="wanted", at=0, embedding=wanted)
    assert index.search(user="ana", embedding=wanted, k=1, exact=True).ids == ["wanted"]
    index.consolidate(user="ana")
    assert index.search(user="ana", embedding=wanted, k=1, exact=True).ids == ["wanted"]
    assert index.auto_consolidations().failed == 0

index = Index(64)
statuses = []
for round in range(6):
    count = 6000
    ids = [f"{round}-{i}" for i in range(count)]
    index.add_many(user="ana", ids=ids, ats=list(range(count)), embeddings=vectors(count))
    # Its thread is at work, or about to be.
    pid = os.fork()
    if pid == 0:
        check(index, "child")
        del index
        os._exit(0)
    check(index, "parent")
    statuses.append(os.waitpid(pid, 0)[1])
assert statuses == [0] * 6, statuses
# The thread's priority is low: on a busy machine it gets its turn now.
for _ in range(600):
    if index.auto_consolidations().done >= 2:
        break
    time.sleep(0.1)
assert index.auto_consolidations().done >= 2
print("fine")
"""


TASKS = """
import asyncio, os, sys
from memspan.memory import Memory
from memspan.remember import asynchronous

memory = Memory(sys.argv[1], "hash:16")
asyncio.run(memory.aadd("before", user="ana"))
threads = asynchronous._writers
pid = os.fork()
if pid == 0:
    assert asynchronous._writers is not threads, "nobody would begin before they are seen to be gone"
    asyncio.run(asyncio.wait_for(memory.aadd("in the child", user="ana"), 60))
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
asyncio.run(memory.aadd("after", user="ana"))
assert len(memory.latest("ana")) == 3
memory.close()
print("fine")
"""


def test_tasks_write_on_both_sides(path: Path) -> None:
    assert run(TASKS, path) == ("fine\n", "")


def test_an_index_that_consolidates_by_itself_goes_on_in_both(path: Path) -> None:
    assert run(BARE_INDEX, path) == ("fine\n", "")


EMBEDDING_SERVER = """
import json, os, signal, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from memspan.embed import OpenAIEmbedder

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        ports.append((self.client_address[1], asked["input"]))
        if slow.is_set():
            asked_for.set()
            time.sleep(0.3)
        reply = json.dumps({"data": [{"index": 0, "embedding": [1.0, 0.0]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *arguments):
        pass

ports = []
slow, asked_for = threading.Event(), threading.Event()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
embedder = OpenAIEmbedder("tiny", base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="k", dim=2)
embedder.embed_query("before")
pid = os.fork()
if pid == 0:
    embedder.embed_query("child")
    embedder.embed_query("child")
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
embedder.embed_query("parent")
# A thread asks how long vectors are, and its parent forks meanwhile.
embedder = OpenAIEmbedder("tiny", base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="k")
slow.set()
asking = threading.Thread(target=lambda: embedder.dim)
asking.start()
asked_for.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(20)  # instead of waiting for a thread that is not here
    os._exit(0 if embedder.dim == 2 else 1)
assert os.waitpid(pid, 0)[1] == 0
asking.join()
used = {words: {port for port, (said,) in ports if said in words.split()} for words in ("before parent", "child")}
assert all(len(of_one) == 1 for of_one in used.values()), "each process keeps its connection"
assert used["before parent"] != used["child"], "one reads what the other asked for"
print("fine")
"""


def test_a_fork_has_its_own_connections_to_an_embedder(path: Path) -> None:
    pytest.importorskip("httpx")
    pytest.importorskip("tenacity")
    assert run(EMBEDDING_SERVER, path) == ("fine\n", "")


LOADING = """
import os, signal, threading, time
from memspan.embed.loaded_once import LoadedOnce

kept, begun = LoadedOnce(), threading.Event()

def load(key):
    begun.set()
    time.sleep(0.3)
    return key

loading = threading.Thread(target=kept.get, args=("a", load))
loading.start()
begun.wait()
# Two at once, as servers do that start workers from their threads.
def fork():
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # instead of waiting for a thread that is not here
        os._exit(0 if kept.get("a", str.upper) == "a" and kept.get("b", str.upper) == "B" else 1)
    statuses.append(os.waitpid(pid, 0)[1])

statuses = []
forking = [threading.Thread(target=fork) for _ in range(2)]
for thread in forking:
    thread.start()
for thread in forking:
    thread.join()
assert statuses == [0, 0], statuses
assert kept.get("b", str.upper) == "B"
print("fine")
"""


def test_a_fork_waits_for_what_is_being_loaded(path: Path) -> None:
    assert run(LOADING, path) == ("fine\n", "")


NEW_IDS = """
import os, signal, sys, threading
from memspan.remember.input import identifiers

os.register_at_fork(before=lambda: (wanted.set(), held.wait()))

def hold():
    wanted.wait()
    with identifiers._lock:
        held.set()
        over.wait()

wanted, held, over = (threading.Event() for _ in range(3))
holding = threading.Thread(target=hold)
holding.start()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    identifiers.new_id()
    os._exit(0)
status = os.waitpid(pid, 0)[1]
over.set()
holding.join()
assert status == 0, status
print("fine")
"""


def test_a_fork_while_a_thread_makes_an_id_does_not_hang(path: Path) -> None:
    assert run(NEW_IDS, path) == ("fine\n", "")
