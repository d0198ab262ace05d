"""`memspan stats`, `verify`, `export`, `load` and `forget`."""

from __future__ import annotations

import json

import pytest

from memspan.errors import StoreError
from memspan.remember.writing.adding import add_checked


def test_stats_counts(run, run_json, filled):
    document = run_json("stats", "--store", filled)
    assert document["users"] == ["demo"]
    assert document["stats"]["records"] == 169
    output = run("stats", "--store", filled).stdout
    assert "169" in output
    assert "users: demo" in output
    size = document["stats"]["bytes"]["database"]
    assert size > 1000
    assert f" {size:,}\n" in output


def test_stats_of_one_user_name_nobody_else(run, run_json, filled, write_lines):
    run(
        "ingest",
        write_lines({"user": "ana", "id": "a", "text": "tea", "at": "2024-01-01"}),
        "--store",
        filled,
    )
    document = run_json("stats", "--store", filled, "--user", "ana")
    assert document["users"] is None
    assert "demo" not in json.dumps(document["stats"])
    assert "demo" not in run("stats", "--store", filled, "--user", "ana").stdout


def test_verify_of_a_sound_store(run, run_json, filled):
    assert run_json("verify", "--store", filled) == {"store": str(filled), "ok": True, "problems": []}
    assert run("verify", "--store", filled).stderr == "no problems\n"


def test_an_empty_file_is_no_store(run, tmp_path):
    path = tmp_path / "empty.memspan"
    path.touch()
    assert "no store at" in run("verify", "--store", path, code=2).stderr
    assert path.read_bytes() == b""


def test_a_file_that_is_no_store(run, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("this is no database, just a few words that somebody wrote\n" * 100)
    before = path.read_bytes()
    for command in ("verify", "stats"):
        result = run(command, "--store", path, code=1)
        assert result.stderr.startswith("Error: ")
        assert len(result.stderr.splitlines()) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("embeddings", [False, True])
def test_export_and_load_round_trip(run, run_json, filled, tmp_path, embeddings):
    flags = ["--embeddings"] if embeddings else []
    report = run_json("export", "demo.jsonl", "--store", filled, "--user", "demo", *flags)
    assert report == {"store": str(filled), "user": "demo", "records": 169, "file": "demo.jsonl"}
    copy = tmp_path / "copy.memspan"
    assert run_json("load", "demo.jsonl", "--store", copy)["records"] == 169
    for question in ("emergency vet", "Which books did the group read?"):
        answers = [
            run_json("search", question, "--store", store, "--user", "demo", "--json")
            for store in (filled, copy)
        ]
        assert answers[0]["hits"] == answers[1]["hits"]
    again = run("export", "-", "--store", copy, "--user", "demo", *flags).stdout
    assert again == (tmp_path / "demo.jsonl").read_text(encoding="utf-8")


def test_pipe_from_export_to_load(run, run_json, filled, tmp_path):
    exported = run("export", "-", "--store", filled, "--user", "demo")
    assert "169 records" in exported.stderr
    copy = tmp_path / "copy.memspan"
    assert run_json("load", "-", "--store", copy, stdin=exported.stdout)["records"] == 169


def test_export_to_stdout_has_no_room_for_a_report(run, filled):
    assert "--json" in run("export", "-", "--store", filled, "--user", "demo", "--json", code=2).stderr


def test_export_of_nobody_leaves_the_file_alone(run, filled, tmp_path):
    file = tmp_path / "backup.jsonl"
    file.write_text("older")
    for target in (file, "-"):
        result = run("export", target, "--store", filled, "--user", "nobody", code=1)
        assert "the store knows no user 'nobody'" in result.stderr
        assert result.stdout == ""
    assert file.read_text() == "older"


def test_export_does_not_replace_the_store(run, run_json, filled):
    for name in (filled, filled.with_name(filled.name + "-wal")):
        result = run("export", name, "--store", filled, "--user", "demo", code=2)
        assert "Invalid value for 'FILE': got " in result.stderr
        assert "does not belong to the store" in result.stderr
    assert run_json("stats", "--store", filled)["stats"]["records"] == 169


def test_loading_a_broken_file_names_the_line(run, filled, tmp_path, store):
    run("export", "demo.jsonl", "--store", filled, "--user", "demo")
    path = tmp_path / "demo.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5][:40]
    path.write_text("\n".join(lines), encoding="utf-8")
    stderr = run("load", path, "--store", tmp_path / "copy.memspan", code=3).stderr
    assert stderr.startswith("Error: ")
    assert "6" in stderr
    assert stderr.rstrip().endswith("(kept: 4 records before it)")
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StoreError("the disk is full"), 1, "the disk is full (kept: 40 records before it)"),
        (KeyboardInterrupt(), 130, "interrupted (kept: 40 records before it)"),
    ],
)
def test_loading_that_is_ended_says_what_is_kept(run, filled, tmp_path, monkeypatch, error, code, said):
    run("export", "demo.jsonl", "--store", filled, "--user", "demo")
    monkeypatch.setattr("memspan.remember.transfer.loading._BATCH", 20)
    batches = iter([None, None, error])

    def add(*arguments, **options):
        if (ended := next(batches, None)) is not None:
            raise ended
        return add_checked(*arguments, **options)

    monkeypatch.setattr("memspan.remember.transfer.loading.add_checked", add)
    assert run("load", "demo.jsonl", "--store", "copy.memspan", code=code).stderr == f"Error: {said}\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe{}", "not UTF-8: invalid start byte (byte 0xff)"),
        (b"\x1f\x8b\x08\x00\x00", "not UTF-8: invalid start byte (byte 0x8b)"),
        (b"", "empty"),
        (b"{", "not JSON"),
        (b'{"text": "hi"}\n', "export"),
    ],
)
def test_loading_what_is_no_export_makes_no_store(run, store, tmp_path, content, said):
    path = tmp_path / "broken.jsonl"
    path.write_bytes(content)
    assert said in run("load", path, "--store", store, code=3).stderr
    assert not store.exists()


