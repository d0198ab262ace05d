"""A pool of threads that waits for none that never comes to life."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from . import sure_start

__all__ = ["SurePool"]


class SurePool(ThreadPoolExecutor):
    """As its base, which starts threads in `submit`: there it waits for ever for one that dies for want of memory
    before its first line, and nobody gets a thread of any executor meanwhile, nor does the program end.

    Where there is no room for another thread, those that it has do the work; if there are none, `submit` raises
    `RuntimeError` or `MemoryError` (see `sure_start.start`).
    """

    def _adjust_thread_count(self) -> None:
        # Python's own hook, without the waiting inside. Were it called otherwise one day, the base's would do.
        if self._idle_semaphore.acquire(timeout=0):
            return
        self._threads = {thread for thread in self._threads if thread.is_alive()}
        if len(self._threads) >= self._max_workers:
            return
        try:
            sure_start.call(super()._adjust_thread_count)
        except (RuntimeError, MemoryError):
            if not self._threads:
                raise
