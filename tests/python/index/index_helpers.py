"""What the tests of `memspan.Index` share: a small index, and everything that can be observed of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import memspan

DIM = 4
DAY = 86_400_000_000


def vector(*values: float) -> NDArray[np.float32]:
    return np.array((*values, *[0.0] * (DIM - len(values))), np.float32)


def small_index() -> memspan.Index:
    """Two users; ana has records of several kinds, sessions and times, and a small tag hierarchy."""
    index = memspan.Index(DIM, analyzer="simple")
    index.add(
        user="ana",
        id="camp",
        at="2023-05-08T13:56:00Z",
        text="We went camping by the lake",
        embedding=vector(1),
        tags=["camping", "lake"],
        session="s1",
        recorded_at="2023-05-08T14:00:00Z",
        speaker="Ana",
        metadata={"place": "lake", "price": 10},
    )
    index.add(
        user="ana",
        id="tent",
        at="2023-05-08T13:57:00Z",
        text="The tent was wet",
        embedding=vector(1, 1),
        tags=["camping"],
        session="s1",
        speaker="Ben",
    )
    index.add(
        user="ana",
        id="job",
        at="2023-06-01",
        text="Ana works at the bakery",
        embedding=vector(0, 1),
        tags=["work"],
        kind="semantic",
        until="2024-01-01",
        recorded_at="2023-06-02",
        session="s2",
    )
    index.add(user="ana", id="pin", at="2023-06-03", text="The pin is 1234", kind="vault", tags=["secret"])
    index.add(user="ben", id="camp", at="2023-05-09", text="Ben stayed home", embedding=vector(0, 0, 1))
    index.relate(user="ana", parent="outdoors", child="camping")
    index.relate(user="ana", parent="outdoors", child="lake")
    index.relate(user="ana", parent="camping", child="tents")
    return index


def observe(index: memspan.Index) -> Any:
    """Everything that a failed call must leave as it was; estimates of memory may move."""
    users = index.users()
    query = {"embedding": vector(1, 2, 3, 4), "text": "camping the", "k": 100, "kinds": memspan.KINDS}
    everything = [index.search(user=user, **query) for user in users]
    stats = {user: index.stats(user=user) for user in users} | {"": index.stats()}
    for figures in stats.values():
        figures.pop("bytes")
        figures.pop("mapped_bytes")
        figures.pop("dead_slots", None)
    return (
        len(index),
        users,
        {user: index.ids(user=user) for user in users},
        stats,
        {user: [repr(tag) for tag in index.tags(user=user)] for user in users},
        [(hits.ids, hits.scores.tolist(), hits.ats.tolist()) for hits in everything],
    )