def test_a_mark_before_the_first_line_is_no_matter(run, run_json, filled, tmp_path):
    path = tmp_path / "demo.jsonl"
    run("export", path, "--store", filled, "--user", "demo")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert run_json("load", path, "--store", tmp_path / "copy.memspan")["records"] == 169


def test_a_pipe_is_loaded_whole(run, run_json, filled, tmp_path):
    run("export", "demo.jsonl", "--store", filled, "--user", "demo")
    text = (tmp_path / "demo.jsonl").read_text(encoding="utf-8")
    records = run_json("load", "demo.jsonl", "--store", tmp_path / "a.memspan")["records"]
    piped = run_json("load", "-", "--store", tmp_path / "b.memspan", stdin=text)["records"]
    assert records == piped == 169


def test_forget_one_record(run_json, filled):
    report = run_json("forget", "--store", filled, "--user", "demo", "--id", "s07-05", "--yes")
    none = dict.fromkeys(("source", "session", "between", "kinds"))
    assert report == {"store": str(filled), "user": "demo", "id": ["s07-05"], **none, "records": 1}
    hits = run_json("search", "emergency vet bill sock", "--store", filled, "--user", "demo", "-k", 200)[
        "hits"
    ]
    assert len(hits) == 168
    assert "s07-05" not in {hit["id"] for hit in hits}
    assert run_json("verify", "--store", filled)["ok"]


def test_forget_a_user_erases_the_bytes(run, run_json, filled):
    assert run_json("forget", "--store", filled, "--user", "demo", "--yes")["records"] == 169
    assert run_json("stats", "--store", filled)["users"] == []
    for path in filled.parent.rglob("*"):
        if path.is_file():
            assert b"endoscope" not in path.read_bytes(), path


def test_forget_asks_only_where_somebody_can_answer(run, run_json, filled):
    assert "--yes" in run("forget", "--store", filled, "--user", "demo", code=2).stderr
    assert run_json("stats", "--store", filled)["users"] == ["demo"]


def test_forget_of_nobody_erases_nothing(run_json, filled):
    assert run_json("forget", "--store", filled, "--user", "nobody", "--yes", code=1)["records"] == 0


def test_forget_takes_one_selection(run, filled):
    arguments = ("--store", filled, "--user", "demo", "--yes", "--id", "a", "--source", "b")
    assert "cannot be combined" in run("forget", *arguments, code=2).stderr


def test_another_embedder_is_refused(run, filled):
    stderr = run(
        "search", "ferry", "--store", filled, "--user", "demo", "--embedder", "hash:32", code=1
    ).stderr
    assert "hash" in stderr
    assert len(stderr.splitlines()) == 1


def test_an_unknown_embedder_lists_the_known_ones(run, filled):
    stderr = run(
        "search", "ferry", "--store", filled, "--user", "demo", "--embedder", "word2vec", code=2
    ).stderr
    assert "hash" in stderr
