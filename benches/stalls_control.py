"""Does a loop that has nothing to do with memspan wait, too, where a thread beside it allocates?

    python benches/stalls_control.py --seconds 25

The control of stalls.py: one thread adds up 4 MB of an array of 90 MB, again and again, somewhere else each time; the
other one, if there is one, fills 80 MB of new memory and gives them back, again and again, as a consolidation does.
Both are NumPy. A sum that takes more than two milliseconds is told with the time that its thread used the processor, by
the system's account.
"""

from __future__ import annotations

import threading
import time

import click
import numpy as np

from machine import describe_machine, one_line

READ, ARRAY, FILLED, STEP = 500_000, 11_250_000, 10_000_000, 200_000  # numbers of 8 bytes
LONG = 2_000_000  # nanoseconds


def fill(stop: threading.Event) -> None:
    while not stop.is_set():
        new = np.empty(FILLED)
        for first in range(0, FILLED, STEP):
            new[first : first + STEP] = 1.0
        del new


def longs_of(seconds: float) -> tuple[int, list[tuple[float, float]]]:
    """How many sums were made, and of the long ones the milliseconds on the wall and of the processor."""
    array = np.ones(ARRAY)
    random = np.random.default_rng(1)
    found: list[tuple[float, float]] = []
    count = 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        first = int(random.integers(ARRAY - READ))
        part = array[first : first + READ]
        own, start = time.thread_time_ns(), time.perf_counter_ns()
        part.sum()
        wall, own = time.perf_counter_ns() - start, time.thread_time_ns() - own
        if wall > LONG:
            found.append((round(wall / 1e6, 1), round(own / 1e6, 1)))
        count += 1
    return count, found


@click.command(help=__doc__)
@click.option("--seconds", type=click.FloatRange(1), default=25, show_default=True)
def main(seconds: float) -> None:
    for beside in (False, True, False, True):
        stop = threading.Event()
        thread = threading.Thread(target=fill, args=(stop,))
        if beside:
            thread.start()
        count, longs = longs_of(seconds)
        stop.set()
        if beside:
            thread.join()
        own = sorted((own for _, own in longs if own * 1e6 > LONG), reverse=True)
        print(
            f"{'a thread allocates' if beside else 'alone'}: {count:,} sums, {len(longs)} over 2 ms, longest "
            f"{max((wall for wall, _ in longs), default=0)} ms; of these with own time over 2 ms: {own}"
        )
    print(one_line(describe_machine()))


if __name__ == "__main__":
    main()
