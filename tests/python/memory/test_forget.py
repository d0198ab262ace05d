"""Forgetting: from the answers, from what was derived, and from the bytes of every file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memspan import Quotas, errors
from memspan.embed.hashing import HashEmbedder
from memspan.memory import Memory
from memspan.records import Record
from memspan.remember.forgetting import forgetting
from memspan.store import SqliteStore
from memspan.times import from_micros

SECRET = "Wolfsbane"
AT = from_micros(1_700_000_000_000_000)
Open = Callable[..., Memory]


def leaks(folder: Path, text: str) -> list[str]:
    """Files that hold the secret word in any case, or the embedding of its text."""
    vector = HashEmbedder(32).embed_documents([text])[0].tobytes()
    found = []
    for file in folder.iterdir():
        content = file.read_bytes()
        if SECRET.lower().encode() in content.lower() or vector in content:
            found.append(file.name)
    return sorted(found)


def fill(memory: Memory) -> str:
    text = f"The {SECRET} is buried"
    memory.add([{"id": "m1", "text": text, "tags": [SECRET], "at": AT}], user="ana")
    memory.add(
        [{"id": f"n{i}", "text": f"harmless text {i}", "tags": ["plain"]} for i in range(100)], user="ana"
    )
    memory.relate(user="ana", parent="plants", child=SECRET)
    return text


def test_one_record_leaves_no_bytes(path: Path, open_memory: Open) -> None:
    memory = open_memory()
    text = fill(memory)
    memory.close()
    assert leaks(path.parent, text) == ["agent.memspan", "agent.memspan.index"]
    memory = open_memory()
    assert memory.forget(user="ana", id="m1") == 1
    log = path.with_name(path.name + "-wal").read_bytes()
    assert SECRET.encode() not in log
    assert not path.with_name(path.name + ".index").exists(), "the cache held the words too"
    assert memory.search(SECRET, user="ana", views=["lexical"]) == []
    assert memory.get(user="ana", id="m1") is None
    assert memory.verify() == []
    memory.close()
    assert leaks(path.parent, text) == []
    assert open_memory().stats("ana")["records"] == 100


def test_a_user_leaves_no_bytes(path: Path, open_memory: Open) -> None:
    memory = open_memory()
    text = f"I am {SECRET}"
    memory.add(
        [{"id": SECRET, "text": text, "session": SECRET, "speaker": SECRET, "tags": [SECRET]}], user=SECRET
    )
    memory.add("harmless", user="ben")
    assert memory.forget(user=SECRET) == 1
    assert memory.users() == ["ben"]
    assert memory.search("harmless", user=SECRET) == []
    assert memory.verify() == []
    memory.close()
    assert leaks(path.parent, text) == []


def test_killed_before_the_snapshot_is_rewritten_nothing_comes_back(path: Path, open_memory: Open) -> None:
    memory = open_memory()
    text = fill(memory)
    memory.close()
    memory = open_memory()
    memory.forget(user="ana", id="m1")
    memory._engine._closed = True  # The process ends here: nothing is saved.
    memory._engine.store.close()
    assert leaks(path.parent, text) == []
    assert open_memory().search(SECRET, user="ana", views=["lexical"]) == []


def test_leftovers_of_crashed_savers_go_too(path: Path, open_memory: Open) -> None:
    memory = open_memory()
    text = fill(memory)
    leftover = path.with_name(path.name + ".index.0123456789abcdef.tmp")
    leftover.write_text(text)
    other = path.with_name(path.name + ".index.backup")
    other.write_text("mine")
    workshop = path.with_name(path.name + ".index.tmp")
    workshop.mkdir()
    workshop.joinpath("index.tmp.123").write_text(text)
    memory.forget(user="ana", id="m1")
    memory.close()
    assert leaks(path.parent, text) == []
    assert other.exists()


def test_a_folder_that_somebody_put_there_is_in_nobodys_way(path: Path, open_memory: Open) -> None:
    memory = open_memory()
    text = fill(memory)
    theirs = path.with_name(path.name + ".index.tmp") / "theirs"
    theirs.mkdir(parents=True)
    theirs.with_name("index.tmp.123").write_text(text)
    assert memory.forget(user="ana", id="m1") == 1
    memory.close()
    assert [file.name for file in theirs.parent.iterdir()] == ["theirs"]
    assert path.with_name(path.name + ".index").is_file(), "the index is saved all the same"


def test_a_second_one_does_not_look_through_the_folder(
    path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may hold a hundred thousand files of others."""
    memory = open_memory()
    fill(memory)
    memory.forget(user="ana", id="n0")
    looked: list[Path] = []
    iterate = Path.iterdir

    def note(folder: Path) -> Iterator[Path]:
        looked.append(folder)
        return iterate(folder)

    monkeypatch.setattr(Path, "iterdir", note)
    memory.forget(user="ana", id="n1")
    assert path.parent not in looked


