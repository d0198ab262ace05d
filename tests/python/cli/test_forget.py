"""`memspan forget`, `hold`, `release` and `audit`."""

from __future__ import annotations

import getpass

import pytest


@pytest.fixture
def small(store, run, write_lines):
    file = write_lines(
        {"id": "m1", "text": "my address is Elm Street", "session": "s", "at": "2024-01-01T00:00:00Z"},
        {"id": "m2", "text": "the cat sleeps", "session": "s", "at": "2024-02-01T00:00:00Z"},
        {"id": "m3", "text": "an address of another", "session": "t", "at": "2024-03-01T00:00:00Z"},
    )
    run("ingest", file, "--store", store, "--user", "ana")
    return store


def ids(run_json, store):
    return {hit["id"] for hit in run_json("latest", "--store", store, "--user", "ana")["records"]}


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (("--session", "s"), {"m3"}),
        (("--id", "m1", "--id", "m3"), {"m2"}),
        (("--between", "2024-01-15", "2024-02-15"), {"m1", "m3"}),
        (("--between", "-", "2024-02-15", "--session", "s"), {"m3"}),
        (("--kind", "vault"), {"m1", "m2", "m3"}),
        (("--kind", "episodic", "--session", "t"), {"m1", "m2"}),
    ],
)
def test_selectors(small, run_json, arguments, left):
    report = run_json("forget", "--store", small, "--user", "ana", *arguments, "--yes")
    assert report["records"] == 3 - len(left)
    assert ids(run_json, small) == left


def test_a_question_takes_two_steps(small, run, run_json):
    plan = run_json("forget", "--store", small, "--user", "ana", "--matching", "address", "-k", 2)
    assert {match["id"] for match in plan["matches"]} == {"m1", "m3"}
    assert (plan["records"], plan["held"]) == (2, 0)
    assert len(ids(run_json, small)) == 3
    shown = run("forget", "--store", small, "--user", "ana", "--matching", "address", "-k", 2)
    assert "Elm Street" in shown.stdout
    assert plan["token"] in shown.stderr
    assert run_json("forget", "--store", small, "--user", "ana", "--confirm", plan["token"])["records"] == 2
    assert ids(run_json, small) == {"m2"}
    again = run("forget", "--store", small, "--user", "ana", "--confirm", plan["token"], code=1)
    assert "plan it again" in again.stderr


def test_a_question_that_finds_nothing(small, run):
    shown = run("forget", "--store", small, "--user", "ana", "--matching", "address", "--kind", "vault")
    assert "nothing was found" in shown.stdout
    assert shown.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("forget", "--yes"),
        ("forget", "--yes", "--json"),
        ("forget", "--matching", "x"),
        ("hold",),
        ("release",),
    ],
)
def test_a_user_whom_nobody_knows(small, run, arguments):
    command, *more = arguments
    assert "knows no user 'aan'" in run(command, "--store", small, "--user", "aan", *more, code=1).stderr


def test_errors_name_what_can_be_typed(small, run):
    message = run("forget", "--store", small, "--user", "ana", "--confirm", "x", code=2).stderr
    assert "`memspan forget --matching`" in message
    assert "forget_matching" not in message


def test_what_is_held_is_told_when_there_is_no_room(small, run):
    run("quotas", "--store", small, "--capacity", 10)
    run("hold", "--store", small, "--user", "ana")
    run("quotas", "--store", small, "--capacity", 8)
    message = run("ingest", "-", "--store", small, "--user", "ana", stdin='{"text": "x"}\n', code=1).stderr
    assert "pinned, held or brought back" in message
    assert "unpin or release some" in message


@pytest.mark.parametrize(
    "arguments",
    [
        ("--id", "m1", "--session", "s"),
        ("--source", "a", "--kind", "vault"),
        ("--matching", "x", "--id", "m1"),
        ("--matching", "x", "--yes"),
        ("--confirm", "x", "--session", "s"),
        ("--session", "s"),
        ("-k", "1", "--yes"),
        ("-k", "1", "--session", "s", "--yes"),
    ],
)
def test_wrong_usage_erases_nothing(small, run, run_json, arguments):
    run("forget", "--store", small, "--user", "ana", *arguments, code=2)
    assert len(ids(run_json, small)) == 3


def test_holds(small, run, run_json):
    assert run_json("hold", "--store", small, "--user", "ana", "--session", "s")["records"] == 2
    refused = run("forget", "--store", small, "--user", "ana", "--yes", code=1)
    assert "2 of the 3 records to forget are held" in refused.stderr
    assert "2 records released" in run("release", "--store", small, "--user", "ana").stderr
    assert run_json("forget", "--store", small, "--user", "ana", "--yes")["records"] == 3


def test_the_audit(small, run, run_json, monkeypatch):
    monkeypatch.setenv("MEMSPAN_ACTOR", "the officer")
    run("hold", "--store", small, "--user", "ana", "--id", "m1")
    document = run_json("audit", "--store", small)
    entries = document.pop("entries")
    assert document == {"store": str(small), "user": None}
    assert [(entry["actor"], entry["action"]) for entry in entries] == [
        (getpass.getuser(), "add"),
        ("the officer", "hold"),
    ]
    assert [
        entry["action"]
        for entry in run_json("audit", "--store", small, "--user", "ana", "--id", "m1")["entries"]
    ] == ["hold"]
    assert "the officer" in run("audit", "--store", small, "--action", "hold").stdout
    held = run_json("audit", "--store", small, "--action", "hold")["entries"]
    assert [entry["action"] for entry in held] == ["hold"]
    assert "no entries" in run("audit", "--store", small, "--user", "nobody").stdout
    assert "no entries" in run("audit", "--store", small, "--since", "2999-01-01").stdout
    assert "add --user" in run("audit", "--store", small, "--id", "m1", code=2).stderr
