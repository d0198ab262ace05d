"""What the child process of the crash test of quotas runs."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

from memspan import Memory, Quotas

TIGHT = Quotas(capacity=30, eviction="oldest")
LOOSE = Quotas(capacity=60)


def write_until_killed(path: Path, acknowledgements: int, name: str, seed: int) -> None:
    """Add, pin, restore and change quotas; tell the ids of each add before it starts, and when it is acknowledged."""
    chance = random.Random(seed)

    def tell(word: str, ids: list[str]) -> None:
        os.write(acknowledgements, (json.dumps([word, ids]) + "\n").encode())

    memory = Memory(path, "hash:16")
    if memory.quotas() is None:
        memory.set_quotas(TIGHT)
    tell("ready", [])
    step = 0
    while True:
        step += 1
        ids = [f"{name}-{step}-{i}" for i in range(chance.choice([1, 1, 5, 300]))]
        tell("start", ids)
        memory.add([{"id": id_, "text": f"text of {id_}", "at": step} for id_ in ids], user="ana")
        tell("done", ids)
        action = chance.randrange(6)
        if action == 0:
            memory.set_quotas(chance.choice([TIGHT, LOOSE]))
        elif action == 1:
            cold = [evicted.id for evicted in memory.evicted(user="ana", k=50)]
            memory.restore(user="ana", ids=chance.sample(cold, min(len(cold), 3)))
        elif action == 2:
            live = [recall.id for recall in memory.latest(user="ana", k=5)]
            memory.unpin(user="ana", ids=live)
            memory.pin(user="ana", ids=live[:1])
            memory.unpin(user="ana", ids=live)
        elif action == 3:
            memory.search("text of", user="ana")
            memory.close()
            memory = Memory(path, "hash:16")
