"""The committer: operations share transactions, and each has its own outcome."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from memspan import errors
from memspan.remember.jobs.committer import Committer, JobLostError, in_store, outcomes
from memspan.store import SqliteStore, StoreWriter


def committing(path: Path, operations: list[Callable[[StoreWriter], object]]) -> list[object]:
    store = SqliteStore(path)

    async def run() -> list[object]:
        committer = Committer(in_store(store))
        try:
            return await asyncio.gather(
                *(committer.commit(operation) for operation in operations), return_exceptions=True
            )
        finally:
            committer.close()

    try:
        return asyncio.run(run())
    finally:
        store.close()


def test_operations_share_transactions_but_not_failures(path: Path) -> None:
    def write(number: int) -> Callable[[StoreWriter], object]:
        def operation(writer: StoreWriter) -> object:
            if number == 7:
                raise JobLostError("gone")
            writer.set_meta(f"key{number}", "x")
            if number == 5:
                raise ValueError("five")
            return number

        return operation

    results = committing(path, [write(number) for number in range(10)])
    assert [result for result in results if isinstance(result, int)] == [0, 1, 2, 3, 4, 6, 8, 9]
    assert str(results[5]) == "five"
    assert isinstance(results[7], JobLostError)
    store = SqliteStore(path)
    with store.reading() as reader:
        there = [number for number in range(10) if reader.meta(f"key{number}")]
    store.close()
    assert there == [0, 1, 2, 3, 4, 6, 8, 9]


def run_in_steps(most: int, *commits: tuple[object, int, object]) -> tuple[list[object], list[list[object]]]:
    """Commits that come while the first one waits: what each gives, and the transactions. A value that is an error is
    raised."""
    seen: list[list[object]] = []
    began, go_on = threading.Event(), threading.Event()

    def transaction(operations: Sequence[Callable[[list[object]], object]]) -> list[object]:
        seen.append([])
        if len(seen) == 1:
            began.set()
            assert go_on.wait(10)
        return outcomes(operations, seen[-1])

    def operation(value: object) -> Callable[[list[object]], object]:
        def run(transaction: list[object]) -> object:
            transaction.append(str(value))
            if isinstance(value, Exception):
                raise value
            return value

        return run

    async def run() -> list[object]:
        committer = Committer(transaction, "test", most)
        try:
            first = asyncio.create_task(committer.commit(operation(0)))
            await asyncio.to_thread(began.wait, 10)
            rest = [
                asyncio.create_task(committer.commit(operation(value), weight=weight, source=source))
                for value, weight, source in commits
            ]
            await asyncio.sleep(0)
            go_on.set()
            return (await asyncio.gather(first, *rest, return_exceptions=True))[1:]
        finally:
            committer.close()

    return asyncio.run(run()), seen[1:]


def test_a_transaction_takes_what_fits() -> None:
    results, seen = run_in_steps(10, (1, 4, None), (2, 4, None), (3, 4, None), (4, 99, None), (5, 1, None))
    assert results == [1, 2, 3, 4, 5]
    assert seen == [["1", "2", "3"], ["4"], ["5"]]


def test_who_fails_does_not_fail_others_again() -> None:
    broken, lost = ValueError("broken"), JobLostError("lost")
    results, seen = run_in_steps(
        3, (1, 1, "ann"), (broken, 1, "bob"), (lost, 1, "ann"), (broken, 1, "bob"), (2, 1, "cem"), (3, 1, "ann"),
        (4, 1, "bob"), (5, 1, "ann"), (6, 1, "cem"), (7, 1, "bob"), (8, 1, "ann"),
    )  # fmt: skip
    assert results == [1, broken, lost, broken, 2, 3, 4, 5, 6, 7, 8]
    assert seen == [
        ["1", "broken"],
        *([each] for each in ("1", "broken", "lost", "broken", "2", "3", "4", "5", "6")),
        ["7", "8"],
    ]


def test_one_that_fails_by_itself_stays_alone() -> None:
    broken = ValueError("broken")
    results, seen = run_in_steps(1, (broken, 1, "bob"), (1, 1, "bob"))
    assert (results, seen) == ([broken, 1], [["broken"], ["1"]])


def test_a_database_that_fails_is_reported(path: Path) -> None:
    def fail(writer: StoreWriter) -> None:
        raise errors.StoreError("disk full")

    (error,) = committing(path, [fail])
    assert isinstance(error, errors.StoreError)