def test_a_link_in_place_of_a_savers_folder_is_not_followed(path: Path, open_memory: Open) -> None:
    elsewhere = path.with_name("elsewhere")
    elsewhere.mkdir()
    elsewhere.joinpath("index").write_text("mine")
    path.with_name(path.name + ".index.tmp").symlink_to(elsewhere)
    memory = open_memory()
    fill(memory)
    memory.forget(user="ana", id="n0")
    memory.close()
    assert [file.read_text() for file in elsewhere.iterdir()] == ["mine"]
    assert open_memory().stats("ana")["records"] == 100


def test_what_was_derived_goes_with_its_source(memory: Memory) -> None:
    memory.add_records(
        [
            Record(id="turn", user="ana", text="turn", at=AT),
            Record(id="fact", user="ana", text="fact", at=AT, sources=("turn", "other")),
            Record(id="profile", user="ana", text="profile", at=AT, sources=("fact",)),
            Record(id="other", user="ana", text="other", at=AT),
            Record(id="fact", user="ben", text="fact", at=AT, sources=("turn",)),
        ]
    )
    assert memory.forget(user="ana", id="turn") == 3
    assert {found.id for found in memory.latest(user="ana")} == {"other"}
    assert memory.get(user="ben", id="fact") is not None
    assert memory.verify() == []


def test_a_source_is_a_provenance_or_the_id_of_a_record(memory: Memory) -> None:
    memory.add_records(
        [
            Record(id="a", user="ana", text="a", at=AT, provenance="mail.mbox"),
            Record(id="b", user="ana", text="b", at=AT, sources=("a",)),
            Record(id="c", user="ana", text="c", at=AT, sources=("page-7",)),
            Record(id="page-7", user="ana", text="d", at=AT),
        ]
    )
    assert memory.forget(user="ana", source="mail.mbox") == 2
    assert memory.forget(user="ana", source="page-7") == 1
    assert memory.forget(user="ana", source="nowhere") == 0
    assert {found.id for found in memory.latest(user="ana")} == {"page-7"}


def test_derived_records_go_even_after_their_source(memory: Memory) -> None:
    memory.add_records([Record(id="late", user="ana", text="late", at=AT, sources=("gone",))])
    assert memory.forget(user="ana", id="gone") == 1


def test_tags_go_with_their_last_record(memory: Memory) -> None:
    memory.add(
        [{"id": "m1", "text": "x", "tags": ["a", "b"]}, {"id": "m2", "text": "y", "tags": ["b"]}], user="ana"
    )
    memory.relate(user="ana", parent="top", child="a")
    memory.relate(user="ana", parent="top", child="b")
    memory.forget(user="ana", id="m1")
    index = memory._engine.current()
    assert [tag.name for tag in index.tags(user="ana")] == ["b", "top"]
    assert memory.stats("ana")["relations"] == 1
    assert memory.verify() == []


def test_the_last_record_takes_the_user_along(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "x"}], user="ana")
    assert memory.forget(user="ana", id="m1") == 1
    assert memory.users() == []
    assert memory._engine.current().users() == []


