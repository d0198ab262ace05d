"""Where an export may go: never into the store, nor in place of what is no file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memspan.errors import InvalidArgumentError
from memspan.memory import Memory

Open = Callable[..., Memory]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add([{"id": "a", "text": "the ferry is late"}], user="ana")
    memory.add([{"id": "b", "text": "the bus is early"}], user="ben")
    return memory


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal", ".index"])
def test_no_file_of_the_store_is_replaced(filled: Memory, path: Path, ending: str) -> None:
    own = path.with_name(path.name + ending)
    before = own.read_bytes() if own.exists() else None
    with pytest.raises(InvalidArgumentError, match=r"^file: got '.*accepted: a file that does not belong"):
        filled.export("ana", own)
    assert (own.read_bytes() if own.exists() else None) == before
    assert filled.users() == ["ana", "ben"]
    assert filled.verify() == []


def test_nor_under_another_name(filled: Memory, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = path.parent / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(path)
    (folder / "chain").symlink_to("link")
    os.link(path, folder / "hard")
    (path.parent / "also").symlink_to(path.parent)
    monkeypatch.chdir(folder)
    names = ("link", "chain", "hard", f"../{path.name}", path.parent / "also" / path.name)
    for name in names:
        with pytest.raises(InvalidArgumentError, match="^file"):
            filled.export("ana", name)
    assert (folder / "link").is_symlink()
    assert filled.verify() == []


def test_nor_where_the_store_is_opened_by_a_link(filled: Memory, open_memory: Open, path: Path) -> None:
    link = path.parent / "folder" / "other.memspan"
    link.parent.mkdir()
    link.symlink_to(path)
    linked = open_memory(link)
    names = (path, link, path.with_name(path.name + "-wal"), path.with_name(path.name + ".index"))
    for name in names:
        with pytest.raises(InvalidArgumentError, match="^file"):
            linked.export("ana", name)
    assert linked.users() == ["ana", "ben"]


def test_what_a_link_leads_to_is_written(filled: Memory, tmp_path: Path) -> None:
    target = tmp_path / "folder" / "target.jsonl"
    target.parent.mkdir()
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    for _ in range(2):  # when the file is not there yet, and when it is
        assert filled.export("ana", link) == 1
        assert link.is_symlink()
        assert "the ferry is late" in target.read_text(encoding="utf-8")
        assert [child.name for child in target.parent.iterdir()] == ["target.jsonl"]


def test_a_pipe_is_written_and_stays(filled: Memory, tmp_path: Path) -> None:
    pipe, whole = tmp_path / "pipe", tmp_path / "whole.jsonl"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    assert filled.export("ana", pipe) == 1
    reader.join(timeout=30)
    assert pipe.is_fifo()
    filled.export("ana", whole)
    assert read == [whole.read_text(encoding="utf-8")]


def test_an_open_pipe_by_its_name(filled: Memory) -> None:
    """As `/dev/stdout` names one."""
    source, sink = os.pipe()
    try:
        filled.export("ana", f"/proc/self/fd/{sink}")
    finally:
        os.close(sink)
    with open(source, encoding="utf-8") as lines:
        assert "the ferry is late" in lines.read()


def test_a_folder_and_a_loop_of_links_are_no_targets(filled: Memory, tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        filled.export("ana", tmp_path)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="loop"):
        filled.export("ana", loop)
    assert loop.is_symlink()


@pytest.mark.parametrize("bad", ["", "nul\0byte", "\ud800"])
def test_paths_that_no_file_has(filled: Memory, bad: str) -> None:
    with pytest.raises(InvalidArgumentError, match="^file"):
        filled.export("ana", bad)
    with pytest.raises(InvalidArgumentError, match="^file"):
        filled.load(bad)


_EXPORTING = """
import sys, time
from memspan.memory import Memory
from memspan.remember.transfer import export

def write(lines, value):
    print(value, file=lines, flush=True)
    print("writing", flush=True)
    time.sleep(600)

export._write = write
Memory(sys.argv[1]).export("ana", sys.argv[2])
"""


def test_nothing_stays_of_an_export_that_is_killed(filled: Memory, path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system has no files without a name")
    target = folder / "ana.jsonl"
    target.write_text("older")
    command = [sys.executable, "-c", _EXPORTING, str(path), str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as exporting:
        assert exporting.stdout is not None
        assert exporting.stdout.readline() == "writing\n"
        exporting.kill()
    assert [file.name for file in folder.iterdir()] == ["ana.jsonl"]
    assert target.read_text() == "older"


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_an_export_that_fails_at_its_end_names_its_target(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    def full(file: object, *other: object) -> None:
        if other:
            raise OSError(errno.ENOSPC, "No space left on device", str(file), None, str(other[0]))
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = tmp_path / "folder"
    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, fails, full)
        with pytest.raises(OSError, match=r"No space left on device: '[^']*folder/ana.jsonl'$") as caught:
            filled.export("ana", folder / "ana.jsonl")
    assert caught.value.errno == errno.ENOSPC
    assert list(folder.iterdir()) == []
