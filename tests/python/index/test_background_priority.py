"""The thread that consolidates by itself gives way to others, whatever the scheduling of the thread that started it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_CHILD = """
import os
import time
import numpy as np
import memspan

os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
index = memspan.Index(64)
rows = np.random.default_rng(1).normal(size=(20_000, 64)).astype(np.float32)
before, seen = set(os.listdir("/proc/self/task")), set()
ids = [str(i) for i in range(len(rows))]
index.add_many(user="u", ids=ids, ats=np.arange(len(rows)), texts=["x"] * len(rows), embeddings=rows)
while index.auto_consolidations().done == 0:
    for task in set(os.listdir("/proc/self/task")) - before:
        try:
            seen.add(os.sched_getscheduler(int(task)))
        except ProcessLookupError:
            pass
    time.sleep(0.0002)
print(os.SCHED_OTHER in seen)
"""


def _may_be_real_time() -> bool:
    if not hasattr(os, "sched_setscheduler"):
        return False
    attempt = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
    return subprocess.run([sys.executable, "-c", attempt], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _may_be_real_time(), reason="this process may not ask for real-time scheduling")
def test_a_real_time_process_consolidates_in_ordinary_time() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "True"
