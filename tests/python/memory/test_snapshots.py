"""The cache file: loaded when it can be believed, rebuilt with a warning when not."""

from __future__ import annotations

import logging
import random
import shutil
import sqlite3
import stat
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import StoreError
from memspan.memory import Memory
from memspan.remember import snapshots
from memspan.remember.engine import Engine

Open = Callable[..., Memory]


@pytest.fixture
def cache(path: Path) -> Path:
    return path.with_name(path.name + ".index")


@pytest.fixture
def saved(open_memory: Open, cache: Path) -> dict[str, Any]:
    """A closed store with a snapshot; what it answers."""
    memory = open_memory()
    memory.add(
        [{"id": f"m{i}", "text": f"text {i} word{i % 7}", "tags": [f"t{i % 3}"]} for i in range(60)],
        user="ana",
    )
    memory.add("text of ben", user="ben")
    memory.relate(user="ana", parent="t0", child="t1")
    answers = observe(memory)
    memory.close()
    assert cache.exists()
    return answers


def answers_of(memory: Memory) -> dict[str, Any]:
    return {
        f"{user}: {question}": [(found.id, found.score) for found in memory.search(question, user=user, k=5)]
        for user, question in (("ana", "word3"), ("ana", "text 17"), ("ana", "t2"), ("ben", "text"))
    }


def observe(memory: Memory) -> dict[str, Any]:
    assert memory.verify() == []
    return answers_of(memory)