def test_forgetting_nothing_changes_nothing(memory: Memory) -> None:
    memory.add("x", user="ana")
    before = memory.stats()["sequence"]
    assert memory.forget(user="ana", id="unknown") == 0
    assert memory.forget(user="ben") == 0
    assert memory.stats()["sequence"] == before


def test_a_forgotten_id_can_be_used_again(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "first"}], user="ana")
    memory.forget(user="ana", id="m1")
    memory.add([{"id": "m1", "text": "second"}], user="ana")
    assert [found.text for found in memory.latest(user="ana")] == ["second"]
    memory.forget(user="ana")
    memory.add([{"id": "m2", "text": "third"}], user="ana")
    assert [found.text for found in memory.latest(user="ana")] == ["third"]
    assert memory.verify() == []


def test_a_failing_forget_keeps_everything(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add([{"id": "m1", "text": "x"}, {"id": "m2", "text": "y"}], user="ana")

    def fail(*arguments: object) -> None:
        raise errors.InvalidArgumentError("refused half-way")

    monkeypatch.setattr(forgetting, "drop_relations", fail)
    with pytest.raises(errors.InvalidArgumentError, match="refused half-way"):
        memory.forget(user="ana", id="m1")
    monkeypatch.undo()
    assert len(memory.latest(user="ana")) == 2
    assert memory.verify() == []


@pytest.mark.parametrize("id_", [None, "m1"])
def test_who_tries_again_erases_the_bytes(
    open_memory: Open, path: Path, monkeypatch: pytest.MonkeyPatch, id_: str | None
) -> None:
    """The first call removes the records and cannot rewrite the files; the second finds no records any more."""
    memory = open_memory()
    text = fill(memory)
    memory.add([{"id": "m2", "text": "harmless"}], user="ana")

    def busy(self: SqliteStore) -> None:
        raise errors.StoreError("another process is reading an older state")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteStore, "erase", busy)
        with pytest.raises(errors.StoreError, match="older state"):
            memory.forget(user="ana", id=id_)
    assert leaks(path.parent, text)
    assert memory.forget(user="ana", id=id_) == 0
    assert leaks(path.parent, text) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"user": ""},
        {"user": "ana", "id": ""},
        {"user": "ana", "id": 7},
        {"user": "ana", "source": ""},
        {"user": None},
    ],
)
def test_bad_arguments(memory: Memory, arguments: dict[str, object]) -> None:
    memory.add("x", user="ana")
    with pytest.raises(errors.InvalidArgumentError, match=r": got .*; accepted: "):
        memory.forget(**arguments)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="not both"):
        memory.forget(user="ana", id="a", source="b")
    assert memory.users() == ["ana"]


@pytest.mark.parametrize("where", ["memory", "version", "cold tier", "journal"])
def test_what_took_its_place_names_it_no_more(path: Path, open_memory: Open, where: str) -> None:
    """An id may be personal, too, such as that of a mail."""
    memory = open_memory()
    old = "mail-of-doctor-wolfsbane"
    memory.add({"id": old, "text": "Ana sees the doctor."}, user="ana")
    new = memory.supersede(user="ana", id=old, text="Ana sees nobody.")
    if where == "version":
        memory.add({"id": new, "text": "Ana sees everybody."}, user="ana")
    elif where == "cold tier":
        memory.set_quotas(Quotas(capacity=3, eviction="oldest"))
        memory.add({"id": "later", "text": "Ana sees."}, user="ana")
        assert [each.record.id for each in memory.evicted("ana")][:1] == [new]
    elif where == "journal":
        memory.retire(user="ana", ids=[new])
    memory.forget(user="ana", id=old)
    assert not any(b"wolfsbane" in file.read_bytes() for file in path.parent.iterdir())
    assert memory.verify() == []
    if where == "memory":
        (run,) = memory.runs("ana")
        assert memory.undo(run.id).removed == 1, "what forgetting changed in it is no change of somebody's"
