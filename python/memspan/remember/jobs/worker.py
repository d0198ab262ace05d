"""Who works on jobs, and how to see that a worker is gone."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from memspan.store.jobs import Worker
from memspan.times import Micros

__all__ = ["ended", "gone", "is_at_work", "new_worker", "renewed", "this_process"]


def new_worker(now: Micros, lease: float) -> Worker:
    """A worker of this process with a name that no other one has."""
    return renewed(Worker(secrets.token_hex(8), _host(), _process(os.getpid()), 0), now, lease)


def renewed(worker: Worker, now: Micros, lease: float) -> Worker:
    """The worker with a sign of life at `now`; `lease` in seconds."""
    return worker._replace(expires=now + int(lease * 1e6))


def gone(worker: Worker, now: Micros, lease: float) -> bool:
    """Whether the worker's lease ended, or its process did, as far as can be seen from here.

    Of a process that cannot be seen, as after a restart of the machine, a lease beyond any that begins now tells
    nothing: the clock was set back since. One that lives gives another sign soon; the end of it might be a year away.
    """
    if worker.expires < now:
        return True
    if worker.host != _host():
        return worker.expires > renewed(worker, now, lease).expires
    return ended(worker)


def ended(worker: Worker) -> bool:
    """Whether the worker's process is seen to have ended."""
    pid = worker.process.partition(":")[0]
    return worker.host == _host() and pid.isdigit() and _ended(int(pid), worker.process)


def this_process() -> str:
    """Names this process, for `is_at_work`."""
    return f"{_host()} {_process(os.getpid())}"


def is_at_work(process: str) -> bool:
    """Whether the process of that name is seen to be there: `False` of one that ended, or is of another machine."""
    host, _, name = process.partition(" ")
    pid = name.partition(":")[0]
    return os.name == "posix" and host == _host() and pid.isdigit() and not _ended(int(pid), name)


def _ended(pid: int, process: str) -> bool:
    if os.name != "posix":
        return False  # There, asking whether a process is alive can end it.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return _process(pid) != process


@lru_cache(maxsize=1)
def _host() -> str:
    """Names the machine since its last start, and the space that process numbers belong to, without telling what it
    is called."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _process(pid: int) -> str:
    """`pid:start`; numbers of processes are used again, with another start. Only the number where that is not told."""
    with suppress(OSError, IndexError):
        # The name, in parentheses, may hold anything; the start is the twentieth field after it. A zombie has ended.
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return f"{pid}:{'ended' if state in 'ZX' else fields[18]}"
    return str(pid)
