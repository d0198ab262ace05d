"""Users of whom nothing is left, as those whose records have all expired: they take no memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from index_helpers import DIM

import memspan

USERS = 50
IDS = [f"m{number}" for number in range(20)]


def fill(index: memspan.Index, user: str, tags: tuple[str, ...] = ()) -> None:
    index.add_many(
        user=user,
        ids=IDS,
        ats=list(range(len(IDS))),
        texts=["a few words"] * len(IDS),
        tags=[tags] * len(IDS),
        embeddings=np.ones((len(IDS), DIM), np.float32),
    )


def remove(index: memspan.Index, user: str) -> None:
    fill(index, user, ("tag",))
    assert index.remove(user=user, ids=IDS) == len(IDS)


def evict(index: memspan.Index, user: str) -> None:
    fill(index, user)
    index.set_quotas(user=user, capacities={"episodic": 0})
    assert len(index.evict(user=user)) == len(IDS)
    index.set_quotas(user=user, capacities=None)


def unrelate(index: memspan.Index, user: str) -> None:
    index.relate(user=user, parent="a", child="b")
    assert index.unrelate(user=user, parent="a", child="b")


def drop_tags(index: memspan.Index, user: str) -> None:
    index.set_tag_embedding(user=user, tag="a", embedding=np.ones(DIM))
    assert index.drop_tags(user=user, tags=["a"]) == 1


@pytest.mark.parametrize("limit", [None, 1 << 30])
@pytest.mark.parametrize("lose", [remove, evict, unrelate, drop_tags])
def test_who_loses_all_takes_no_memory(lose: Callable[[memspan.Index, str], None], limit: int | None) -> None:
    index = memspan.Index(DIM, max_resident_bytes=limit)
    before = index.stats()["bytes"]
    for number in range(USERS):
        lose(index, f"u{number}")
    assert index.stats()["bytes"] - before < 500 * USERS  # the table has room for as many; each had thousands
    assert index.users() == []
    assert index.names_version(user="u0") == 0
    fill(index, "u0")
    assert index.ids(user="u0") == sorted(IDS)


@pytest.mark.parametrize("limit", [None, 1 << 30])
def test_who_loses_all_that_a_snapshot_held_stays_away(limit: int | None, tmp_path: Path) -> None:
    index = memspan.Index(DIM)
    for user in ("ana", "ben"):
        fill(index, user)
    index.save(tmp_path / "snapshot")
    index = memspan.Index.load(tmp_path / "snapshot", max_resident_bytes=limit)
    assert index.remove(user="ana", ids=IDS) == len(IDS)
    assert index.users() == ["ben"]
    assert index.ids(user="ana") == []
    index.save(tmp_path / "snapshot")
    assert memspan.Index.load(tmp_path / "snapshot").users() == ["ben"]


def test_who_lost_all_while_a_file_was_written_goes_with_the_next_one(tmp_path: Path) -> None:
    index = memspan.Index(DIM)
    before = index.stats()["bytes"]
    over = Event()

    def save() -> None:
        while not over.is_set():
            index.save(tmp_path / "snapshot")

    for number in range(USERS):
        fill(index, f"u{number}")
    thread = Thread(target=save)
    thread.start()
    for number in reversed(range(USERS)):  # the last ones are written last, and held until then
        for id_ in IDS:
            index.remove(user=f"u{number}", ids=[id_])
    over.set()
    thread.join()
    index.save(tmp_path / "snapshot")
    assert index.stats()["bytes"] - before < 500 * USERS
