"""`memspan consolidate`: alone, with a model on a server, and with one that fails."""

from __future__ import annotations

from datetime import timedelta

import pytest
from llm_faults import status
from scripted_llm import ScriptedLLM, all_rules
from sleepy_facts import START, facts

from memspan import Memory, Record

FACTS = ("Ana drinks green tea in the morning.", "Ana drinks green tea in the morning no longer.")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MEMSPAN_LLM", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    with ScriptedLLM(all_rules()) as running:
        yield running
        assert running.troubles == []


@pytest.fixture
def known(store):
    """A store with two memories of each of two users; the second ends the first."""
    with Memory(store, "hash:256", auto_consolidate=False) as memory:
        memory.add_records([*facts("ana", FACTS), *facts("ben", FACTS)])
    return store


def held(store, user):
    with Memory(store) as memory:
        return {one.text for one in memory.search("tea", user=user, valid_at=START + timedelta(days=9))}


def test_without_a_model_only_the_index(run, run_json, known):
    document = run_json("consolidate", "--store", known)
    assert (document["users"], document["sleep"]) == (2, None)
    said = run("consolidate", "--store", known, "--user", "ana").stdout.splitlines()
    assert said[0] == "memories: 0 expired, 0 evicted, 0 pruned, 0 merged into others, 0 procedures learnt"
    assert said[1] == "stale: 0"
    assert said[2].startswith("index: ")
    assert held(known, "ana") == set(FACTS)


def test_with_a_model(run, run_json, known, server, monkeypatch):
    document = run_json(
        "consolidate", "--store", known, "--user", "ana", "--llm", "scripted", "--base-url", server.url
    )
    assert (document["sleep"]["queues"], document["sleep"]["retired"]) == (1, 1)
    assert document["sleep"]["usage"]["calls"] == 1
    assert held(known, "ana") == {FACTS[1]}
    assert held(known, "ben") == set(FACTS)

    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    output = run("consolidate", "--store", known, "--llm", "scripted").stdout
    assert "0 merged, 0 updated, 1 retired" in output
    assert "1 call, " in output
    assert held(known, "ben") == {FACTS[1]}
    entries = run_json("stats", "--store", known, "--usage")["usage"]
    assert [(entry["recipe"], entry["stage"], entry["calls"]) for entry in entries] == [
        ("lightmem", "sleep", 2)
    ]


def test_a_model_that_fails(run, run_json, known, server):
    server.schedule = lambda asked, number: status(400)
    arguments = ("--store", known, "--user", "ana", "--llm", "scripted", "--base-url", server.url)
    result = run("consolidate", *arguments, code=1)
    assert "1 of 1 memories could not be decided" in result.stderr
    assert held(known, "ana") == set(FACTS)
    assert run_json("consolidate", *arguments, code=1)["sleep"]["undecided"] == 1


def test_wrong_command_lines(run, known):
    assert "--llm" in run("consolidate", "--store", known, "--base-url", "http://x/v1", code=2).stderr
    assert "OPENAI_API_KEY" in run("consolidate", "--store", known, "--llm", "scripted", code=2).stderr


def test_recipes_show_it(run, run_json):
    assert run_json("recipes", "show", "lightmem")["sleep"]["queue"] == 10
    assert "sleep" in run("recipes", "show", "lightmem").stdout
    assert run_json("recipes", "show", "simplemem")["sleep"] is None


@pytest.fixture
def repeated(known):
    """The same store, in which something was said again."""
    with Memory(known, auto_consolidate=False) as memory:
        memory.add_records(
            [Record(id="again", user="ana", text=FACTS[0], at=START + timedelta(days=5), kind="semantic")]
        )
    return known


def test_a_dry_run_says_what_would_be_done(run, run_json, repeated):
    said = run("consolidate", "--store", repeated, "--dry-run").stdout.splitlines()
    assert said == [
        "memories: would be 0 expired, 0 evicted, 0 pruned, 1 merged into others, 0 procedures learnt",
        "stale: 0",
        "  merge ana: f0 into again",
    ]
    document = run_json("consolidate", "--store", repeated, "--dry-run")
    planned = {"action": "merge", "user": "ana", "records": ["f0"], "into": "again"}
    assert document["upkeep"]["planned"] == [planned]
    assert run_json("runs", "--store", repeated)["runs"] == []
    assert run("runs", "--store", repeated).stdout.startswith("no runs; ")


def test_what_was_merged_can_be_taken_back(run, run_json, repeated):
    said = run("consolidate", "--store", repeated).stdout
    (known,) = run_json("runs", "--store", repeated, "--user", "ana")["runs"]
    assert f"memspan undo {known['id']}" in said
    assert (known["state"], known["changes"]) == ("done", 2)
    assert known["id"] in run("runs", "--store", repeated).stdout
    assert run("undo", known["id"], "--store", repeated).stdout == "2 records as before, 0 taken out\n"
    failed = run("undo", known["id"], "--store", repeated, code=1)
    assert "was undone already" in failed.stderr
    assert run("undo", "unknown", "--store", repeated, code=1)


def test_what_is_too_stale_is_pruned_and_can_be_taken_back(run, run_json, known):
    call = ("consolidate", "--store", known, "--staleness", "decay", "--prune-above", "0.04", "--no-merge")
    said = run(*call, "--dry-run").stdout.splitlines()
    assert said[0].startswith("memories: would be 0 expired, 0 evicted, 2 pruned")
    assert said[1] == "stale: 0, 0.02 on average, 0.02 by age"
    assert said[2:] == ["  prune ana: f0", "  prune ben: f0"]
    document = run_json(*call, "--user", "ana")
    assert (document["upkeep"]["pruned"], document["upkeep"]["stale"]) == (1, 0)
    (pruned,) = document["upkeep"]["runs"]
    assert run("undo", pruned, "--store", known).stdout == "1 record as before, 0 taken out\n"
    assert run_json(*call, "--user", "ana", "--dry-run")["upkeep"]["pruned"] == 1


def test_pruning_needs_a_policy(run, known):
    failed = run("consolidate", "--store", known, "--prune-above", "0.5", code=2)
    assert "--staleness" in failed.stderr


def test_merging_may_be_left_out_and_the_time_be_short(run, run_json, repeated):
    assert run_json("consolidate", "--store", repeated, "--no-merge")["upkeep"]["merged"] == 0
    said = run("consolidate", "--store", repeated, "--seconds", "0").stdout
    assert "1 merged into others" in said
    assert "the time was over first" in said
    done = run_json("consolidate", "--store", repeated)["upkeep"]
    assert (done["merged"], done["finished"]) == (0, True)


def test_calls_without_time_come_to_the_end(run_json, repeated):
    calls = [run_json("consolidate", "--store", repeated, "--seconds", "0")["upkeep"] for _ in range(12)]
    assert sum(call["merged"] for call in calls) == 1
    assert any(call["finished"] for call in calls)
