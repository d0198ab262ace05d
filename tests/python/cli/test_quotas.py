"""`memspan quotas`, `evicted`, `restore` and `pin`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memspan import Memory


@pytest.fixture
def store(tmp_path: Path, run: Any, write_lines: Any) -> Path:
    """A store of one user with twelve turns."""
    path = tmp_path / "quotas.memspan"
    lines = [
        {"user": "ana", "id": f"m{n}", "text": f"turn {n}", "at": f"2024-01-{n + 1:02d}"} for n in range(12)
    ]
    run("ingest", write_lines(*lines), "--store", path)
    return path


def test_showing_and_setting(run: Any, run_json: Any, store: Path) -> None:
    assert run("quotas", "--store", store).stdout == "no quotas; --capacity N sets some\n"
    assert run_json("quotas", "--store", store)["quotas"] is None
    output = run("quotas", "--store", store, "--capacity", 10, "--eviction", "oldest")
    assert "8 records went to the cold tier" in output.stderr
    assert "no limit" in output.stdout
    assert "eviction: oldest" in output.stdout
    document = run_json("quotas", "--store", store, "--user", "ana")
    assert document["quotas"]["kinds"]["episodic"] == 4
    assert document["evicted"] is None
    document = run_json("quotas", "--store", store, "--user", "ana", "--capacity", 5, "--shares", "optimized")
    assert (document["evicted"], document["quotas"]["shares"]) == (2, "optimized")
    assert run_json("quotas", "--store", store)["quotas"]["capacity"] == 10
    assert " 2" in run("quotas", "--store", store, "--user", "ana").stdout
    assert run_json("quotas", "--store", store, "--user", "ana", "--off")["quotas"]["capacity"] == 10
    assert run_json("quotas", "--store", store, "--off")["quotas"] is None


def test_a_narrow_terminal_breaks_texts_only(run: Any, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("quotas", "--store", store, "--capacity", 10, "--eviction", "oldest")
    monkeypatch.setenv("COLUMNS", "60")
    evicted = run("evicted", "--store", store, "--user", "ana").stdout
    audit = run("audit", "--store", store).stdout
    assert max(map(len, (evicted + audit).splitlines())) <= 60
    assert "2024-01-03 00:00" in evicted
    assert evicted.count("turn 2") == 1
    assert all(
        name in audit for name in ("number", "at (UTC)", "actor", "action", "records", "details", "hash")
    )
    assert "resource: None" in " ".join(audit.split())


def test_refused_limits(run: Any, store: Path) -> None:
    assert "--off" in run("quotas", "--store", store, "--off", "--capacity", 5, code=2).stderr
    assert "capacity" in run("quotas", "--store", store, "--capacity", 0, code=2).stderr
    assert "capacity" in run("quotas", "--store", store, "--capacity", 2, code=2).stderr
    assert "shares" in run("quotas", "--store", store, "--shares", "fair", code=2).stderr


def test_out_and_back(run: Any, run_json: Any, store: Path) -> None:
    who = ("--store", store, "--user", "ana")
    assert "nothing was evicted" in run("evicted", *who).stderr
    assert "1 record pinned" in run("pin", "m0", *who).stderr
    run("quotas", *who, "--capacity", 10, "--eviction", "oldest")
    listed = run_json("evicted", *who)["records"]
    assert {each["id"] for each in listed} == {f"m{n}" for n in range(1, 9)}
    assert listed[0]["text"].startswith("turn ")
    assert len(run_json("evicted", *who, "-k", 3)["records"]) == 3
    assert run_json("evicted", *who, "--kind", "vault")["records"] == []
    assert "turn 5" in run("evicted", *who).stdout
    assert run_json("restore", "m1", "m2", *who, "--pin")["restored"] == ["m1", "m2"]
    assert "1 record restored" in run("restore", "m5", *who).stderr
    assert "none of these" in run("restore", "m5", *who, code=1).stderr
    assert run_json("restore", "m5", *who, code=1)["restored"] == []
    assert "none of these" in run("restore", "m5", *who, "--originals", code=1).stderr
    assert run_json("pin", "m5", *who)["changed"] == 1
    assert "Error: " in run("restore", "m6", *who, code=1).stderr
    assert run_json("pin", "m1", "m5", *who, "--undo") == {
        "store": str(store),
        "user": "ana",
        "pinned": False,
        "changed": 2,
    }
    assert {each["id"] for each in run_json("latest", *who)["records"]} == {"m0", "m1", "m2", "m5"}
    for arguments in (("m6",), ("m6", "--text", "new"), ("m0", "--by", "m6")):
        assert "'m6' is in the cold tier" in run("retire", *arguments, *who, code=1).stderr


def test_what_made_room_in_the_vault_is_listed_as_the_help_says(run: Any, run_json: Any, store: Path) -> None:
    with Memory(store, "hash") as memory:
        ids = [memory.add(f"label {n}", user="ana", kind="vault", at=n)[0] for n in range(2)]
    run("quotas", "--store", store, "--user", "ana", "--vault", 1, "--eviction", "oldest")
    assert [each["id"] for each in run_json("evicted", "--store", store, "--user", "ana")["records"]] == ids[
        :1
    ]
    assert "Default: all, `vault` among them" in " ".join(run("evicted", "--help").output.split())


def test_lost_sources_are_told(run: Any, run_json: Any, write_lines: Any, tmp_path: Path) -> None:
    path = tmp_path / "sources.memspan"
    with Memory(path, "hash") as memory:
        memory.add({"id": "m0", "text": "turn 0", "at": "2024-01-01"}, user="ana")
        memory.add({"text": "a fact", "kind": "semantic", "sources": ["m0"]}, user="ana")
    assert (
        "source left" not in run("quotas", "--store", path, "--capacity", 10, "--eviction", "oldest").stdout
    )
    lines = [
        {"user": "ana", "id": f"m{n}", "text": f"turn {n}", "at": f"2024-01-0{n + 1}"} for n in range(1, 6)
    ]
    report = run_json("ingest", write_lines(*lines[:3]), "--store", path)
    assert (report["evicted"], report["unsourced"]) == (0, 0)
    output = run("ingest", write_lines(*lines[3:]), "--store", path).stdout
    assert "2 records went to the cold tier, and with them the last sources of 1 derived record" in output
    for who in ((), ("--user", "ana")):
        shown = run("quotas", "--store", path, *who).stdout
        assert "1 derived record has no source left" in shown
        assert run_json("quotas", "--store", path, *who)["unsourced"] == 1
