"""Export and load: everything comes back, and broken files are named by line."""

from __future__ import annotations

import io
import json
import os
import stat
import tracemalloc
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.embed.hashing import HashEmbedder
from memspan.memory import Memory
from memspan.records import Record
from memspan.store import SqliteStore
from memspan.times import MAX_MICROS, MIN_MICROS, from_micros

Open = Callable[..., Memory]


def contents(memory: Memory) -> dict[str, Any]:
    """All fields of all records, and all relations."""
    with memory._engine.store.reading() as reader:
        records = {
            (record.user, record.id): {
                field.name: None if field.name == "embedding" else getattr(record, field.name)
                for field in fields(Record)
            }
            for page in reader.scan(None, 100)
            for record in page
        }
        return {"records": records, "relations": sorted(reader.relations())}


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add_records(
        [
            Record(id="plain", user="ana", text="plain text", at=from_micros(0)),
            Record(
                id="full",
                user="ana",
                text='line\nbreak \u2028 "quotes" 日本語 \U0001f600 \0',
                at=from_micros(MAX_MICROS - 5),
                kind="vault",
                until=from_micros(MAX_MICROS),
                recorded_at=from_micros(1_234_567_890_123_456),
                session="s",
                speaker="Ana",
                tags=("a_b", "c"),
                entities=("Oslo",),
                importance=0.0,
                provenance="file.txt",
                fidelity=0.1 + 0.2,
                sources=("plain", "gone"),
                metadata={"deep": [{"x": None}, 2**62, 1e-300, "é"], "images": ["a cat"]},
            ),
            Record(id="old", user="ben", text="of ben", at=from_micros(MIN_MICROS)),
        ]
    )
    memory.relate(user="ana", parent="top", child="a_b")
    memory.relate(user="ana", parent="a_b", child="below")
    return memory


@pytest.mark.parametrize("embeddings", [False, True])
def test_round_trip(filled: Memory, open_memory: Open, tmp_path: Path, embeddings: bool) -> None:
    file = tmp_path / "export.jsonl"
    assert filled.export(None, file, embeddings=embeddings) == 3
    other = open_memory(tmp_path / "other" / "agent.memspan")
    assert other.load(file) == 3
    assert contents(other) == contents(filled)
    for user, id_ in contents(filled)["records"]:
        one, two = filled.get(user=user, id=id_), other.get(user=user, id=id_)
        np.testing.assert_array_equal(one.embedding, two.embedding)  # type: ignore[union-attr, arg-type]
    assert other.verify() == []
    again = io.StringIO()
    other.export(None, again, embeddings=embeddings)
    assert again.getvalue() == file.read_text(encoding="utf-8")
    sequence = other.stats()["sequence"]
    assert other.load(file) == 3
    assert other.stats()["sequence"] == sequence, "loading the same again changes nothing"


def test_one_user(filled: Memory) -> None:
    file = io.StringIO()
    assert filled.export("ben", file) == 1
    header, record, end = [json.loads(line) for line in file.getvalue().splitlines()]
    assert header == {
        "type": "header",
        "format": "memspan-export",
        "version": 1,
        "embedder": {"name": "hash", "dim": 32, "checksum": HashEmbedder.checksum},
        "ends": True,
    }
    assert end == {"type": "end"}
    assert record["user"] == "ben"
    assert record["at"] == "0001-01-01T00:00:00+00:00"
    assert filled.export("nobody", io.StringIO()) == 0