def damage_head(content: bytearray) -> None:
    """Flip a bit of what is checked when a user is loaded; rows and lists are checked when they are read."""
    content[content.index(b"m0m1m2")] ^= 1


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The point of the sequence from which each catch-up started."""
    from memspan.remember import engine

    starts: list[int] = []
    real = engine.apply_changes

    def counting(index: Any, reader: Any, after: int, *told: Any) -> int:
        starts.append(after)
        return real(index, reader, after, *told)

    monkeypatch.setattr(engine, "apply_changes", counting)
    return starts


def test_a_good_snapshot_is_loaded(
    saved: dict[str, Any],
    cache: Path,
    open_memory: Open,
    applied: list[int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = cache.stat().st_mtime_ns
    memory = open_memory()
    assert observe(memory) == saved
    memory.close()
    assert applied == []
    assert warnings_of(caplog) == []
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600
    assert cache.stat().st_mtime_ns == before, "nothing changed, nothing is written"


def test_an_older_snapshot_is_caught_up(
    saved: dict[str, Any],
    cache: Path,
    open_memory: Open,
    applied: list[int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    old = cache.read_bytes()
    memory = open_memory()
    memory.add([{"id": "m1", "text": "changed word3 word3"}, {"id": "new", "text": "word3"}], user="ana")
    memory.unrelate(user="ana", parent="t0", child="t1")
    expected = observe(memory)
    memory.close()
    assert cache.read_bytes() == old, "two changes of sixty are not worth a new file"
    assert observe(open_memory()) == expected != saved
    assert applied == [3]
    assert warnings_of(caplog) == []


def test_a_missing_snapshot(
    saved: dict[str, Any], cache: Path, open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    cache.unlink()
    memory = open_memory()
    assert observe(memory) == saved
    assert [message for message in warnings_of(caplog) if "is missing" in message]
    memory.close()
    assert cache.exists(), "it is written again"


@pytest.mark.parametrize("replaced", [False, True])
def test_a_snapshot_that_another_process_is_at(
    saved: dict[str, Any],
    cache: Path,
    path: Path,
    open_memory: Open,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    replaced: bool,
) -> None:
    """Its file goes, or comes, before the commit."""
    with closing(sqlite3.connect(path)) as other:
        (token,) = other.execute("SELECT value FROM meta WHERE key = 'snapshot'").fetchone()
        if replaced:
            with other:
                other.execute("UPDATE meta SET value = 'before' WHERE key = 'snapshot'")
        else:
            cache.unlink()

    def commit(seconds: float) -> None:
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("DELETE FROM meta WHERE key = 'snapshot'")
            if replaced:
                other.execute("INSERT INTO meta VALUES ('snapshot', ?)", (token,))

    monkeypatch.setattr(snapshots, "sleep", commit)
    assert observe(open_memory()) == saved
    assert warnings_of(caplog) == []


def test_a_new_store_says_nothing(open_memory: Open, caplog: pytest.LogCaptureFixture) -> None:
    open_memory().close()
    open_memory().close()
    assert warnings_of(caplog) == []


def test_truncation_at_every_length(
    saved: dict[str, Any], cache: Path, open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    content = cache.read_bytes()
    lengths = {*range(64), *range(64, len(content), max(1, len(content) // 60)), len(content) - 1}
    for length in sorted(lengths):
        caplog.clear()
        cache.write_bytes(content[:length])
        memory = open_memory()
        assert observe_quietly(memory) == saved, length
        assert len(warnings_of(caplog)) == 1, length


def observe_quietly(memory: Memory) -> dict[str, Any]:
    """As `observe`, without `verify` reporting the damaged file; nothing is saved on closing."""
    answers = answers_of(memory)
    memory._engine.note_unsaved(-memory._engine._unsaved)
    memory.close()
    return answers


def test_flipped_bits(
    saved: dict[str, Any], cache: Path, open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    content = cache.read_bytes()
    chance = random.Random(20)
    noticed = 0
    for _ in range(150):
        caplog.clear()
        damaged = bytearray(content)
        position = chance.randrange(len(content))
        damaged[position] ^= 1 << chance.randrange(8)
        cache.write_bytes(damaged)
        assert observe_quietly(open_memory()) == saved, position
        # What no answer needed was not read.
        assert len(warnings_of(caplog)) <= 1, position
        noticed += len(warnings_of(caplog))
    assert noticed > 75


def test_verify_reports_a_damaged_snapshot(saved: dict[str, Any], cache: Path, open_memory: Open) -> None:
    memory = open_memory()
    cache.write_bytes(cache.read_bytes()[:-1])
    (problem,) = memory.verify()
    assert "is damaged" in problem


def test_what_verify_finds_in_the_snapshot_is_not_there_any_more(
    saved: dict[str, Any], cache: Path, open_memory: Open
) -> None:
    """An opening reads the head of the file, verify all of it."""
    damaged = bytearray(cache.read_bytes())
    damage_head(damaged)
    cache.write_bytes(damaged)
    memory = open_memory()
    (problem,) = memory.verify()
    assert problem.endswith("; the next open rebuilds it")
    assert memory.verify() == []
    memory.close()
    again = open_memory()
    assert observe(again) == saved
    assert again.verify() == []


def test_a_snapshot_that_cannot_be_deleted(cache: Path, path: Path, open_memory: Open) -> None:
    cache.mkdir()
    memory = open_memory()
    memory.add({"id": "m1", "text": "stays"}, user="ana")
    with pytest.raises(
        StoreError, match=r"agent\.memspan\.index: cannot be deleted \(.*\); nothing was changed"
    ):
        memory.forget(user="ana")
    assert [found.id for found in memory.latest(user="ana")] == ["m1"]
    cache.rmdir()
    assert memory.forget(user="ana") == 1


def test_a_snapshot_that_cannot_be_read_is_not_called_damaged(
    saved: dict[str, Any],
    open_memory: Open,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(snapshots.Index, "load", refuse)
        memory = open_memory()
    (warning,) = warnings_of(caplog)
    assert "agent.memspan.index cannot be read ([Errno 13] Permission denied)" in warning
    assert answers_of(memory) == saved


@pytest.mark.parametrize("version", [1, 99, 2**32 - 1])
def test_another_format_version_is_not_damage(
    saved: dict[str, Any], cache: Path, open_memory: Open, caplog: pytest.LogCaptureFixture, version: int
) -> None:
    content = cache.read_bytes()
    ours = struct.unpack_from("<I", content, 8)[0]
    cache.write_bytes(content[:8] + struct.pack("<I", version) + content[12:])
    memory = open_memory()
    assert answers_of(memory) == saved
    told = f"{cache}: offset 8: format version {version}; this program reads {ours}"
    said = f"snapshot {cache} is of another version ({told})"
    assert warnings_of(caplog) == [f"{said}; the index is rebuilt from the store"]
    (problem,) = memory.verify()
    assert problem == f"{said}; the next open rebuilds it"
    memory.close()
    assert cache.read_bytes()[8:12] == content[8:12], "it is written again"


def test_damage_is_not_another_format_version(
    saved: dict[str, Any], cache: Path, open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    content = cache.read_bytes()
    for damaged in (b"", b"MEMSPAN\n\x07", b"MEMSPAM" + content[7:], content[:-1]):
        caplog.clear()
        cache.write_bytes(damaged)
        assert observe_quietly(open_memory()) == saved
        (message,) = warnings_of(caplog)
        assert "is damaged" in message


def test_a_snapshot_of_another_store(
    saved: dict[str, Any], cache: Path, open_memory: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = tmp_path / "other" / "agent.memspan"
    other = open_memory(elsewhere)
    other.add([{"id": f"m{i}", "text": "something else"} for i in range(60)], user="ana")
    other.close()
    shutil.copy(elsewhere.with_name(elsewhere.name + ".index"), cache)
    assert observe_quietly(open_memory()) == saved
    (message,) = warnings_of(caplog)
    assert "belongs to another state of the store (differs in store, token)" in message


def test_a_store_restored_from_a_backup(
    path: Path, cache: Path, open_memory: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The snapshot knows a future that the restored store never had, even after that store has moved on."""
    memory = open_memory()
    memory.add([{"id": "m1", "text": "text one"}], user="ana")
    memory.close()
    backup = tmp_path / "backup"
    shutil.copy(path, backup)
    memory = open_memory()
    memory.add([{"id": "m2", "text": "text lost"}], user="ana")
    memory.close()
    future = cache.read_bytes()
    shutil.copy(backup, path)
    memory = open_memory()
    assert [found.id for found in memory.search("text", user="ana")] == ["m1"]
    for i in range(5):
        memory.add([{"id": f"other{i}", "text": "text other"}], user="ana")
    memory.close()
    cache.write_bytes(future)
    caplog.clear()
    memory = open_memory()
    assert "m2" not in {found.id for found in memory.search("text", user="ana")}
    assert "m2" not in memory._engine.current().ids(user="ana")
    assert any("differs in token" in message for message in warnings_of(caplog))


