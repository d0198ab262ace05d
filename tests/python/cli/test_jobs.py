"""`memspan process`, `jobs`, `recipes` and `stats --usage`."""

from __future__ import annotations

import sys
import types

import pytest
from scripted_llm import ScriptedLLM, all_rules
from tiny_recipe import ScriptedModel, recipe_of

from memspan import errors
from memspan.memory import Memory
from memspan.recipes import recipe_names
from memspan.remember.jobs import pace


@pytest.fixture
def model(monkeypatch):
    """The tiny recipe and the scripted model, under the names `tiny` and `scripted`."""
    made = ScriptedModel()
    module = types.ModuleType("memspan.recipes.tiny")
    module.RECIPE = recipe_of()
    monkeypatch.setitem(sys.modules, "memspan.recipes.tiny", module)
    monkeypatch.setattr(sys.modules["memspan.recipes.recipe"], "_NAMES", (*recipe_names(), "tiny"))
    models = {"scripted": made, None: None}
    monkeypatch.setattr("memspan.remember.jobs.resolving.resolve_llm", models.__getitem__)
    return made


@pytest.fixture
def waiting(store):
    """A store with two jobs, one of each user."""
    with Memory(store, "hash:32", recipe=recipe_of()) as memory:
        memory.add(["one", "two"], user="ana", session="s")
        memory.add("three", user="ben")
    return store


def test_process(run, run_json, waiting, model):
    assert [job["state"] for job in run_json("jobs", "--store", waiting)["jobs"]] == ["pending"] * 2
    report = run_json("process", "--store", waiting, "--llm", "scripted", "--user", "ana")
    assert (report["done"], report["records"], report["waiting"]) == (1, 3, 0)
    assert report["usage"]["calls"] == 3
    output = run("process", "--store", waiting, "--llm", "scripted", "--limit", 5).stdout
    assert "1 job done, 2 records made" in output
    assert "2 calls, 200 prompt tokens" in output
    lines = run("jobs", "--store", waiting).stdout
    assert "tiny" in lines
    assert lines.count("done") == 2
    assert run("jobs", "--store", waiting, "--state", "parked").stdout == "no jobs are parked\n"
    usage = run_json("stats", "--store", waiting, "--usage")["usage"]
    assert [(entry["stage"], entry["model"], entry["calls"]) for entry in usage] == [
        ("note", "scripted-1", 3),
        ("sum", "scripted-1", 2),
    ]
    assert "500" in run("stats", "--store", waiting, "--usage").stdout
    assert run_json("stats", "--store", waiting, "--usage", "--user", "ben")["usage"][0]["calls"] == 1


def test_parked_jobs(run, run_json, waiting, model, monkeypatch):
    def fail(prompt):
        raise errors.LLMError("no such server")

    model.misbehave = fail
    monkeypatch.setattr(pace.Pace, "pause", lambda self, failures: 0.0)
    result = run("process", "--store", waiting, "--llm", "scripted", code=1)
    assert "2 jobs parked; `memspan jobs --state parked` says why" in result.stderr
    listed = run("jobs", "--store", waiting, "--state", "parked").stdout
    assert "LLMError: no such server" in listed
    job = run_json("jobs", "--store", waiting, "--user", "ben")["jobs"][0]["id"]
    document = run_json("jobs", "--store", waiting, "--job", job)
    assert [event["event"] for event in document["log"]] == ["failed"] * 4 + ["parked"]
    assert "no such server" in run("jobs", "--store", waiting, "--job", job).stdout
    assert "there is no job" in run("jobs", "--store", waiting, "--job", "x", code=1).stderr
    assert run_json("jobs", "--store", waiting, "--job", job, "--retry")["retried"] == 1
    assert run("jobs", "--store", waiting, "--retry").stderr == "1 job will be tried again\n"
    model.misbehave = None
    run("process", "--store", waiting, "--llm", "scripted")


