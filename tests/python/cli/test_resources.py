"""`memspan resources`."""

from __future__ import annotations


def test_files_are_looked_after(store, tmp_path, run, run_json):
    run("ingest", "-", "--store", store, "--user", "ana", "--format", "jsonl", stdin='{"text": "hello"}\n')
    mine = ("--store", store, "--user", "ana")
    file = tmp_path / "report.txt"
    file.write_text("x")
    assert "no resources" in run("resources", "list", "--store", store).stdout
    added = run_json("resources", "add", file, *mine, "--description", "the report", "--id", "r1")
    assert added == {"store": str(store), "user": "ana", "id": "r1"}
    assert "added as" in run("resources", "add", "http://127.0.0.1:9/x", *mine).stderr
    listed = run("resources", "list", *mine).stdout
    assert "report.txt" in "".join(listed.split())  # a long path is folded
    assert "1 as they were" in run("resources", "check", "--store", store).stderr
    file.unlink()
    report = run_json("resources", "check", *mine, code=1)
    assert ([each["id"] for each in report["missing"]], report["skipped"]) == (["r1"], 1)
    (missing,) = run_json("resources", "list", *mine, "--state", "missing")["resources"]
    assert missing["id"] == "r1"
    run("resources", "add", tmp_path / "nowhere", *mine, code=2)


def test_an_id_can_be_copied_from_a_narrow_terminal(store, tmp_path, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    mine = ("--store", store, "--user", "ana")
    run("ingest", "-", *mine, "--format", "jsonl", stdin='{"text": "hello"}\n')
    file = tmp_path / "report.txt"
    file.write_text("x")
    identifier = run("resources", "add", file, *mine).stderr.split()[-1]
    assert len(identifier) > 30
    assert identifier in run("resources", "list", *mine).stdout
