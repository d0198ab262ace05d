"""Records that are overwritten again and again while an index consolidates by itself."""

from __future__ import annotations

import time

import numpy as np

import memspan

DIM, RECORDS, ROUNDS = 96, 3000, 60


def test_dead_slots_do_not_pile_up() -> None:
    """A consolidation holds on to the slots that it lays out; there is nearly always one under way here."""
    random = np.random.default_rng(1)
    topics = random.standard_normal((20, DIM))
    index = memspan.Index(DIM)
    ids = [f"r{number}" for number in range(RECORDS)]
    for number in range(ROUNDS):
        rows = topics[random.integers(0, 20, RECORDS)] + random.standard_normal((RECORDS, DIM))
        texts = [f"round {number}"] * RECORDS
        index.add_many(user="ana", ids=ids, ats=np.arange(RECORDS), embeddings=rows, texts=texts)
    while index.auto_consolidations().waiting:
        time.sleep(0.01)
    index.add(user="ana", id="one more", at=0)
    assert index.stats(user="ana")["dead_slots"] <= 3 * RECORDS + 4096
    cosines = rows @ topics[0] / np.linalg.norm(rows, axis=1)
    best = index.search(user="ana", embedding=topics[0], k=10, exact=True)
    assert best.ids == [ids[place] for place in np.argsort(-cosines)[:10]]
    assert len(index.search(user="ana", text=f"round {ROUNDS - 1}", k=RECORDS)) == RECORDS
    assert len(index.search(user="ana", text=f"{ROUNDS - 2}")) == 0