def test_without_a_model(run, waiting, model):
    assert "--llm" in run("process", "--store", waiting, code=1).stderr


def test_what_ends_several_jobs_is_told_once(spawn, store):
    with Memory(store, "hash:32", recipe="best") as memory:
        for number in range(6):
            memory.add(["one", "two"], user="ana", session=str(number))
    ended = spawn("process", "--store", store)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "--llm" in ended.stderr


def test_follow_until_interrupted(run, waiting, model, monkeypatch):
    def interrupt(self, **arguments):
        assert arguments["follow"]
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "process", interrupt)
    assert "ended" in run("process", "--store", waiting, "--llm", "scripted", "--follow").stderr
    monkeypatch.setattr(Memory, "process", lambda self, **arguments: (_ for _ in ()).throw(KeyboardInterrupt))
    run("process", "--store", waiting, "--llm", "scripted", code=130)


def test_ingest_under_a_recipe(run, run_json, store, write_lines):
    lines = write_lines({"user": "ana", "id": "a", "text": "tea", "at": "2024-01-01"})
    run("ingest", lines, "--store", store)
    assert run_json("jobs", "--store", store)["jobs"] == []
    assert run("jobs", "--store", store).stdout.startswith("no jobs; `memspan ingest --recipe` and ")
    assert "no job waited; --all-turns RECIPE" in run("process", "--store", store).stderr
    assert "waiting" not in run("ingest", lines, "--store", store, "--recipe", "simplemem").stdout, "known"
    more = write_lines({"user": "ana", "id": "b", "text": "coffee", "at": "2024-01-02"})
    said = run("ingest", more, "--store", store, "--recipe", "simplemem").stdout
    assert f"1 job waiting: memspan process --store {store} --llm MODEL" in said
    assert "no job waited" not in run("process", "--store", store, code=1).stderr


def test_recipes(run, run_json):
    document = run_json("recipes", "list")
    assert [each["name"] for each in document["recipes"]] == list(recipe_names())
    for name in recipe_names():
        assert name in run("recipes", "list").stdout
        assert name in run("recipes", "show", name).stdout
        assert run_json("recipes", "show", name)["name"] == name
    run("recipes", "show", "unknown", code=2)


def test_stages_are_shown_with_their_parameters(model, monkeypatch):
    from memspan.cli.commands import recipes

    document = recipes._document(recipe_of(history=3))
    assert document["history"] == 3
    assert document["write"][0] == {"stage": "note", "parameters": {"version": 1}}
    assert recipes._plain((1, {"a"}, object)) == [1, ["a"], "<class 'object'>"]


def test_process_turns_that_were_stored_without_a_recipe(run, run_json, store):
    with Memory(store, "hash:32") as memory:
        memory.add(["Ilka planted a quince by the well."], user="ana", session="s")
    with ScriptedLLM(all_rules()) as server:
        asking = ("process", "--store", store, "--llm", "m", "--base-url", server.url)
        assert run_json(*asking)["done"] == 0
        result = run(*asking, "--all-turns", "lightmem", "--gather")
        assert "1 turn given to jobs of lightmem" in result.stderr
        assert "0 jobs done" in result.stdout  # they wait for more
        assert run_json(*asking)["done"] == 1
        assert [each.task for each in server.asked] == ["summarise"]
    assert "name the model" in run("process", "--store", store, "--base-url", "http://h", code=2).stderr


def test_what_jobs_wait_for_is_shown(run, run_json):
    shown = run("recipes", "show", "lightmem").stdout
    assert "jobs wait for 731 tokens, at most 300 s after the last turn" in shown
    assert "wait for 20 turns" in run("recipes", "show", "best").stdout
    assert run_json("recipes", "show", "swiftmem")["gather"] == {"tokens": None, "turns": 2, "seconds": 300.0}
    assert run_json("recipes", "show", "verbatim")["gather"] is None
