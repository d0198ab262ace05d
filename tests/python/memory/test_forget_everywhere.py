"""Whatever selects it, what is forgotten leaves no byte in any file, whichever tables, jobs and journals had it."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_recipe import NoteTurns, ScriptedModel, SumUp, recipe_of

from memspan.embed.hashing import HashEmbedder
from memspan.errors import StoreError
from memspan.memory import Memory
from memspan.records import Record
from memspan.remember.compose import embedded_text
from memspan.store import SqliteStore
from memspan.store.documents import dump_record
from memspan.store.sqlite.traces import TRACES
from memspan.times import from_micros

SECRET = "Wolfsbane"
STEM = b"wolfsban"
"""As an index keeps the word."""
AT = from_micros(1_700_000_000_000_000)
LATER = from_micros(1_700_000_500_000_000)
Open = Callable[..., Memory]

SELECTORS: dict[str, dict[str, Any]] = {
    "user": {},
    "id": {"id": "m1"},
    "ids": {"id": ["m1", "unknown"]},
    "source": {"source": f"mail-{SECRET}"},
    "session": {"session": f"s-{SECRET}"},
    "between": {"between": (AT, from_micros(1_700_000_100_000_000))},
    "kinds": {"kinds": ["procedural"]},
    "together": {"session": f"s-{SECRET}", "between": (AT, None), "kinds": ["procedural", "vault"]},
}
HARMLESS = 40


def secret_record(id_: str = "m1", **fields: Any) -> Record:
    return Record(
        **{
            "id": id_,
            "user": "ana",
            "text": f"The {SECRET} is buried, {id_}",
            "at": AT,
            "recorded_at": AT,
            "session": f"s-{SECRET}",
            "speaker": SECRET,
            "kind": "procedural",
            "provenance": f"mail-{SECRET}",
            "tags": (SECRET.lower(),),
            "metadata": {"about": SECRET},
            **fields,
        }
    )


def vector(record: Record) -> np.ndarray[Any, Any]:
    return HashEmbedder(32).embed_documents([embedded_text(record)])[0]


def as_json(record: Record) -> str:
    return dump_record(record)


def fill(memory: Memory, m1: str = "m1", fact: str = "fact", c2: str = "c2") -> list[bytes]:
    """Put the secret into every place that a store has; returns vectors that must go, too."""
    older = secret_record(
        f"{m1}@{1_700_000_000_000_000}",
        retired_at=LATER,
        metadata={"version_of": m1, "about": SECRET},
    )
    derived = Record(id=fact, user="ana", text=f"They like {SECRET}", at=LATER, sources=(m1,))
    further = Record(id="sum", user="ana", text=f"In short: {SECRET}", at=LATER, sources=(fact,))
    ended = Record(
        id="ended", user="ana", text="harmless and over", at=LATER, metadata={"ended": {"by": [m1, "n1"]}}
    )
    plain = [
        Record(id=f"n{i}", user="ana", text=f"harmless {i}", at=LATER, session="t") for i in range(HARMLESS)
    ]
    memory.add_records([secret_record(m1), older, derived, further, ended, *plain])
    memory.relate(user="ana", parent="plants", child=SECRET.lower())
    cold = secret_record("c1")
    cold_fact = Record(id=c2, user="ana", text=f"Cold: {SECRET}", at=LATER, sources=(fact,))
    cold_end = Record(id="c3", user="ana", text="cold", at=LATER, metadata={"ended": {"by": [c2, "x"]}})
    with memory._engine.store.writing() as writer:
        run = writer._connection.execute
        (pk,) = run("SELECT pk FROM users WHERE name = 'ana'").fetchone()
        for number, (record, reason) in enumerate(
            [
                (cold, "evicted"),
                (secret_record(m1), "original"),
                (older, "evicted"),
                (cold_fact, "evicted"),
                (cold_end, "evicted"),
            ],
            1,
        ):
            run(
                "INSERT INTO cold (pk, user_pk, id, sequence, reason, moved_at, record, embedding) "
                "VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
                (
                    number,
                    pk,
                    record.id,
                    writer.sequence(),
                    reason,
                    dump_record(record),
                    vector(record).tobytes() if SECRET in record.text else None,
                ),
            )
        run("INSERT INTO cold_sources VALUES (?, ?, 4)", (pk, fact))
        for name in (c2, "x"):
            run("INSERT INTO endings VALUES (?, ?, 'c3')", (pk, name))
        run("INSERT INTO runs VALUES (1, ?, 'run-1', 'merge', 'done', 1, 2, '{}')", (pk,))
        united = Record(id="n1", user="ana", text=f"united {SECRET}", at=AT, sources=(m1,))
        for position, record in enumerate([secret_record(m1), derived, united, ended, plain[2]]):
            run(
                "INSERT INTO run_changes VALUES (1, ?, ?, ?, ?, ?, 'hash')",
                (position, pk, record.id, as_json(record), vector(record).tobytes()),
            )
        for id_ in (m1, fact, "n3"):
            run("INSERT INTO uses VALUES (?, ?, 3, 1, 1)", (pk, id_))
        for id_ in (m1, "n3"):
            said = SECRET if id_ == m1 else "harmless"
            run("INSERT INTO secrets VALUES (?, ?, 'k', x'00', ?)", (pk, id_, said.encode()))
            uri = f"file:///{said}"
            run("INSERT INTO resources VALUES (?, ?, ?, NULL, NULL, NULL, 'missing')", (pk, id_, uri))
    return [vector(record).tobytes() for record in (secret_record(m1), older, derived, further, cold)]


def leaks(folder: Path, vectors: list[bytes] = []) -> list[str]:  # noqa: B006
    """Files that hold the secret word in any case, or one of the vectors; also those without a name that are open."""
    found = []
    files = [file for file in folder.rglob("*") if file.is_file()]
    descriptors = Path("/proc/self/fd")
    for link in descriptors.iterdir() if descriptors.exists() else []:
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if str(folder) in target and "(deleted)" in target:
            files.append(link)
    for file in files:
        content = file.read_bytes()
        if STEM in content.lower() or any(each in content for each in vectors):
            found.append(file.name)
    return sorted(found)


@pytest.mark.parametrize("selector", SELECTORS)
def test_every_selector(path: Path, open_memory: Open, selector: str) -> None:
    memory = open_memory()
    vectors = fill(memory)
    memory.close()
    assert leaks(path.parent, vectors) == ["agent.memspan", "agent.memspan.index"]
    memory = open_memory()
    memory.search(SECRET, user="ana")
    removed = memory.forget(user="ana", **SELECTORS[selector])
    # m1, its version, fact, sum and c2; c1 by whatever it shares with m1.
    if selector != "user":
        assert removed == (5 if selector.startswith("id") else 6)
        if selector.startswith("id"):
            assert memory.forget(user="ana", id="c1") == 1, "a record of the cold tier has an id, too"
    assert leaks(path.parent, vectors) == [], "while the memory is open"
    output = io.StringIO()
    memory.export("ana", output, embeddings=True)
    assert SECRET.lower() not in output.getvalue().lower()
    assert memory.search(SECRET, user="ana", views=["lexical"]) == []
    moment = from_micros(1_700_000_000_000_001)
    for times in ({"as_of": moment}, {"valid_at": moment}):
        hits = memory.search(SECRET, user="ana", kinds=["procedural", "episodic", "vault"], **times)
        assert all(SECRET not in hit.text for hit in hits), times
    assert memory.verify() == []
    entry = memory.audit(user="ana", action="forget")[-1]
    assert SECRET not in str(memory.audit())
    assert entry.details["records"] == (1 if selector.startswith("id") else removed)
    memory.close()
    assert leaks(path.parent, vectors) == [], "in what closing wrote"
    again = open_memory()
    assert again.verify() == []
    with again._engine.store.reading() as reader:
        rows = {table: reader._one(f"SELECT count(*) FROM {table}") for table, _ in TRACES}
        if selector == "user":
            assert again.users() == []
            assert set(rows.values()) == {0}
            return
        del rows["uses"]
        assert rows == {"cold": 1, "run_changes": 2, "secrets": 1, "resources": 1, "endings": 2}
        used = {use.record for use in reader.uses.of("ana")}
        assert used <= {*reader.ids("ana"), *reader.cold.ids("ana")}
        mentioned = reader._all(
            "SELECT record FROM cold UNION ALL SELECT before FROM run_changes UNION ALL SELECT name FROM endings"
        )
    assert all("m1" not in text and "c2" not in text for (text,) in mentioned)
    assert again.stats("ana")["records"] == HARMLESS + 1
    assert again.get(user="ana", id="ended").metadata == {"ended": {"by": ["n1"]}}  # type: ignore[union-attr]


def test_ids_with_a_character_at_which_sqlite_ends_a_text_of_json(path: Path, memory: Memory) -> None:
    """What begins the same stays."""
    m1 = "m1\0x"
    vectors = fill(memory, m1, "fact\0", "\0c2")
    memory.add_records(
        [
            Record(id="m1", user="ana", text="stays", at=LATER, metadata={"ended": {"by": ["m1\0y"]}}),
            Record(id="m1@5", user="ana", text="stays", at=LATER, metadata={"version_of": m1}),
        ]
    )
    assert memory.forget(user="ana", id=m1) == 5
    assert memory.forget(user="ana", id="c1") == 1
    assert leaks(path.parent, vectors) == []
    assert memory.get(user="ana", id="ended").metadata == {"ended": {"by": ["n1"]}}  # type: ignore[union-attr]
    assert memory.get(user="ana", id="m1").metadata == {"ended": {"by": ["m1\0y"]}}  # type: ignore[union-attr]
    assert memory.get(user="ana", id="m1@5") is not None
    with memory._engine.store.reading() as reader:
        assert {record for (record,) in reader._all("SELECT record FROM run_changes")} == {"ended", "n2"}
    assert memory.verify() == []


def test_every_table_that_names_records_is_known(memory: Memory) -> None:
    """A table of records by (user, id) that forgetting does not know of would keep what it should erase."""
    known = {table for table, _ in TRACES}
    jobs = {"job_turns", "job_made", "job_tagged"}
    with memory._engine.store.reading() as reader:
        tables = [name for (name,) in reader._all("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in tables:
            columns = {row[1] for row in reader._all(f"PRAGMA table_info({table})")}
            if "user_pk" in columns and columns & {"record", "id"}:
                assert table in known | jobs | {"records", "jobs", "runs"}, table


def test_a_version_goes_alone_with_what_was_made_of_it(memory: Memory, path: Path) -> None:
    version = f"m1@{1_700_000_000_000_000}"
    memory.add_records(
        [
            Record(id="m1", user="ana", text="harmless now", at=AT, recorded_at=LATER),
            Record(
                id=version,
                user="ana",
                text=f"It was {SECRET}",
                at=AT,
                recorded_at=AT,
                retired_at=LATER,
                metadata={"version_of": "m1"},
            ),
            Record(id="then", user="ana", text=f"Of {SECRET}", at=AT, recorded_at=AT, sources=("m1",)),
            # Nobody knows which of the two it saw.
            Record(id="turning", user="ana", text=f"Of {SECRET}?", at=AT, recorded_at=LATER, sources=("m1",)),
            Record(id="now", user="ana", text="of the new", at=AT, sources=("m1",)),
        ]
    )
    assert memory.forget(user="ana", id=version) == 3
    assert {record.id for record in memory.latest(user="ana")} == {"m1", "now"}
    assert leaks(path.parent) == []


def test_what_looks_like_a_version_is_not_one(memory: Memory) -> None:
    memory.add(
        [{"id": "m1", "text": "one"}, {"id": "m1@5", "text": "two"}, {"id": "m1A", "text": "x"}], user="ana"
    )
    assert memory.forget(user="ana", id="m1") == 1
    assert {record.id for record in memory.latest(user="ana")} == {"m1@5", "m1A"}


def test_a_user_with_cold_records_or_settings_outlives_the_last_record(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "x"}], user="ana")
    with memory._engine.store.writing() as writer:
        writer._connection.execute("INSERT INTO lifetimes SELECT pk, 'episodic', 5 FROM users")
    assert memory.forget(user="ana", id="m1") == 1
    assert memory.users() == ["ana"]
    assert memory.verify() == []
    assert memory.forget(user="ana") == 0, "settings are no records"
    assert memory.users() == []
    with memory._engine.store.reading() as reader:
        assert reader._one("SELECT count(*) FROM lifetimes") == 0


@pytest.mark.parametrize("live", [False, True])
def test_a_user_with_cold_records_is_erased_and_counted(path: Path, open_memory: Open, live: bool) -> None:
    memory = open_memory(quotas=10)
    memory.add([{"id": f"m{i}", "text": f"{SECRET} number {i}"} for i in range(10)], user="ana")
    memory.add("harmless", user="ben")
    in_memory = [record.id for record in memory.latest(user="ana")]
    assert len(in_memory) == 4
    if not live:
        assert memory.forget(user="ana", id=in_memory) == 4
    assert leaks(path.parent) != []
    assert memory.forget(user="ana") == (10 if live else 6)
    assert leaks(path.parent) == []
    assert memory.users() == ["ben"]
    assert memory.audit(user="ana", action="forget")[-1].details["records"] == (10 if live else 6)
    assert memory.verify() == []


def test_a_user_without_records_leaves_no_bytes(path: Path, memory: Memory) -> None:
    memory.set_lifetime("episodic", 5, user=SECRET)
    assert memory.users() == [SECRET]
    assert leaks(path.parent) != []
    assert memory.forget(user=SECRET) == 0
    assert leaks(path.parent) == []


def test_what_models_said_of_cold_records_is_forgotten(open_memory: Open) -> None:
    model = ScriptedModel()
    forgotten: list[bool] = []
    model.forget_replies = lambda: forgotten.append(True)  # type: ignore[attr-defined]
    memory = open_memory(recipe=recipe_of(NoteTurns()), llm=model)
    assert memory.forget(user="nobody") == 0
    assert forgotten == []
    memory.set_lifetime("episodic", 5, user="ana")
    memory.forget(user="ana")
    assert forgotten == [True]


def test_what_models_said_is_forgotten_also_where_the_files_are_busy(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    forgotten: list[bool] = []
    model.forget_replies = lambda: forgotten.append(True)  # type: ignore[attr-defined]
    memory = open_memory(recipe=recipe_of(NoteTurns()), llm=model)
    memory.add("I am Wolfsbane", user="ana")

    def busy(self: SqliteStore) -> None:
        raise StoreError("another process is reading an older state")

    monkeypatch.setattr(SqliteStore, "erase", busy)
    with pytest.raises(StoreError, match="older state"):
        memory.forget(user="ana")
    assert forgotten == [True]


@pytest.mark.parametrize("unloaded", [False, True])
def test_spilled_users_leave_no_bytes(path: Path, open_memory: Open, unloaded: bool) -> None:
    memory = open_memory(max_resident_bytes=1)
    for user in ("ana", "ben", "eva"):
        memory.add([{"id": f"{i}", "text": f"{SECRET} of {user} {i}"} for i in range(50)], user=user)
    for user in ("ben", "eva"):
        memory.search("of", user=user)
    if not unloaded:
        memory.search("of", user="ana")
    assert any(name.isdigit() for name in leaks(path.parent)), "the spill file is open, and has no name"
    for user in ("ana", "ben", "eva"):
        memory.forget(user=user, id=[f"{i}" for i in range(49)])
        memory.forget(user=user)
    assert leaks(path.parent) == []


def test_forgetting_while_others_search(open_memory: Open, path: Path) -> None:
    memory, other = open_memory(), open_memory()
    memory.add([{"id": f"n{i}", "text": f"harmless {i}"} for i in range(200)], user="ana")
    memory.add([{"id": f"m{i}", "text": f"{SECRET} {i}", "session": "s"} for i in range(40)], user="ana")
    ending, failures, after = threading.Event(), [], threading.Event()

    def search(handle: Memory) -> None:
        try:
            while not ending.is_set():
                gone = after.is_set()
                found = [hit.text for hit in handle.search(SECRET, user="ana", k=60)]
                assert not gone or not any(SECRET in text for text in found)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search, args=(each,)) for each in (memory, memory, other, other)]
    for thread in threads:
        thread.start()
    try:
        assert memory.forget(user="ana", id="m0") == 1
        assert memory.forget(user="ana", session="s") == 39
        after.set()
        memory.add("harmless, too", user="ana")
    finally:
        threading.Event().wait(0.2)
        ending.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert leaks(path.parent) == []
    assert memory.verify() == other.verify() == []


def test_forgetting_while_jobs_run(open_memory: Open, path: Path) -> None:
    """Jobs that are under way when their turns are forgotten end without them."""
    model = ScriptedModel()
    memory = open_memory(recipe=recipe_of(NoteTurns(), SumUp()), llm=model)
    memory.start_processing()
    for session in range(6):
        memory.add(
            [{"text": f"harmless {session}"}, {"text": f"{SECRET} {session}", "kind": "episodic"}],
            user="ana",
            session=f"s{session}",
            metadata={"session": session},
        )
        if session % 2:
            memory.forget(user="ana", session=f"s{session - 1}")
    for session in range(6):
        memory.forget(user="ana", session=f"s{session}")
    memory.add("harmless", user="ana", session="last")
    memory.stop_processing()
    memory.process()
    assert leaks(path.parent) == []
    assert memory.verify() == []
    assert {job.session for job in memory.jobs()} == {"last"}


@pytest.mark.parametrize("m", ["m", "\0m"])
def test_versions_of_many_records_at_once(memory: Memory, m: str) -> None:
    records = [
        Record(id=id_, user="ana", text="x", at=AT, metadata=metadata)
        for i in range(300)
        for id_, metadata in (
            (f"{m}{i}", {}),
            (f"{m}{i}@5", {"version_of": f"{m}{i}"}),
            (f"k{i}@5", {"version_of": f"{m}1"}),
        )
    ]
    memory.add_records(records)
    assert memory.forget(user="ana", id=[f"{m}{i}" for i in range(299)]) == 598
    kept = {f"{m}299", f"{m}299@5"}
    assert {id_ for id_ in memory._engine.current().ids(user="ana") if id_[0] != "k"} == kept
    assert memory.verify() == []
