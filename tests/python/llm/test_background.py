"""The loop of all models."""

from __future__ import annotations

import threading

import pytest
from waiting import wait_for

from memspan.llm.background import _Thread


def test_a_loop_whose_thread_cannot_be_started_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    background = _Thread()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="can't start"):
                background.started()
    loop = background.started()
    done = threading.Event()
    loop.call_soon_threadsafe(done.set)
    assert done.wait(60)
    loop.call_soon_threadsafe(loop.stop)
    wait_for(lambda: not loop.is_running())
    loop.close()
