"""Whatever sleep made one, ended by hand, evicted or undid, in whatever order: what is forgotten takes along what is
made of it and no more, and leaves none of its words with what stays."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan import Memory, Quotas, Record
from memspan.embed import HashEmbedder
from memspan.errors import UndoError

START = datetime(2023, 5, 1, tzinfo=timezone.utc)
TEXTS = ("Ana likes green tea.", "Ana likes green tea now.", "Ben has a red boat.")
TURNS = tuple(f"turn{i}" for i in range(6))


class History:
    """A memory, and what each record is made of and was given, by its id."""

    def __init__(self, memory: Memory, chance: Random) -> None:
        self.memory, self.chance = memory, chance
        self.sources: dict[str, set[str]] = {}
        self.words: dict[str, str] = {}
        self.gone: set[str] = set()

    def add(self) -> None:
        id_ = f"f{len(self.words)}"
        record = Record(
            id=id_,
            user="ana",
            text=self.chance.choice(TEXTS),
            at=START + timedelta(hours=len(self.words)),
            kind="semantic",
            sources=tuple(self.chance.sample(TURNS, self.chance.choice((0, 1, 1, 2)))),
            importance=self.chance.choice((None, 0.2, 0.9)),
            tags=(f"q{len(self.words)}q",),
            entities=(f"Q{len(self.words)}Q",),
        )
        self.sources[id_], self.words[id_] = set(record.sources), record.tags[0]
        self.memory.add_records([record])

    def sleep(self) -> None:
        self.memory.consolidate("ana")

    def undo(self) -> None:
        done = [run.id for run in self.memory.runs("ana") if run.state == "done"]
        if done:
            with suppress(UndoError):
                self.memory.undo(self.chance.choice(done), leave_changed=self.chance.random() < 0.5)

    def change(self) -> None:
        """So that a run is not all undone."""
        self.memory.compress("ana", "uniform", 0.5, kinds=["semantic"])

    def make_room(self) -> None:
        quotas = self.chance.choice((None, Quotas(capacity=self.chance.randint(3, 9), eviction="oldest")))
        self.memory.set_quotas(quotas, user="ana")

    def forget(self) -> None:
        id_ = self.chance.choice((*TURNS, *self.sources))
        self.memory.forget(user="ana", id=id_)
        for one in [one for one, sources in self.sources.items() if id_ in {one, *sources}]:
            del self.sources[one]
            self.gone.add(self.words[one])

    def check(self, folder: Path) -> None:
        with self.memory._engine.store.reading() as reader:
            found = {record.id: record for page in reader.scan("ana", 100) for record in page}
            copies = reader.cold.fetch("ana", reader.cold.ids("ana"))
        found |= {id_: copy.record for id_, copy in copies.items()}
        assert found.keys() == self.sources.keys()
        for id_, record in found.items():
            assert self.sources[id_] <= set(record.sources)
            assert self.words[id_] in record.tags
        assert self.memory.verify() == []
        bytes_ = b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file()).lower()
        assert not [word for word in self.gone if word.encode() in bytes_]


@settings(PROFILE, max_examples=15)
@given(seed=st.integers(0, 1 << 30))
def test_what_is_forgotten_takes_along_no_more_than_what_is_made_of_it(seed: int) -> None:
    chance = Random(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(Path(folder, "m"), HashEmbedder(dim=32), auto_consolidate=False) as memory,
    ):
        history = History(memory, chance)
        for _ in range(4):
            history.add()
        steps = (history.add, history.sleep, history.sleep, history.undo, history.change)
        for _ in range(10):
            chance.choice((*steps, history.make_room, history.forget, history.forget))()
        history.check(Path(folder))
