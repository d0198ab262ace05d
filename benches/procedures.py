"""How well planted procedures are found in transcripts of tool calls, and how long that takes.

    python benches/procedures.py [--seeds 20] [--write benches/results/procedures.json]
    python benches/procedures.py --store 100000     # seconds of learning in a store of so many records

Transcripts are generated (`planted_procedures.py`): an agent follows hidden procedures, does other things in between,
fails, and tries again. A procedure counts as found when one was learnt with exactly its steps. Recall is over the
planted ones that were completed three times or more, precision over those that were learnt. Seeds start at 1,000: the
settings were chosen on others.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from memspan import Memory
from memspan.lifecycle.procedures import Mining, Transcript, learn, transcripts_of
from memspan.records import Record
from memspan.remember.input.messages import to_drafts
from memspan.store.transcripts import TranscriptTurn
from memspan.times import to_micros
from planted_procedures import Plant, Planted, planted

FIRST_SEED = 1_000
BASE = Plant()
PLANTS: dict[str, Plant] = {
    "as it is": BASE,
    "no noise": replace(BASE, noise=0.0),
    "much noise (.4)": replace(BASE, noise=0.4),
    "10 sessions": replace(BASE, sessions=10),
    "20 sessions": replace(BASE, sessions=20),
    "200 sessions": replace(BASE, sessions=200),
    "1,000 sessions": replace(BASE, sessions=1_000),
    "half of the steps shared": replace(BASE, shared=0.5),
    "a third of the runs fail": replace(BASE, failures=1 / 3),
    "procedures of 6 to 9 steps": replace(BASE, procedures=5, shortest=6, longest=9),
    "nothing planted": replace(BASE, procedures=0, noise=0.5),
}


class Found(NamedTuple):
    """One plant's outcome."""

    recall: float
    precision: float
    similar: float
    """Share of the learnt ones with four fifths of the steps of a planted one, or more."""
    learnt: int
    successes: float
    """Share of the completed runs of the found ones that were counted."""
    failures: float
    """Share of the broken ones that were."""
    events: int
    seconds: float
    """Of the processor, by one thread."""


def transcripts(made: Planted) -> list[Transcript]:
    """What the store would give back of these sessions."""
    turns: list[TranscriptTurn] = []
    for number, session in enumerate(made.sessions):
        drafts = to_drafts(
            session,
            user="u",
            at=number * 10**10,
            session=f"s{number}",
            metadata=None,
            tags=(),
            kind="episodic",
        )
        turns += [_turn(draft.record) for draft in drafts]
    return transcripts_of(turns)


def _turn(record: Record) -> TranscriptTurn:
    at = to_micros(record.at)
    return TranscriptTurn(record.id, record.session, at, record.speaker, record.text, record.metadata)


def found(plant: Plant, mining: Mining) -> Found:
    """Learn from one plant's transcripts, and compare."""
    from memspan.lifecycle.procedures.matching import alike

    made = planted(plant)
    sessions = transcripts(made)
    start = process_time()
    learnt = {one.actions: one for one in learn(sessions, mining)}
    seconds = process_time() - start
    wanted = {
        steps for steps, worked in zip(made.procedures, made.worked, strict=True) if worked >= mining.least
    }
    hits = wanted & set(learnt)
    similar = sum(any(alike(one, other) >= 0.8 for other in made.procedures) for one in learnt)
    runs = list(zip(made.procedures, made.worked, made.failed, strict=True))
    completed, stopped = (sum(run[place] for run in runs if run[0] in hits) for place in (1, 2))
    broken = sum(
        len(learnt[steps].broken) + sum(run.success is False for run in learnt[steps].runs) for steps in hits
    )
    good = sum(sum(run.success is True for run in learnt[steps].runs) for steps in hits)
    return Found(
        recall=len(hits) / len(wanted) if wanted else 1.0,
        precision=len(hits) / len(learnt) if learnt else 1.0,
        similar=similar / len(learnt) if learnt else 1.0,
        learnt=len(learnt),
        successes=good / completed if completed else 1.0,
        failures=broken / stopped if stopped else 1.0,
        events=sum(len(session.events) for session in sessions),
        seconds=seconds,
    )


def rows(seeds: int) -> Iterator[tuple[str, dict[str, float]]]:
    """The mean of every figure over the seeds, for each plant."""
    for name, plant in PLANTS.items():
        several = [
            found(replace(plant, seed=FIRST_SEED + seed), Mining())
            for seed in range(seeds if plant.sessions < 500 else max(1, seeds // 4))
        ]
        means = {field: sum(getattr(one, field) for one in several) / len(several) for field in Found._fields}
        yield name, means


def in_store(records: int) -> dict[str, Any]:
    """Processor seconds of one round in a store with so many records, a tenth of them of transcripts, and of one
    without news."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "a.memspan", "hash:64") as memory:
        sessions = planted(replace(BASE, sessions=records // 250)).sessions
        messages = 0
        for number, session in enumerate(sessions):
            memory.add(session, user="u", session=f"s{number}", at=f"2024-01-01T{number % 24:02d}:00:00Z")
            messages += len(session)
        texts = [f"Turn {number} of some talk about nothing in particular." for number in range(records)]
        for start in range(0, records - messages, 5_000):
            memory.add(texts[start : min(start + 5_000, records - messages)], user="u", session=f"t{start}")
        begin = process_time()
        first = memory.learn_procedures("u")
        middle = process_time()
        memory.learn_procedures("u")
        end = process_time()
        return {
            "records": memory.stats("u")["records"],
            "actions": first.actions,
            "new": first.new,
            "first_seconds": middle - begin,
            "again_seconds": end - middle,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--store", type=int, help="measure in a store of so many records instead")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    if arguments.store:
        print(json.dumps(in_store(arguments.store)))
        return
    result = {}
    print(f"{'':28}recall  precision  similar  learnt  successes  failures  events  seconds")
    for name, means in rows(arguments.seeds):
        result[name] = means
        print(
            f"{name:28}{means['recall']:6.3f}{means['precision']:11.3f}{means['similar']:9.3f}{means['learnt']:8.1f}"
            f"{means['successes']:11.3f}{means['failures']:10.3f}{means['events']:8.0f}{means['seconds']:9.3f}"
        )
    if arguments.write:
        arguments.write.write_text(json.dumps({"seeds": arguments.seeds, "plants": result}, indent=1) + "\n")


if __name__ == "__main__":
    main()