def test_vectors_of_another_embedder_are_made_anew(filled: Memory, open_memory: Open, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    filled.export("ana", file, embeddings=True)
    other = open_memory(tmp_path / "other.memspan", "hash:16")
    assert other.load(file) == 2
    assert other.get(user="ana", id="plain").embedding.shape == (16,)  # type: ignore[union-attr]
    assert other.verify() == []


def test_the_file_names_the_embedder_of_its_vectors(
    filled: Memory, open_memory: Open, tmp_path: Path
) -> None:
    """Not that of a handle which does not know yet that the store was converted."""
    open_memory().reembed("hash:16")
    file = io.StringIO()
    filled.export("ana", file, embeddings=True)
    assert json.loads(file.getvalue().splitlines()[0])["embedder"]["dim"] == 16
    other = open_memory(tmp_path / "other", "hash:16")
    assert other.load(io.StringIO(file.getvalue())) > 0
    assert other.verify() == []


def test_vectors_in_the_file_save_the_embedder_the_work(
    filled: Memory, open_memory: Open, tmp_path: Path
) -> None:
    class Refusing(HashEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            raise errors.EmbedderError("not needed")

    file = tmp_path / "export.jsonl"
    filled.export("ana", file, embeddings=True)
    other = open_memory(tmp_path / "other.memspan", Refusing(32))
    assert other.load(file) == 2


def test_a_file_is_private_and_replaced_only_when_complete(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "folder" / "export.jsonl"
    file.parent.mkdir()
    file.write_text("older")
    from memspan.remember.transfer import export

    def fail(*arguments: object, **options: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(export, "encode_record_line", fail)
    with pytest.raises(OSError, match="no space left"):
        filled.export("ana", file)
    assert [(child.name, child.read_text()) for child in file.parent.iterdir()] == [("export.jsonl", "older")]
    monkeypatch.undo()
    filled.export("ana", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


HEADER = json.dumps(
    {
        "type": "header",
        "format": "memspan-export",
        "version": 1,
        "embedder": {"name": "hash", "dim": 32, "checksum": "x"},
    }
)
GOOD = '{"type": "record", "user": "ana", "id": "m1", "at": "2023-05-08", "text": "fine"}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "got list"),
        ("{}", "type: got None"),
        ('{"type": "odd"}', "type: got 'odd'"),
        ('{"type": "record", "user": "ana", "id": "m2", "at": "2023-05-08"}', "the field 'text' is missing"),
        ('{"type": "record", "user": "ana", "id": "m2", "at": "soon", "text": "x"}', "at: got 'soon'"),
        ('{"type": "record", "user": "ana", "id": "m2", "at": "2023", "text": "x", "odd": 1}', "odd: got 1"),
        ('{"type": "record", "user": 7, "id": "m2", "at": "2023", "text": "x"}', "user: got 7"),
        ('{"type": "record", "user": "ana", "id": "m1", "at": "2023", "text": "x"}', "already in line 2"),
        (
            '{"type": "record", "user": "ana", "id": "m2", "at": "2023", "text": "x", "tags": 1}',
            "tags: got 1",
        ),
        (
            '{"type": "record", "user": "ana", "id": "m2", "at": "2023", "text": "x", "metadata": {"a": NaN}}',
            "finite",
        ),
        ('{"type": "relation", "user": "ana", "parent": "a"}', "child: got None"),
        ('{"type": "relation", "user": "ana", "parent": "a", "child": "a"}', "a"),
    ],
)
def test_a_broken_line_keeps_what_came_before(memory: Memory, tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text("\n".join([HEADER, GOOD, line, GOOD.replace("m1", "m3")]))
    with pytest.raises(errors.FormatError) as caught:
        memory.load(file)
    assert str(caught.value).startswith(f"{file}:3")
    assert reason in str(caught.value)
    assert memory.get(user="ana", id="m1") is not None
    assert memory.verify() == []


def test_a_broken_vector_is_named(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    header = HEADER.replace('"x"', json.dumps(HashEmbedder.checksum))
    for vector in ('"AAAA"', '"!"', "7", '"' + "A" * 172 + '"'):
        file.write_text("\n".join([header, GOOD[:-1] + f', "embedding": {vector}}}']))
        with pytest.raises(errors.FormatError, match=r"broken\.jsonl:2: embedding: got"):
            memory.load(file)
    assert memory.users() == []


def test_a_conversation_that_is_loaded_names_what_reads_it(memory: Memory) -> None:
    with pytest.raises(
        errors.FormatError, match="^<stream>:1: got .*; conversations are read by `memspan ingest`$"
    ):
        memory.load(io.StringIO('{"user": "ana", "text": "I like tea."}\n'))


@pytest.mark.parametrize(
    "text", ["", "\n", "{}", GOOD, HEADER.replace('"version": 1', '"version": 2'), "not json", "\udcff"]
)
def test_files_that_are_no_export(memory: Memory, tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.jsonl"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(errors.FormatError, match=r"other\.jsonl:1"):
        memory.load(file)
    assert memory.users() == []


def test_an_export_holds_the_tags_of_a_page(memory: Memory) -> None:
    def peak(numbers: range) -> int:
        records = [
            Record(
                id=f"m{n}",
                user=f"user {n % 3}",
                text=f"text {n}",
                at=from_micros(n),
                tags=("given", f"made-{n}"),
            )
            for n in numbers
        ]
        memory.add_records(records)
        with memory._engine.store.writing() as writer:
            for record in records:
                writer.set_made_tags(record.user, {record.id: [f"made-{record.id[1:]}"]})
        tracemalloc.start()
        try:
            with open(os.devnull, "w", encoding="utf-8") as file:
                assert memory.export(None, file) == numbers.stop
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    file = io.StringIO()
    peak(range(9))
    memory.export("user 1", file)
    assert [json.loads(line)["tags"] for line in file.getvalue().splitlines()[1:-1]] == [["given"]] * 3
    few = peak(range(9, 1_500))
    assert peak(range(1_500, 8_000)) < few + 300_000


def test_relations_are_loaded_in_few_transactions(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits: list[None] = []
    commit = SqliteStore._commit

    def counted(self: SqliteStore, *arguments: Any, **options: Any) -> None:
        commits.append(None)
        commit(self, *arguments, **options)

    def loaded(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        edges = [
            {"type": "relation", "user": "ana", "parent": "a", "child": f"b{count}-{n}"} for n in range(count)
        ]
        edges[count // 2] = {"type": "relation", "user": "ana", "parent": "a", "child": "A "}
        path.write_text("\n".join([HEADER, *map(json.dumps, edges)]), encoding="utf-8")
        commits.clear()
        with pytest.raises(errors.FormatError, match=f":{count // 2 + 2}: "):
            memory.load(path)
        return len(commits)

    monkeypatch.setattr(SqliteStore, "_commit", counted)
    few = loaded(2)
    assert loaded(500) == few
    with memory._engine.store.reading() as reader:
        assert len(reader.relations("ana")) == 1 + 499
    assert memory.verify() == []


def test_a_relation_that_closes_a_cycle_is_named_by_line(memory: Memory) -> None:
    memory.relate(user="ana", parent="a", child="b")
    lines = [HEADER, GOOD, '{"type": "relation", "user": "ana", "parent": "b", "child": "a"}']
    with pytest.raises(errors.FormatError, match="^<stream>:3: "):
        memory.load(io.StringIO("\n".join(lines)))
    assert memory.get(user="ana", id="m1") is not None


def test_files_of_bytes_are_refused_by_name(memory: Memory, tmp_path: Path) -> None:
    memory.add("Où est le chat ?", user="ana")
    memory.export("ana", tmp_path / "file")
    with (
        open(tmp_path / "file", "rb") as lines,
        pytest.raises(errors.InvalidArgumentError, match="^file: .*text, not bytes$"),
    ):
        memory.load(lines)  # type: ignore[arg-type]
    written = io.BytesIO()
    with pytest.raises(errors.InvalidArgumentError, match="^file: .*text, not bytes$"):
        memory.export("ana", written)  # type: ignore[arg-type]
    assert written.getvalue() == b""


def test_what_is_neither_true_nor_false_is_refused(memory: Memory, path: Path) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^embeddings: got 'no'"):
        memory.export("ana", io.StringIO(), embeddings="no")  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="^reembed: got 'no'"):
        Memory(path, "hash:16", reembed="no")  # type: ignore[arg-type]
    assert memory.stats()["embedder"]["dim"] == 32


def test_bad_files(memory: Memory, tmp_path: Path) -> None:
    for bad in (None, 7, b"bytes"):
        with pytest.raises(errors.InvalidArgumentError, match="^file"):
            memory.load(bad)  # type: ignore[arg-type]
        with pytest.raises(errors.InvalidArgumentError, match="^file"):
            memory.export("ana", bad)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        memory.load(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        memory.export("ana", tmp_path / "missing" / "file")
