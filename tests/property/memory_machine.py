"""All of `Memory` against a dictionary in plain Python: what is there, wherever it lies, and nothing else."""

from __future__ import annotations

import copy
import io
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tiny_recipe import NoteTurns, ScriptedModel, note_fact, recipe_of

from memspan import HashEmbedder, Memory, Record, errors
from memspan.store.cold import ORIGINAL
from memspan.times import from_micros

USERS = st.sampled_from(("ana", "ana", "ben"))
IDS = st.sampled_from([f"m{n}" for n in range(5)])
SOME = st.lists(IDS, min_size=1, max_size=3, unique=True)
SHARED = ("episodic", "semantic")
KEY = b"k" * 32
REFUSED = (errors.QuotaError, errors.HeldError)
AT = from_micros(1_700_000_000_000_000)

Key = tuple[str, str]


@dataclass
class Known:
    """What the model knows of a record that a caller added."""

    kind: str
    wordings: list[str]
    """One after the other; the last is what it says, in full."""
    tags: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    held: bool = False
    pinned: bool = False
    ended: bool = False
    secret: bool = False
    shortened: list[str] = field(default_factory=list)
    """What it has said since instead of the last; a job may have read that."""


@dataclass
class Model:
    records: dict[Key, Known] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    """Words that are nowhere any more."""

    def reach(self, user: str, ids: Collection[str]) -> set[str]:
        """Ids that are to be forgotten, and what was made of them."""
        found = set(ids)
        while more := {
            id_
            for (of, id_), one in self.records.items()
            if of == user and not found.isdisjoint(one.sources) and id_ not in found
        }:
            found |= more
        return found


