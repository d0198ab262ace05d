"""Opening: schema, migrations, permissions, refusals."""

from __future__ import annotations

import os
import re
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from memspan.errors import InvalidArgumentError, StoreError
from memspan.memory import Memory
from memspan.records import Record
from memspan.store import SqliteStore, inspect
from memspan.store.schema import migrations, tables


def raw(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def test_settings_that_durability_depends_on(store: SqliteStore) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1, "temp_store": 2}
    with store.writing() as writer:
        assert {name: writer._one(f"PRAGMA {name}") for name in wanted} == wanted
        tables = dict(
            writer._all("SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%'")
        )
    assert set(tables) == {
        "meta", "users", "records", "derivations", "relations", "removals", "staged", "made_tags",
        "jobs", "job_turns", "job_steps", "job_log", "job_made", "job_tagged", "job_relations", "workers", "usage",
        "record_states", "cold", "cold_sources", "uses", "quotas", "lifetimes", "audit", "runs", "run_changes",
        "secrets", "resources", "token_vectors", "endings",
    }  # fmt: skip
    assert set(tables.values()) == {1}


def test_files_are_private(tmp_path: Path, make_record: Callable[..., Record]) -> None:
    path = tmp_path / "deep" / "er" / "agent.memspan"
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record()])
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700
    store.close()
    assert [file.name for file in path.parent.iterdir()] == ["agent.memspan"]


def test_a_url_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (
        "postgresql://host/db",
        "sqlite:///a.db",
        "file:/a.memspan",
        Path("https://host/agent.memspan"),
    ):
        with pytest.raises(InvalidArgumentError, match=r"^path: got .*; this looks like a URL$"):
            Memory(path, "hash:32")
    with pytest.raises(InvalidArgumentError, match=r"^path: got '~/a\.memspan'; .*expanduser"):
        Memory("~/a.memspan", "hash:32")
    assert not list(tmp_path.iterdir())
    for folder in ("notes:", "~"):
        (tmp_path / folder).mkdir()
        Memory(f"{folder}/a.memspan", "hash:32").close()
        assert (tmp_path / folder / "a.memspan").exists()
    Memory("./new:/a.memspan", "hash:32").close()


@pytest.mark.parametrize("path", ["", ":memory:", "a\0b", 7, None, b"bytes"])
def test_paths_that_are_no_files(path: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^path: got .*; accepted: "):
        SqliteStore(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["n" * 300, "n" * 300 + "/store", "file/store"])
def test_names_that_the_system_refuses(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / place
    assert inspect(path) is None
    with pytest.raises(StoreError, match=r"cannot be created \(.*(name too long|Not a directory).*\)$"):
        SqliteStore(path)
    with pytest.raises(StoreError, match="cannot be created"):
        Memory(path, "hash:32")
    assert [child.name for child in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "darwin", reason="takes names in UTF-8 only")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"of another time \xff?#%41")
    Memory(path, "hash:32").close()
    assert inspect(path) is not None
    Memory(path).close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_entered(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(0o000)
    for call in (inspect, SqliteStore):
        with pytest.raises(StoreError, match="Permission denied"):
            call(tmp_path / "closed" / "store")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="this is a folder"):
        SqliteStore(tmp_path)


def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.write_bytes(b"just some text, long enough to be looked at as a header " * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a memspan store"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    with closing(raw(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreError, match="another program"):
        SqliteStore(path)
    with pytest.raises(StoreError, match="another program"):
        inspect(path)


def test_a_newer_schema_is_refused(path: Path) -> None:
    SqliteStore(path).close()
    with closing(raw(path)) as newer:
        newer.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match="upgrade memspan"):
        SqliteStore(path)
    with pytest.raises(StoreError, match="upgrade memspan"):
        inspect(path)


def test_a_schema_that_changes_under_an_open_store_stops_writes(path: Path, store: SqliteStore) -> None:
    with closing(raw(path)) as newer:
        newer.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match="upgrade memspan"), store.writing():
        pytest.fail("the block must not run")


def test_inspect_reads_and_never_writes(path: Path) -> None:
    assert inspect(path) is None
    path.touch()
    assert inspect(path) is None
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.set_meta("embedder", "x")
    store.close()
    before = path.read_bytes()
    found = inspect(path)
    assert found is not None
    assert (found.schema, found.pending, found.settings["embedder"]) == (tables.SCHEMA_VERSION, 0, "x")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("call", [inspect, SqliteStore])