def test_a_snapshot_without_a_token_in_the_store(
    path: Path, cache: Path, saved: dict[str, Any], open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    content = cache.read_bytes()
    memory = open_memory()
    memory.forget(user="ben")
    memory._engine._closed = True
    memory._engine.store.close()
    cache.write_bytes(content)
    memory = open_memory()
    assert memory._engine.current().users() == ["ana"]
    assert any("is not known to the store" in message for message in warnings_of(caplog))


def test_rules_that_changed(
    saved: dict[str, Any],
    open_memory: Open,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(snapshots, "COMPOSE_VERSION", 99)
    assert observe_quietly(open_memory()) == saved
    (message,) = warnings_of(caplog)
    assert "differs in compose" in message


def test_a_symbolic_link_is_not_followed(
    saved: dict[str, Any], cache: Path, open_memory: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "target"
    cache.rename(target)
    cache.symlink_to(target)
    before = target.read_bytes()
    memory = open_memory()
    memory.add([f"text {i}" for i in range(100)], user="ana")
    memory.close()
    assert any("is a symbolic link" in message for message in warnings_of(caplog))
    assert not cache.is_symlink()
    assert target.read_bytes() == before


def test_a_snapshot_that_cannot_be_written_is_only_logged(
    path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory()
    memory.add("text", user="ana")

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(snapshots.os, "replace", refuse)
    memory.close()
    assert any("could not be written (no space)" in message for message in warnings_of(caplog))
    assert [file.name for file in path.parent.iterdir()] == ["agent.memspan"]


def test_large_loads_save_before_closing(open_memory: Open, cache: Path) -> None:
    memory = open_memory()
    memory.add([f"text {i}" for i in range(1200)], user="ana")
    assert not cache.exists()
    memory.add([f"more {i}" for i in range(20_000)], user="ana")
    assert cache.exists()
    engine: Engine = memory._engine
    before = cache.stat().st_mtime_ns
    memory.add("one more", user="ana")
    assert cache.stat().st_mtime_ns == before
    assert engine.snapshots.path == cache


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.add("something new", user="ana"),
        lambda memory: memory.forget(user="ana", id="m5"),
        lambda memory: memory.relate(user="ana", parent="t1", child="t2"),
        lambda memory: memory.unrelate(user="ana", parent="t0", child="t1"),
        lambda memory: memory.latest(user="ana"),
        lambda memory: memory.consolidate(user="ana"),
        lambda memory: memory.stats(user="ana"),
        lambda memory: memory.verify(),
    ],
)
def test_damage_is_found_by_any_call_and_none_fails(
    saved: dict[str, Any],
    cache: Path,
    open_memory: Open,
    caplog: pytest.LogCaptureFixture,
    call: Callable[[Memory], Any],
) -> None:
    content = bytearray(cache.read_bytes())
    damage_head(content)
    cache.write_bytes(content)
    memory = open_memory()
    assert warnings_of(caplog) == []
    call(memory)
    assert ["damaged" in message for message in warnings_of(caplog)] == [True]
    engine = memory._engine
    engine.snapshots.path.unlink(missing_ok=True)
    assert memory.verify() == []


def test_a_damaged_file_is_replaced_on_closing(saved: dict[str, Any], cache: Path, open_memory: Open) -> None:
    content = bytearray(cache.read_bytes())
    damage_head(content)
    cache.write_bytes(content)
    memory = open_memory()
    assert answers_of(memory) == saved
    memory.close()
    assert observe(open_memory()) == saved


def test_users_beyond_the_limit_leave_memory(
    open_memory: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory(max_resident_bytes=60_000)
    for user in range(60):
        memory.add([f"{word} of {user}" for word in ("kite", "lamp", "river")], user=f"u{user}")
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert not [name for name in names if name.startswith("memspan-")]
    for user in range(60):
        assert memory.search("lamp", user=f"u{user}", k=1)[0].text == f"lamp of {user}"
    assert memory.stats()["index"]["resident_users"] < 60
    assert memory.forget(user="u3") == 3
    assert memory.verify() == []
    memory.close()
    again = open_memory(max_resident_bytes=60_000)
    assert again.search("lamp", user="u59", k=1)[0].text == "lamp of 59"
    assert again.stats()["index"]["resident_users"] == 1
    assert warnings_of(caplog) == []


def test_a_store_under_two_names_has_one_snapshot(path: Path, open_memory: Open, cache: Path) -> None:
    """A symbolic link to a store is that store: what its handles leave lies beside the file."""
    elsewhere = path.parent / "links"
    elsewhere.mkdir()
    link = elsewhere / "link.memspan"
    link.symlink_to(path)
    memory = open_memory(link)
    memory.add([{"id": f"m{i}", "text": f"wolfsbane {i}"} for i in range(60)], user="ana")
    memory.close()
    assert cache.exists()
    memory = open_memory()
    assert len(memory.search("wolfsbane", user="ana", k=60)) == 60
    memory.forget(user="ana")
    memory.close()
    assert [file.name for file in elsewhere.iterdir()] == ["link.memspan"]
    assert all(b"wolfsbane" not in file.read_bytes() for file in path.parent.glob("*.memspan*"))
