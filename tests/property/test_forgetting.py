"""Whatever was added, overwritten, derived, evicted, restored, held and forgotten in whatever order: what is forgotten
is exactly what the selectors and sources say, and nothing of it is left anywhere."""

from __future__ import annotations

import contextlib
import copy
import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan import Quotas, errors
from memspan.memory import Memory
from memspan.records import Record
from memspan.times import from_micros

USERS, SESSIONS, KINDS = ("ana", "ben"), ("s", "t", None), ("episodic", "semantic", "vault")
IDS = [f"m{i}" for i in range(8)]
START = 1_700_000_000_000_000
SMALL = Quotas(capacity=5, vault=1)
"""Two episodic records, two semantic ones and a secret: most of what is added goes to the cold tier."""


def entry(chance: Random, user: str, id_: str) -> dict[str, Any]:
    """What is added; sources may be gone, come later, or close a circle."""
    return {
        "user": user,
        "id": id_,
        "session": chance.choice(SESSIONS),
        "kind": chance.choice(KINDS),
        "second": chance.randrange(10),
        "provenance": chance.choice([None, "mail", "file"]),
        "sources": chance.sample(IDS, chance.choice([0, 0, 1, 2])),
    }


def selectors(chance: Random) -> dict[str, Any]:
    kind = chance.randrange(8)
    if kind == 0:
        return {}
    if kind <= 2:
        return {"id": chance.choice(IDS) if kind == 1 else chance.sample(IDS, chance.randrange(3))}
    if kind == 3:
        return {"source": chance.choice([*IDS, "mail", "file"])}
    both = {
        "session": chance.choice(["s", "t"]),
        "kinds": chance.sample(KINDS, chance.choice([1, 2])),
        "between": sorted(chance.choices(range(11), k=2)),
    }
    return {name: both[name] for name in chance.sample(sorted(both), chance.choice([1, 2, 2, 3]))}


def script(chance: Random) -> Iterator[tuple[str, Any]]:
    """Many records first, so that there is something to forget."""
    yield "quotas", chance.choice([SMALL, SMALL, None])
    for user in USERS:
        yield "add", [entry(chance, user, id_) for id_ in chance.sample(IDS, 6)]
    for _ in range(10):
        action = chance.choice(
            [
                "add",
                "add",
                "forget",
                "forget",
                "forget",
                "hold",
                "release",
                "reopen",
                "lay out",
                "restore",
                "quotas",
            ]
        )
        user = chance.choice(["ana", "ana", "ben"])
        if action == "add":
            yield action, [entry(chance, user, id_) for id_ in chance.sample(IDS, chance.choice([1, 3]))]
        elif action == "quotas":
            yield action, chance.choice([SMALL, None])
        elif action == "restore":
            yield action, (user, chance.sample(IDS, 2))
        elif action in ("reopen", "lay out"):
            yield action, user
        else:
            yield action, (user, selectors(chance))


@dataclass
class Known:
    """What the oracle knows of a record."""

    session: str | None
    kind: str
    at: int
    provenance: str | None
    sources: tuple[str, ...]
    words: list[str] = field(default_factory=list)
    """One for each wording that it had."""
    held: bool = False


class Oracle:
    def __init__(self) -> None:
        self.records: dict[tuple[str, str], Known] = {}
        self.forgotten: set[str] = set()
        self._count = 0

    def add(self, entry: dict[str, Any]) -> Record:
        """The record to add. A new wording keeps what selectors look at, so that they find the older ones, too."""
        key = entry["user"], entry["id"]
        before = self.records.get(key)
        now = Known(
            entry["session"],
            entry["kind"],
            START + entry["second"] * 1_000_000,
            entry["provenance"],
            tuple(id_ for id_ in entry["sources"] if id_ != entry["id"]),
        )
        if before is not None:
            now = Known(before.session, before.kind, before.at, before.provenance, before.sources)
            now.words, now.held = before.words, before.held
        self._count += 1
        word = f"q{self._count:05d}q"
        now.words.append(word)
        self.records[key] = now
        return Record(
            user=entry["user"],
            id=entry["id"],
            text=f"says {word}",
            at=from_micros(now.at),
            kind=now.kind,
            session=now.session,
            provenance=now.provenance,
            sources=now.sources,
            tags=(word,),
            metadata={"word": word},
        )

    def chosen(self, user: str, wanted: dict[str, Any]) -> set[str]:
        return {id_ for (of, id_), known in self.records.items() if of == user and _meant(id_, known, wanted)}

    def doomed(self, user: str, wanted: dict[str, Any]) -> set[str]:
        """Those that are meant, and what came of them or of an id that is given but gone."""
        found = self.chosen(user, wanted)
        given = wanted.get("id", [])
        reached = found | ({given} if isinstance(given, str) else set(given))
        while True:
            more = {
                id_
                for (of, id_), known in self.records.items()
                if of == user and id_ not in found and not reached.isdisjoint(known.sources)
            }
            if not more:
                return found
            found |= more
            reached |= more

    def forget(self, user: str, doomed: set[str]) -> None:
        for id_ in doomed:
            self.forgotten.update(self.records.pop((user, id_)).words)