def test_what_cannot_be_written_to_is_refused_before_files_of_its_permissions_lie_beside_it(
    path: Path, call: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    SqliteStore(path).close()
    path.chmod(0o400)
    if os.access(path, os.W_OK):  # root
        monkeypatch.setattr("memspan.store.sqlite.connection.os.access", lambda *args, **more: False)
    with pytest.raises(StoreError, match="cannot be opened for writing"):
        call(path)
    assert list(path.parent.iterdir()) == [path]
    monkeypatch.undo()
    path.chmod(0o600)
    SqliteStore(path).close()


def test_a_folder_that_cannot_be_written_to_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteStore(path).close()
    path.parent.chmod(0o500)
    if os.access(path.parent, os.W_OK):  # root

        def refuse(*arguments: object) -> None:
            raise sqlite3.OperationalError("attempt to write a readonly database")

        def access(asked: Path, *args: object, **more: object) -> bool:
            return asked != path.parent

        monkeypatch.setattr("memspan.store.sqlite.connection._enter_wal_mode", refuse)
        monkeypatch.setattr("memspan.store.sqlite.connection.os.access", access)
    with pytest.raises(StoreError, match=f"can be made in its folder, {re.escape(str(path.parent))},"):
        SqliteStore(path)
    path.parent.chmod(0o700)


def test_who_has_a_store_open_goes_on_reading_when_it_must_not_be_written_to(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.store.sqlite.connection.os.access", lambda *args, **more: False)
    with store.reading() as one, store.reading() as other, store.reading() as third:
        assert one.sequence() == other.sequence() == third.sequence()


def test_threads_that_open_together_migrate_once(path: Path) -> None:
    barrier = threading.Barrier(8)
    stores: list[SqliteStore] = []
    errors: list[BaseException] = []

    def open_one() -> None:
        barrier.wait()
        try:
            stores.append(SqliteStore(path))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = set()
    for store in stores:
        with store.reading() as reader:
            ids.add(reader.meta("store_id"))
        store.close()
    assert errors == []
    assert len(ids) == 1


def test_a_failing_migration_leaves_the_old_schema(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteStore(path).close()
    steps = (*tables.MIGRATIONS, ("CREATE TABLE extra (x)", "CREATE TABLE broken ("))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", len(steps))
    with pytest.raises(StoreError, match="refused"):
        SqliteStore(path)
    with closing(raw(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (tables.SCHEMA_VERSION,)
        assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").fetchone() == (
            0,
        )


def test_a_migration_is_applied_once_and_keeps_the_data(
    path: Path, monkeypatch: pytest.MonkeyPatch, make_record: Callable[..., Record]
) -> None:
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record("m1")])
    store.close()
    steps = (*tables.MIGRATIONS, ("CREATE TABLE extra (x)",))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", len(steps))
    for _ in range(2):
        store = SqliteStore(path)
        with store.reading() as reader:
            assert reader.ids("ana") == ["m1"]
            assert reader._one("SELECT count(*) FROM extra") == 0
        store.close()


def test_a_lock_that_is_held_too_long(path: Path) -> None:
    store = SqliteStore(path, busy_seconds=0.05)
    with closing(raw(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(StoreError, match="another process or handle held the database lock"),
            store.writing(),
        ):
            pytest.fail("the block must not run")
        with store.reading() as reader:
            assert reader.count() == 0
    store.close()


def test_a_damaged_database(path: Path, make_record: Callable[..., Record]) -> None:
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record(f"m{i}", text="x" * 500) for i in range(200)])
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        SqliteStore(path)


def test_a_backup_that_was_put_back_beside_the_log_of_another_state(
    store: SqliteStore, path: Path, make_record: Callable[..., Record]
) -> None:
    def write(count: int) -> None:
        with store.writing() as writer:
            first = writer.count()
            writer.put([make_record(f"m{first + n}", text="x" * 500) for n in range(count)])
        log.write_bytes(path.with_name(path.name + "-wal").read_bytes())
        store._checkpoints.wait()
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0

    log = path.with_name("log")
    write(200)
    backup = path.read_bytes()
    for count in (2000, 2000, 60):
        write(count)
    store.close()
    path.write_bytes(backup)
    log.rename(path.with_name(path.name + "-wal"))
    with (
        pytest.raises(StoreError, match=r"damaged .*restore it .* its log, .*agent\.memspan-wal, is away"),
        SqliteStore(path).writing() as writer,
    ):
        writer.put([make_record("new")])


def test_what_hinders_a_new_store_is_told(tmp_path: Path) -> None:
    """The error itself, and not that the transaction that it ended cannot be rolled back."""
    program = (
        "import resource, signal, sys\n"
        "from memspan.errors import StoreError\n"
        "from memspan.store import SqliteStore\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    SqliteStore(sys.argv[1])\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "new.memspan")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "disk I/O error" in said


def test_a_closed_store(store: SqliteStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"), store.reading():
        pytest.fail("the block must not run")
    with pytest.raises(StoreError, match="closed"):
        store.sequence()


def _move(path: Path) -> None:
    path.rename(path.with_name("elsewhere.memspan"))


def _replace(path: Path) -> None:
    backup = path.with_name("backup.memspan")
    SqliteStore(backup).close()
    backup.replace(path)


@pytest.mark.parametrize("change", [_move, _replace, Path.unlink])
def test_nothing_is_written_to_a_file_that_is_not_there_any_more(
    store: SqliteStore, path: Path, make_record: Callable[..., Record], change: Callable[[Path], object]
) -> None:
    """Its log keeps the old name, so that what is committed would be lost."""
    with store.writing() as writer:
        writer.put([make_record("m1")])
    change(path)
    with (
        pytest.raises(StoreError, match=r"agent\.memspan: the file was moved, deleted or replaced while"),
        store.writing(),
    ):
        pytest.fail("the block must not run")
    with pytest.raises(StoreError, match="moved, deleted or replaced"):
        store.erase()


@pytest.mark.parametrize("change", [_move, _replace, Path.unlink])
def test_a_new_reader_leaves_the_log_of_a_file_that_is_not_there_any_more(
    store: SqliteStore, path: Path, make_record: Callable[..., Record], change: Callable[[Path], object]
) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
    log = path.with_name("agent.memspan-wal")
    size = log.stat().st_size
    with store.reading() as reader:
        change(path)
        assert reader.ids("ana") == ["m1"]
        with (
            pytest.raises(StoreError, match="moved, deleted or replaced"),
            store.reading(),
            store.reading(),
        ):
            pytest.fail("the block must not run")
    assert log.stat().st_size == size > 0


def test_the_log_of_a_moved_file_is_not_emptied_by_a_new_one(
    store: SqliteStore, path: Path, make_record: Callable[..., Record]
) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
    _move(path)
    with pytest.raises(StoreError, match=r"no such file, but the log .*agent\.memspan-wal"):
        SqliteStore(path)
    assert not path.exists()
    store.close()
    path.with_name("agent.memspan-wal").rename(path.with_name("elsewhere.memspan-wal"))
    moved = SqliteStore(path.with_name("elsewhere.memspan"))
    with moved.reading() as reader:
        assert reader.ids("ana") == ["m1"]
    moved.close()
    SqliteStore(path).close()


def test_a_moved_file_is_whole_with_its_log(
    store: SqliteStore, path: Path, make_record: Callable[..., Record]
) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
    _move(path)
    with pytest.raises(StoreError, match=r"agent\.memspan-wal, follow the file"), store.writing():
        pytest.fail("the block must not run")
    store.close()
    path.with_name("agent.memspan-wal").rename(path.with_name("elsewhere.memspan-wal"))
    moved = SqliteStore(path.with_name("elsewhere.memspan"))
    with moved.reading() as reader:
        assert reader.ids("ana") == ["m1"]
    moved.close()


def test_check_names_what_is_wrong(path: Path, make_record: Callable[..., Record]) -> None:
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record("m1")])
    assert store.check() == []
    with closing(raw(path)) as other:
        other.execute("PRAGMA foreign_keys = OFF")
        other.execute("DELETE FROM users")
    assert store.check() == ["database: row 1 of records points at a row of users that does not exist"]
    store.close()


def test_that_too_many_files_are_open_is_told(path: Path, store: SqliteStore) -> None:
    """Not that its permissions were to be looked at."""
    with store.writing() as writer:
        writer.set_meta("name", "value")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = [os.open(os.devnull, os.O_RDONLY)]
    # Earlier tests may have left files open above the first number that is free.
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(highest, opened[0]) + 20, limit[1]))
    try:
        said = set()
        for free in range(12):
            # Each time anew: what the collector closes meanwhile leaves places, too.
            with suppress(OSError):
                while True:
                    opened.append(os.open(os.devnull, os.O_RDONLY))
            for _ in range(free):
                os.close(opened.pop())
            try:
                SqliteStore(path).close()
            except StoreError as error:
                said.add(str(error).partition(": ")[2].partition(",")[0])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        for descriptor in opened:
            os.close(descriptor)
    assert said == {"too many files are open in this process"}
    SqliteStore(path).close()
