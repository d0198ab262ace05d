"""Snapshots: what is saved comes back, and a damaged file is never believed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_helpers import DIM, observe, vector

import memspan


@pytest.fixture
def snapshot(tmp_path: Path, index: memspan.Index) -> Path:
    path = tmp_path / "index.snapshot"
    index.save(path, stamp="change 17")
    return path


def test_round_trip(snapshot: Path, index: memspan.Index) -> None:
    loaded = memspan.Index.load(snapshot)
    assert (loaded.dim, loaded.analyzer, loaded.stamp) == (DIM, "simple", "change 17")
    assert observe(loaded) == observe(index)
    assert loaded.search(user="ana", where={"price": 10}).ids == ["camp"]
    assert loaded.search(user="ana", text="camping", neighbors=1).ids == ["camp", "tent"]
    assert "job" not in loaded.search(user="ana", as_of="2023-06-01").ids
    assert "job" not in loaded.search(user="ana", valid_at="2024-01-01").ids
    assert loaded.expand(user="ana", tags=["outdoors"], depth=2) == ["outdoors", "camping", "lake", "tents"]
    assert loaded.search(user="ana", kinds=["vault"]).ids == ["pin"]


def test_a_loaded_index_is_written_to_like_any_other(snapshot: Path, index: memspan.Index) -> None:
    loaded = memspan.Index.load(snapshot)
    for each in (index, loaded):
        each.add(user="ana", id="camp", at=1, text="a new text", embedding=vector(0, 0, 1))
        each.remove(user="ana", ids=["tent"])
        each.add(user="cleo", id="m", at=2, tags=["camping"])
        each.relate(user="ana", parent="work", child="outdoors")
        with pytest.raises(memspan.TagCycleError):
            each.relate(user="ana", parent="tents", child="work")
    assert observe(loaded) == observe(index)


def test_saving_twice_gives_the_same_bytes(snapshot: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.snapshot"
    memspan.Index.load(snapshot).save(again, stamp="change 17")
    assert again.read_bytes() == snapshot.read_bytes()


def test_learned_answers_are_the_same_after_many_removals(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    count, kept = 1200, 60
    rows = random.standard_normal((count, 32)).astype(np.float32)
    words = [" ".join(f"w{n}" for n in random.integers(0, 200, 8)) for _ in range(count)]
    index = memspan.Index(32, auto_consolidate=False)
    ids = [f"m{n}" for n in range(count)]
    index.add_many(user="ana", ids=ids, ats=list(range(count)), texts=words, embeddings=rows)
    stays = sorted(random.choice(count, kept, replace=False).tolist())
    index.remove(user="ana", ids=[f"m{n}" for n in set(range(count)) - set(stays)])
    index.save(tmp_path / "s")
    loaded = memspan.Index.load(tmp_path / "s", auto_consolidate=False)
    for n in stays[:20]:
        query = rows[n] + 1.6 * random.standard_normal(32).astype(np.float32)
        asked: dict[str, Any] = {"user": "ana", "embedding": query, "text": words[n][:5], "fusion": "learned"}
        before, after = index.search(**asked), loaded.search(**asked)
        assert before.ids == after.ids
        np.testing.assert_allclose(before.scores, after.scores, atol=1e-5)


def test_tags_of_the_same_weights_tie_before_and_after(tmp_path: Path) -> None:
    """The sum of three weights depends on their order in its last bit."""
    random = np.random.default_rng(1)
    tied = 0
    for attempt in range(60):
        index = memspan.Index(4, auto_consolidate=False)
        cosines = random.uniform(0.1, 0.99, 3)
        for id_, at, names in (("old", 1, ["a0", "a1", "a2"]), ("new", 2, ["b2", "b1", "b0"])):
            index.add(user="ana", id=id_, at=at, tags=names)
            for name in names:
                c = cosines[int(name[1])]
                row = np.array([c, np.sqrt(1 - c * c), 0, 0], np.float32)
                index.set_tag_embedding(user="ana", tag=name, embedding=row)
        path = tmp_path / f"s{attempt}"
        index.save(path)
        for each in (index, memspan.Index.load(path, auto_consolidate=False)):
            found = each.search(user="ana", embedding=vector(1), route=6, views=["symbolic"], tag_depth=0)
            assert found.ids == ["new", "old"]
            tied += found.scores[0] == found.scores[1]
    assert tied == 120


def test_an_empty_index_round_trips(tmp_path: Path) -> None:
    memspan.Index(7, analyzer="english", k1=2.0, b=0.5).save(str(tmp_path / "empty"))
    loaded = memspan.Index.load(str(tmp_path / "empty"))
    assert (loaded.dim, loaded.analyzer, loaded.stamp, len(loaded)) == (7, "english", "", 0)


def test_bm25_parameters_are_kept(tmp_path: Path) -> None:
    index = memspan.Index(DIM, k1=2.0, b=0.1)
    for number in range(3):
        index.add(user="ana", id=f"m{number}", at=number, text="kite " * (number + 1) + "river")
    index.save(tmp_path / "s")
    loaded = memspan.Index.load(tmp_path / "s").search(user="ana", text="kite")
    expected = index.search(user="ana", text="kite")
    assert [hit.views for hit in loaded] == [hit.views for hit in expected]


def test_another_process_gives_the_same_answers(snapshot: Path, index: memspan.Index) -> None:
    code = (
        "import sys, memspan; hits = memspan.Index.load(sys.argv[1])"
        ".search(user='ana', text='the camping tent', embedding=[1, 2, 3, 4], tags=['outdoors']);"
        "print(hits.ids, hits.scores.tobytes().hex())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(snapshot)], capture_output=True, text=True, check=True
    )
    hits = index.search(user="ana", text="the camping tent", embedding=vector(1, 2, 3, 4), tags=["outdoors"])
    assert told.stdout.strip() == f"{hits.ids} {hits.scores.tobytes().hex()}"


def test_every_truncation_is_refused(snapshot: Path) -> None:
    whole = snapshot.read_bytes()
    for length in range(len(whole)):
        snapshot.write_bytes(whole[:length])
        with pytest.raises(memspan.CorruptSnapshotError, match=r"index\.snapshot"):
            memspan.Index.load(snapshot)


def test_trailing_bytes_are_refused(snapshot: Path) -> None:
    snapshot.write_bytes(snapshot.read_bytes() + b"\0")
    with pytest.raises(memspan.CorruptSnapshotError):
        memspan.Index.load(snapshot)


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_every_flipped_byte_is_noticed_or_harmless(snapshot: Path, mask: int) -> None:
    whole = snapshot.read_bytes()
    expected = observe(memspan.Index.load(snapshot))
    for place in range(len(whole)):
        snapshot.write_bytes(whole[:place] + bytes([whole[place] ^ mask]) + whole[place + 1 :])
        try:
            assert observe(memspan.Index.load(snapshot)) == expected, f"byte {place} was changed and believed"
        except memspan.CorruptSnapshotError:
            with pytest.raises(memspan.CorruptSnapshotError):
                memspan.Index.load(snapshot, verify=True)


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\0" * 4096, b"PK\x03\x04 something else", b"\xff" * 4096, b"SQLite format 3\0"]
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(memspan.CorruptSnapshotError, match="other"):
        memspan.Index.load(path)
    assert path.read_bytes() == content


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        memspan.Index.load(tmp_path / "nothing")


def test_a_directory_is_not_a_snapshot(tmp_path: Path, index: memspan.Index) -> None:
    with pytest.raises((OSError, memspan.CorruptSnapshotError), match=tmp_path.name):
        memspan.Index.load(tmp_path)
    with pytest.raises(OSError, match=tmp_path.name):
        index.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_saving_where_nothing_can_be_written(tmp_path: Path, index: memspan.Index) -> None:
    path = tmp_path / "missing" / "index.snapshot"
    with pytest.raises(FileNotFoundError) as caught:
        index.save(path)
    assert caught.value.filename == str(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission(snapshot: Path, index: memspan.Index) -> None:
    snapshot.chmod(0)
    with pytest.raises(PermissionError):
        memspan.Index.load(snapshot)
    snapshot.parent.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            index.save(snapshot.parent / "new.snapshot")
    finally:
        snapshot.parent.chmod(0o700)


def test_symbolic_links_are_not_followed(snapshot: Path, tmp_path: Path) -> None:
    """Another user of a shared directory could point a link at any file."""
    link = tmp_path / "link"
    link.symlink_to(snapshot)
    with pytest.raises(OSError, match="link"):
        memspan.Index.load(link)
    before = snapshot.read_bytes()
    memspan.Index(DIM).save(link)
    assert snapshot.read_bytes() == before
    assert not link.is_symlink()
    assert len(memspan.Index.load(link)) == 0


def test_pipes_and_devices_are_not_replaced(tmp_path: Path, index: memspan.Index) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(memspan.InvalidArgumentError, match=r"^path: got .*accepted: .* regular file"):
            index.save(path)
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


def test_saving_replaces_the_file_at_once_and_leaves_nothing_else(
    snapshot: Path, index: memspan.Index
) -> None:
    with snapshot.open("rb") as old:
        index.remove(user="ana", ids=["camp"])
        index.save(snapshot)
        assert len(old.read()) > 0
    assert len(memspan.Index.load(snapshot)) == 4
    assert [path.name for path in snapshot.parent.iterdir()] == ["index.snapshot"]


@pytest.mark.parametrize("path", [None, 5, b"bytes", ["list"], "nul\0byte", "\ud800"])
def test_bad_paths(index: memspan.Index, path: object) -> None:
    before = observe(index)
    for call in (lambda: index.save(path), lambda: memspan.Index.load(path)):
        with pytest.raises(memspan.InvalidArgumentError, match="path"):
            call()
    assert observe(index) == before


def test_a_path_that_is_not_utf8(index: memspan.Index, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.snapshot")
    index.save(path)
    assert len(memspan.Index.load(path)) == 5


@pytest.mark.parametrize("stamp", [None, 5, b"bytes", "\ud800"])
def test_bad_stamps(index: memspan.Index, tmp_path: Path, stamp: object) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="stamp"):
        index.save(tmp_path / "s", stamp=stamp)
    assert list(tmp_path.iterdir()) == []


def test_a_stamp_of_any_text(index: memspan.Index, tmp_path: Path) -> None:
    for stamp in ("", "日本\n", "x" * 10_000):
        index.save(tmp_path / "s", stamp=stamp)
        assert memspan.Index.load(tmp_path / "s").stamp == stamp


def test_the_error_of_a_file_that_is_not_there_says_so_once(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"^\[Errno 2\] cannot open: No such file or directory: '[^:]*nofile'$"
    ):
        memspan.Index.load(tmp_path / "nofile")