def _meant(id_: str, known: Known, wanted: dict[str, Any]) -> bool:
    if "id" in wanted:
        return id_ == wanted["id"] if isinstance(wanted["id"], str) else id_ in wanted["id"]
    if "source" in wanted:
        return wanted["source"] in (known.provenance, *known.sources)
    start, end = wanted.get("between", (0, 0))
    return (
        ("session" not in wanted or known.session == wanted["session"])
        and ("kinds" not in wanted or known.kind in wanted["kinds"])
        and ("between" not in wanted or START + start * 1_000_000 <= known.at < START + end * 1_000_000)
    )


def _as_times(wanted: dict[str, Any]) -> dict[str, Any]:
    if "between" not in wanted:
        return wanted
    start, end = wanted["between"]
    return {**wanted, "between": (START + start * 1_000_000, START + end * 1_000_000)}


def _check(memory: Memory, oracle: Oracle, folder: Path) -> None:
    for user in USERS:
        left = {id_ for of, id_ in oracle.records if of == user}
        index = memory._engine.current()
        with memory._engine.store.reading() as reader:
            cold = set(reader.cold.ids(user))
        assert cold.isdisjoint(index.ids(user=user))
        assert {id_ for id_ in {*index.ids(user=user), *cold} if "@" not in id_} == left
        output = io.StringIO()
        memory.export(user, output)
        kept = [known for (of, _), known in oracle.records.items() if of == user]
        for known in kept:
            # Of what is not forgotten, nothing is lost; the vault keeps no versions.
            for word in known.words[-1:] if known.kind == "vault" else known.words:
                assert word in output.getvalue()
        found = [output.getvalue(), str(memory.audit(user=user)), str(memory.evicted(user=user, k=100))]
        for times in ({}, {"as_of": START * 2}, {"valid_at": START * 2}):
            hits = memory.search("says", user=user, k=50, kinds=list(KINDS), **times)
            found.append(" ".join(f"{hit.text} {hit.record}" for hit in hits))
        for word in oracle.forgotten:
            assert not any(word in text for text in found)
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    for word in oracle.forgotten:
        assert [name for name, content in files.items() if word.encode() in content] == [], word


@given(st.integers(0, 2**32))
@settings(PROFILE, max_examples=30)
def test_forgotten_is_gone_by_every_way(seed: int) -> None:
    oracle, chance = Oracle(), Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory = Memory(folder / "agent.memspan", "hash:16")
        try:
            for action, argument in script(chance):
                if action == "add":
                    oracle = _add(memory, oracle, argument)
                elif action == "quotas":
                    with contextlib.suppress(errors.QuotaError):
                        memory.set_quotas(argument)
                elif action == "restore":
                    with contextlib.suppress(errors.QuotaError):
                        memory.restore(user=argument[0], ids=argument[1])
                elif action == "reopen":
                    memory.close()
                    memory = Memory(
                        folder / "agent.memspan",
                        "hash:16",
                        max_resident_bytes=1 if argument == "ben" else None,
                    )
                elif action == "lay out":
                    memory._engine.current().consolidate(user=argument)
                else:
                    user, wanted = argument
                    if action == "forget":
                        _forget(memory, oracle, user, wanted)
                        _check(memory, oracle, folder)
                    else:
                        call = memory.hold if action == "hold" else memory.release
                        call(user=user, **_as_times(wanted))
                        for id_ in oracle.chosen(user, wanted):
                            oracle.records[user, id_].held = action == "hold"
            _check(memory, oracle, folder)
            assert memory.verify() == []
        finally:
            memory.close()
        _check_files(folder, oracle)


def _add(memory: Memory, oracle: Oracle, entries: list[dict[str, Any]]) -> Oracle:
    """The oracle afterwards. Nothing is added where held records leave no room, or over one of the vault, which keeps
    no versions."""
    after = copy.deepcopy(oracle)
    try:
        memory.add_records([after.add(each) for each in entries])
    except (errors.QuotaError, errors.HeldError) as error:
        before = (oracle.records.get((each["user"], each["id"])) for each in entries)
        held = any(known is not None and known.held and known.kind == "vault" for known in before)
        if not held and not isinstance(error, errors.QuotaError):
            raise
        oracle._count = after._count
        return oracle
    return after


def _forget(memory: Memory, oracle: Oracle, user: str, wanted: dict[str, Any]) -> None:
    doomed = oracle.doomed(user, wanted)
    if any(oracle.records[user, id_].held for id_ in doomed):
        with pytest.raises(errors.HeldError):
            memory.forget(user=user, **_as_times(wanted))
        return
    removed = memory.forget(user=user, **_as_times(wanted))
    assert removed >= len(doomed), "older wordings may count, too"
    assert bool(removed) == bool(doomed)
    oracle.forget(user, doomed)


def _check_files(folder: Path, oracle: Oracle) -> None:
    content = b"".join(file.read_bytes() for file in folder.iterdir())
    for word in oracle.forgotten:
        assert word.encode() not in content, word