class MemoryMachine(RuleBasedStateMachine):
    """Two handles on one store, in turns; jobs run at once, so that what they make is known, too."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "agent.memspan"
        self.memory, self.other = self._open(), self._open()
        self.model = Model()
        self.count = 0

    def _open(self, resident: int | None = None) -> Memory:
        recipe = recipe_of(NoteTurns())
        options: dict[str, Any] = {"llm": ScriptedModel(), "recipe": recipe, "auto_consolidate": False}
        return Memory(self.path, HashEmbedder(16), max_resident_bytes=resident, **options)

    def teardown(self) -> None:
        try:
            assert self.memory.verify() == []
            for word in self.model.gone:
                assert not any(word.encode() in file.read_bytes() for file in self.path.parent.iterdir())
        finally:
            self.memory.close()
            self.other.close()
            self.folder.cleanup()

    def _word(self) -> str:
        self.count += 1
        return f"q{self.count:04d}q"

    def _in_memory(self, user: str, ids: Collection[str]) -> list[str]:
        return [id_ for id_ in ids if self.memory._engine.current().contains(user=user, id=id_)]

    def _try(self, call: Callable[[], object], after: Model | None = None) -> bool:
        """Whether it was done; if not, all is as before."""
        try:
            call()
        except REFUSED:
            return False
        if after is not None:
            self.model = after
        return True

    # --- what callers do

    @initialize(kinds=st.lists(st.sampled_from(SHARED), min_size=5, max_size=5))
    def begin(self, kinds: list[str]) -> None:
        for user in ("ana", "ben"):
            self._add(user, {f"m{n}": kind for n, kind in enumerate(kinds)})

    @rule(
        user=USERS,
        ids=SOME,
        kind=st.sampled_from(SHARED),
        tag=st.sampled_from(("tea", "boat")),
        source=st.one_of(IDS, st.none()),
    )
    def add(self, user: str, ids: list[str], kind: str, tag: str, source: str | None) -> None:
        self._add(user, dict.fromkeys(ids, kind), tag, source)

    @rule(user=USERS, ids=SOME)
    def correct(self, user: str, ids: list[str]) -> None:
        known = self.model.records
        self._add(user, {id_: known[user, id_].kind for id_ in ids if (user, id_) in known})

    def _add(self, user: str, kinds: dict[str, str], tag: str = "tea", source: str | None = None) -> None:
        after, messages = copy.deepcopy(self.model), []
        for id_, kind in kinds.items():
            known = self.model.records.get((user, id_))
            if known is not None and known.secret:
                continue
            text = (
                f"{user} said {self._word()} about the old boat and the very long way to the harbour of Porto"
            )
            sources = [] if source in (None, id_) or kind != "semantic" else [str(source)]
            if known is not None:
                # Versions are forgotten with what they were made of, so that all wordings are of the same.
                kind, sources = known.kind, list(known.sources)
            new = Known(kind, [text], frozenset({tag}), tuple(sources))
            if known is not None:
                new.wordings = [*known.wordings, text]
                new.held, new.pinned = known.held, known.pinned
            after.records[user, id_] = new
            messages.append(
                {"id": id_, "text": text, "kind": kind, "tags": [tag], "sources": sources, "at": AT}
            )
        if messages:
            self._try(lambda: self.memory.add(messages, user=user), after)

    @rule(user=USERS, ids=SOME, at_once=st.booleans())
    def end(self, user: str, ids: list[str], at_once: bool) -> None:
        """Or begin to, and take that back."""
        there = self._in_memory(user, ids)
        after = copy.deepcopy(self.model)
        for id_ in there:
            after.records[user, id_].ended = True
        before = {run.id for run in self.memory.runs(user)}
        if (
            self._try(lambda: self.memory.retire(user=user, ids=there), None if at_once else after)
            and at_once
        ):
            for run in {run.id for run in self.memory.runs(user)} - before:
                assert self.memory.undo(run).left == ()

    @rule(user=USERS, id=IDS)
    def supersede_and_take_back(self, user: str, id: str) -> None:
        if id not in self._in_memory(user, [id]):
            return
        known = self.model.records[user, id]
        if known.ended or known.secret:
            return
        word = self._word()
        if self._try(lambda: self.memory.supersede(user=user, id=id, text=f"rather {word}")):
            undone = self.memory.undo(self.memory.runs(user)[0].id)
            assert (undone.left, undone.cold, undone.removed) == ((), (), 1)

    @rule(user=USERS, ids=SOME, held=st.booleans())
    def hold(self, user: str, ids: list[str], held: bool) -> None:
        (self.memory.hold if held else self.memory.release)(user=user, id=ids)
        for id_ in ids:
            if (user, id_) in self.model.records:
                self.model.records[user, id_].held = held

    @rule(user=USERS, ids=SOME, pinned=st.booleans())
    def pin(self, user: str, ids: list[str], pinned: bool) -> None:
        there = self._in_memory(user, ids)
        (self.memory.pin if pinned else self.memory.unpin)(user=user, ids=ids)
        for id_ in there:
            self.model.records[user, id_].pinned = pinned

    @rule(user=USERS, capacity=st.sampled_from((None, 3, 3, 6)))
    def limit(self, user: str, capacity: int | None) -> None:
        self._try(lambda: self.memory.set_quotas(capacity, user=user))

    @rule(user=USERS, ids=SOME)
    def restore(self, user: str, ids: list[str]) -> None:
        self._try(lambda: self.memory.restore(user=user, ids=ids))

    @rule(user=USERS, ids=SOME)
    def restore_wordings(self, user: str, ids: list[str]) -> None:
        self._try(lambda: self.memory.restore(user=user, ids=ids, originals=True))

    @rule(user=USERS)
    def compress(self, user: str) -> None:
        self.memory.compress(user, "uniform", 0.3)
        with self.memory._engine.store.reading() as reader:
            for page in reader.scan(user, 100):
                for record in page:
                    known = self.model.records.get((user, record.id))
                    if known is not None and record.text != known.wordings[-1]:
                        known.shortened.append(record.text)

    @rule(user=USERS)
    def tag(self, user: str) -> None:
        self.memory.tag(user)

    @rule(user=USERS)
    def sleep(self, user: str) -> None:
        self.memory.consolidate(user, merge=False)

    @rule(user=USERS, id=IDS)
    def keep_secret(self, user: str, id: str) -> None:
        known = self.model.records.get((user, id))
        if known is not None and not known.secret:
            return
        word = self._word()
        after = copy.deepcopy(self.model)
        kept = Known("vault", [f"label {word}"], secret=True, pinned=known is not None and known.pinned)
        after.records[user, id] = kept
        self._try(lambda: self.memory.vault(user, KEY).put(f"label {word}", word.upper(), id=id), after)

    @rule(user=USERS, ids=st.one_of(SOME, st.none()))
    def forget(self, user: str, ids: list[str] | None) -> None:
        own = {id_ for of, id_ in self.model.records if of == user}
        reached = own if ids is None else self.model.reach(user, ids)
        after = copy.deepcopy(self.model)
        for id_ in reached & own:
            known = after.records.pop((user, id_))
            after.gone.update(text.split()[-1 if known.secret else 2] for text in known.wordings)
        held = any(self.model.records[user, id_].held for id_ in reached & own)
        assert self._try(lambda: self.memory.forget(user=user, id=ids), after) is not held

    # --- what happens besides

    @rule()
    def go_on_in_the_other_handle(self) -> None:
        self.memory, self.other = self.other, self.memory

    @rule(resident=st.sampled_from((None, 1)))
    def open_again(self, resident: int | None) -> None:
        self.memory.close()
        self.memory = self._open(resident)

    @rule()
    def carry_elsewhere(self) -> None:
        """Exports hold everything, and load as what they were."""
        written, again = io.StringIO(), io.StringIO()
        self.memory.export(None, written)
        with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "b", HashEmbedder(16)) as second:
            written.seek(0)
            second.load(written)
            second.export(None, again)
            assert second.verify() == []
        assert sorted(again.getvalue().splitlines()) == sorted(written.getvalue().splitlines())

    # --- what has to be true

    @invariant()
    def agree(self) -> None:
        self.memory.process()
        for memory in (self.memory, self.other):
            for user in ("ana", "ben"):
                self._compare(memory, user)

    def _compare(self, memory: Memory, user: str) -> None:
        with memory._engine.store.reading() as reader:
            live = {record.id: record for page in reader.scan(user, 100) for record in page}
            ids = reader.cold.ids(user)
            cold = {id_: copy_.record for id_, copy_ in reader.cold.fetch(user, ids).items()}
            originals = reader.cold.fetch(user, reader.cold.ids(user, ORIGINAL), reason=ORIGINAL)
        assert not live.keys() & cold.keys()
        every = {**live, **cold}
        full = {
            id_: originals[id_].record.text if id_ in originals else one.text for id_, one in every.items()
        }
        assert originals.keys() <= every.keys()
        known = {id_: one for (of, id_), one in self.model.records.items() if of == user}
        assert {id_ for id_ in every if id_ in known} == known.keys()
        made = {id_: one for id_, one in every.items() if one.metadata.get("recipe")}
        versions = {id_: one for id_, one in every.items() if "@" in id_}
        assert every.keys() == known.keys() | made.keys() | versions.keys()
        for id_, one in known.items():
            record = every[id_]
            assert full[id_] == one.wordings[-1]
            assert (record.kind, record.held, record.retired_at is not None) == (
                one.kind,
                one.held,
                one.ended,
            )
            assert record.sources == one.sources
            assert record.pinned is one.pinned
            assert one.tags <= set(record.tags)
            earlier = [full[other] for other in versions if other.startswith(f"{id_}@")]
            assert sorted(earlier) == ([] if one.secret else sorted(one.wordings[:-1]))
            history = memory.history(user=user, id=id_)
            assert history is not None
            assert len(history.versions) == 1 + len(earlier)
            if one.secret:
                word = one.wordings[-1].split()[-1]
                assert memory.vault(user, KEY).get(id_) == word.upper()
        for record in made.values():
            # Of what a turn says now, in full or shortened, but where somebody wants to keep it.
            (turn,) = record.sources
            said = [full[turn], every[turn].text]
            if turn in known:
                said += known[turn].shortened
            if record.held or every[turn].retired_at is not None:
                said += known[turn].wordings
            assert full[record.id] in map(note_fact, said)
        self._compare_searches(memory, user, live)

    def _compare_searches(self, memory: Memory, user: str, live: dict[str, Record]) -> None:
        believed = {id_ for id_, one in live.items() if one.retired_at is None}
        secrets = {id_ for id_ in believed if live[id_].kind == "vault"}
        assert set(memory._engine.current().ids(user=user)) == live.keys()
        found = memory.search("boat", user=user, k=1000, track=False)
        assert {hit.id for hit in found} == believed - secrets
        assert all(hit.text == live[hit.id].text for hit in found)
        labels = memory.search("label", user=user, k=1000, kinds=["vault"], track=False)
        assert {hit.id for hit in labels} == secrets
        tagged = memory.search("boat", user=user, k=1000, require_tags=["tea"], track=False)
        assert {hit.id for hit in tagged} == {id_ for id_ in believed - secrets if "tea" in live[id_].tags}
        quotas = memory.quotas(user)
        for kind, most in (quotas.capacities if quotas is not None else {}).items():
            assert most is None or sum(one.kind == kind for one in live.values()) <= most
