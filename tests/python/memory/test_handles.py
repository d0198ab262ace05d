"""Several handles on one path see each other's commits."""

from __future__ import annotations

import asyncio
import copy
import pickle
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan import errors
from memspan.memory import Memory

Open = Callable[..., Memory]


def observe(memory: Memory) -> dict[str, Any]:
    """Everything that can be seen of a memory."""
    index = memory._engine.current()
    return {
        user: (
            sorted((found.id, found.text, found.record.tags) for found in memory.latest(user=user, k=100)),
            sorted(found.id for found in memory.search("text", user=user, k=100)),
            [tuple(tag) for tag in index.tags(user=user)],
        )
        for user in memory.users()
    }


def test_a_store_is_opened_and_read_while_another_process_writes(path: Path) -> None:
    with Memory(path, "hash:32") as memory:
        memory.add("the tea is green", user="ana")
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    try:
        with Memory(path, "hash:32", auto_consolidate=False) as other:
            assert [found.text for found in other.latest(user="ana")] == ["the tea is green"]
            assert other.stats()["records"] == 1
    finally:
        writing.close()


def test_each_kind_of_change_is_seen_on_the_next_call(open_memory: Open) -> None:
    one, two = open_memory(), open_memory()
    changes: list[Callable[[Memory], object]] = [
        lambda memory: memory.add(
            [{"id": f"m{i}", "text": f"text {i}", "tags": ["t"]} for i in range(5)], user="ana"
        ),
        lambda memory: memory.add([{"id": "m1", "text": "new text", "tags": ["u"]}], user="ana"),
        lambda memory: memory.relate(user="ana", parent="t", child="u"),
        lambda memory: memory.relate(user="ben", parent="x", child="y"),
        lambda memory: memory.unrelate(user="ana", parent="t", child="u"),
        lambda memory: memory.relate(user="ana", parent="u", child="t"),
        lambda memory: memory.forget(user="ana", id="m2"),
        lambda memory: memory.forget(user="ana", id="m1"),
        lambda memory: memory.forget(user="ben"),
        lambda memory: memory.forget(user="ana"),
        lambda memory: memory.add([{"id": "m3", "text": "text of another ana"}], user="ana"),
    ]
    for position, change in enumerate(changes):
        writer, reader = (one, two) if position % 2 else (two, one)
        change(writer)
        assert observe(reader) == observe(writer), position
        assert reader.verify() == []
    assert list(observe(one)) == ["ana"]


def test_nothing_is_missed_after_a_time_to_live_of_somebody_new(open_memory: Open) -> None:
    one, two = open_memory(), open_memory()
    one.add("text", user="ana")
    one.set_lifetime("semantic", 3600, user="ben")
    two.add([{"id": "m1", "text": "text of the other"}], user="ana")
    assert [found.id for found in one.latest(user="ana", k=1)] == ["m1"]
    assert one.verify() == two.verify() == []


def test_a_user_whose_only_time_to_live_is_taken_back_is_gone(open_memory: Open) -> None:
    one, two = open_memory(), open_memory()
    one.add("text", user="ana")
    for kind in ("semantic", "episodic"):
        one.set_lifetime(kind, 3600, user="ben")
    one.set_lifetime("semantic", None, user="ben")
    assert one.users() == two.users() == ["ana", "ben"]
    one.set_lifetime("episodic", None, user="ben")
    one.set_lifetime("episodic", None, user="ana")
    one.set_lifetime("episodic", None, user="unknown")
    assert one.users() == two.users() == ["ana"]
    assert one.verify() == two.verify() == []


@pytest.mark.parametrize("taken_back", [True, False])
def test_quotas_of_a_user_who_is_gone_are_nobodys(open_memory: Open, taken_back: bool) -> None:
    """Whoever comes under the name again begins without, for every handle, whether it ever saw a record of theirs."""
    one, two, three = open_memory(), open_memory(), open_memory()
    one.add("text", user="ana")
    one.set_quotas(20, user="ben")
    for memory in (two, three):
        assert memory.quotas("ben") is not None
        observe(memory)
    if taken_back:
        one.set_quotas(None, user="ben")
    else:
        one.forget(user="ben")
    assert one.users() == two.users() == ["ana"]
    assert one.verify() == two.verify() == []
    two.add([{"id": f"n{i}", "text": f"text {i}"} for i in range(30)], user="ben")
    for memory in (one, two, three):
        memory.add([{"text": f"text {i}"} for i in range(10)], user="ben")
        memory.add("one alone", user="ben")
    for memory in (one, two, three):
        assert len(memory.latest(user="ben", k=100)) == 63
        assert memory.verify() == []


