"""Whatever jobs made of turns, and however often stores were exported and loaded into each other since: what is
forgotten leaves nothing that was made of it, whatever sources that names."""

from __future__ import annotations

import io
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from tiny_recipe import Custom, recipe_of, repeat_all

from memspan import HashEmbedder, Memory, Quotas
from memspan.errors import QuotaError

IDS, SESSIONS = tuple(f"m{n}" for n in range(6)), ("s", "t")
STEPS = ("add", "add", "correct", "process", "carry", "carry", "sleep", "limit", "restore", "end", "forget")


class Stores:
    """Several stores, of which one is at work, and every word that a turn ever said, by its id."""

    def __init__(self, folder: Path, chance: Random) -> None:
        self.folders = [folder / name for name in ("a", "b")]
        for each in self.folders:
            each.mkdir()
        self.memories = [self._open(each) for each in self.folders]
        self.chance = chance
        self.words: dict[str, set[str]] = {}
        self.at = 0

    def _open(self, folder: Path) -> Memory:
        recipe = recipe_of(Custom(do=repeat_all), history=2)
        return Memory(folder / "m", HashEmbedder(16), recipe=recipe, auto_consolidate=False)

    @property
    def memory(self) -> Memory:
        return self.memories[self.at]

    def add(self) -> None:
        for id_ in self.chance.sample(IDS, 2):
            self._say(id_)

    def correct(self) -> None:
        if self.words:
            self._say(self.chance.choice(sorted(self.words)))

    def _say(self, id_: str) -> None:
        word = f"q{sum(map(len, self.words.values())):04d}q"
        session = SESSIONS[IDS.index(id_) % 2]
        with suppress(QuotaError):
            self.memory.add({"id": id_, "text": word, "at": IDS.index(id_)}, user="ana", session=session)
        self.words.setdefault(id_, set()).add(word)

    def process(self) -> None:
        assert self.memory.process().parked == 0

    def carry(self) -> None:
        """To the other store, where work may go on."""
        file = io.StringIO()
        self.memory.export(None, file)
        file.seek(0)
        with suppress(QuotaError):
            self.memories[1 - self.at].load(file)
        self.at = self.chance.randrange(2)

    def sleep(self) -> None:
        self.memory.consolidate("ana")

    def limit(self) -> None:
        self.memory.set_quotas(self.chance.choice((None, Quotas(capacity=4))), user="ana")

    def restore(self) -> None:
        with suppress(QuotaError):
            self.memory.restore(user="ana", ids=[one.id for one in self.memory.evicted(user="ana")][:2])

    def end(self) -> None:
        id_ = self.chance.choice(IDS)
        if self.memory.get(user="ana", id=id_) is not None:
            self.memory.retire(user="ana", ids=[id_])

    def forget(self) -> None:
        id_ = self.chance.choice(sorted(self.words))
        self.memory.forget(user="ana", id=id_)
        assert self.memory.verify() == []
        bytes_ = b"".join(file.read_bytes() for file in self.folders[self.at].iterdir() if file.is_file())
        assert [word for word in self.words.get(id_, ()) if word.encode() in bytes_] == []


@given(seed=st.integers(0, 2**32))
@settings(PROFILE, max_examples=5)
def test_what_is_forgotten_leaves_nothing_of_it_in_a_store_that_was_loaded(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = Random(seed)
    with tempfile.TemporaryDirectory(dir=tmp_path_factory.getbasetemp()) as name:
        stores = Stores(Path(name), chance)
        try:
            for _ in range(2):
                for step in ("add", "process", *chance.choices(STEPS, k=4), "carry", "forget"):
                    getattr(stores, step)()
            for stores.at in (0, 1):
                stores.forget()
                stores.forget()
        finally:
            for memory in stores.memories:
                memory.close()