def test_quotas_that_were_taken_back_keep_no_user(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([{"id": "m1", "text": "text"}], user="ana")
    memory.set_quotas(20, user="ana")
    memory.set_quotas(None, user="ana")
    assert memory.forget(user="ana", id="m1") == 1
    assert memory.users() == []


def test_changes_that_pile_up(open_memory: Open) -> None:
    """A user forgotten and made again while the other handle was not looking."""
    one, two = open_memory(), open_memory()
    one.add([{"id": "a", "text": "text a", "tags": ["old"]}, {"id": "b", "text": "text b"}], user="ana")
    one.add("text", user="ben")
    assert list(observe(two)) == ["ana", "ben"]
    one.forget(user="ana")
    one.add([{"id": "b", "text": "text b again"}], user="ana")
    one.forget(user="ben")
    one.add([{"id": "c", "text": "text c"}], user="ana")
    one.forget(user="ana", id="c")
    assert observe(two) == observe(one)
    assert two.verify() == []


def test_a_write_after_the_write_of_another(open_memory: Open) -> None:
    one, two = open_memory(), open_memory()
    for position in range(20):
        (one if position % 2 else two).add([{"id": f"m{position}", "text": f"text {position}"}], user="ana")
    assert len(one.latest(user="ana")) == 20
    assert observe(one) == observe(two)
    assert one.verify() == two.verify() == []


def test_a_cycle_through_two_handles(open_memory: Open) -> None:
    one, two = open_memory(), open_memory()
    one.relate(user="ana", parent="a", child="b")
    two.relate(user="ana", parent="b", child="c")
    with pytest.raises(errors.TagCycleError, match=r"c"):
        one.relate(user="ana", parent="c", child="a")
    assert observe(one) == observe(two)
    assert one.verify() == []


def test_threads_write_and_search_together(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    failures: list[BaseException] = []
    barrier = threading.Barrier(6)

    def write(handle: Memory, name: str) -> None:
        barrier.wait()
        try:
            for i in range(25):
                (id_,) = handle.add(f"text {i} of {name}", user="ana")
                assert handle.get(user="ana", id=id_) is not None
                if i % 10 == 9:
                    handle.forget(user="ana", id=id_)
        except BaseException as error:
            failures.append(error)

    def read(handle: Memory) -> None:
        barrier.wait()
        try:
            for _ in range(50):
                found = handle.search("text", user="ana", k=20)
                assert len({recall.id for recall in found}) == len(found)
        except BaseException as error:
            failures.append(error)

    threads = [
        *(
            threading.Thread(target=write, args=(handle, f"{i}"))
            for i, handle in enumerate([memory, memory, other])
        ),
        *(threading.Thread(target=read, args=(handle,)) for handle in [memory, memory, other]),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert memory.stats("ana")["records"] == 3 * 23
    assert observe(memory) == observe(other)
    assert memory.verify() == other.verify() == []


def test_an_index_that_was_left_behind_by_a_failed_commit_is_rebuilt(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add([{"id": "m1", "text": "kept"}], user="ana")
    store_type = type(memory._engine.store)
    real = store_type.writing

    def failing(self: Any) -> Any:
        from contextlib import contextmanager

        @contextmanager
        def writing() -> Any:
            with real(self) as writer:
                yield writer
                raise errors.StoreError("no space left")

        return writing()

    monkeypatch.setattr(store_type, "writing", failing)
    with pytest.raises(errors.StoreError, match="no space left"):
        memory.add([{"id": "m2", "text": "lost"}], user="ana")
    monkeypatch.undo()
    assert [found.id for found in memory.latest(user="ana")] == ["m1"]
    assert memory.search("lost", user="ana", views=["lexical"]) == []
    assert memory.verify() == []


def test_a_store_that_goes_back_in_time_while_it_is_open(path: Path, open_memory: Open) -> None:
    memory = open_memory()
    memory.add([{"id": "m1", "text": "text one"}], user="ana")
    with memory._engine.store.writing() as writer:
        writer.remove("ana", ["m1"])
        writer._connection.execute("UPDATE meta SET value = 0 WHERE key = 'sequence'")
    assert memory.search("text", user="ana") == []


def test_a_closed_memory(memory: Memory) -> None:
    memory.close()
    memory.close()
    calls: list[Callable[[], object]] = [
        lambda: memory.add("x", user="ana"),
        lambda: memory.search("x", user="ana"),
        lambda: memory.latest(user="ana"),
        lambda: memory.get(user="ana", id="x"),
        lambda: memory.forget(user="ana"),
        lambda: memory.relate(user="ana", parent="a", child="b"),
        lambda: memory.stats(),
        lambda: memory.users(),
        lambda: memory.verify(),
        lambda: memory.reembed("hash:16"),
        lambda: memory.export("ana", "/dev/null"),
    ]
    for call in calls:
        with pytest.raises(errors.StoreError, match="closed"):
            call()


@pytest.mark.parametrize("attempt", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_handle_goes_to_no_other_process_but_says_what_does(attempt: Any, memory: Memory) -> None:
    says = "cannot copy or pickle a Memory: open '.*' again instead"
    with pytest.raises(TypeError, match=says):
        attempt(memory)
    with pytest.raises(TypeError, match=says):
        pickle.dumps(memory.user("ana"))


def test_the_context_manager_closes(path: Path) -> None:
    with Memory(path, "hash") as memory:
        memory.add("x", user="ana")
    with pytest.raises(errors.StoreError, match="closed"):
        memory.users()
    assert "hash" in repr(memory)


def test_closing_again_ends_what_an_interrupt_left_open(
    path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.add("hello", user="ana")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(memory._engine.store, "close", interrupt)
        with pytest.raises(KeyboardInterrupt):
            memory.close()
    memory.close()
    assert not path.with_name(path.name + "-wal").exists()


def test_async_with_closes_beside_the_loop(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closing: list[threading.Thread] = []

    async def use() -> Memory:
        async with Memory(path, "hash:32") as memory:
            end = memory._engine.close
            monkeypatch.setattr(
                memory._engine, "close", lambda: (closing.append(threading.current_thread()), end())
            )
            await memory.aadd("We went camping", user="ana")
            return memory

    memory = asyncio.run(use())
    assert [thread is threading.main_thread() for thread in closing] == [False]
    with pytest.raises(errors.StoreError, match="closed"):
        memory.latest("ana")
