"""What the command line says when something is not as it was told."""

from __future__ import annotations

import pytest


def test_a_user_without_memories_is_told_from_a_search_without_hits(run, filled):
    assert "knows no user 'dmeo'" in run("latest", "--store", filled, "--user", "dmeo").stderr
    assert "knows no user 'dmeo'" in run("search", "ferry", "--store", filled, "--user", "dmeo").stderr
    late = ("--between", "2030-01-01", "-")
    assert "nothing found for user 'demo'" in run("latest", "--store", filled, "--user", "demo", *late).stderr


@pytest.mark.parametrize("asked", ["tags", "procedures", "evicted", "compress", "stats", "pin s01-01"])
def test_a_mistyped_user_is_told_by_every_command_that_finds_nothing(run, filled, asked):
    said = "knows no user 'dmeo'"
    assert said in run(*asked.split(), "--store", filled, "--user", "dmeo").stderr
    assert said not in run(*asked.split(), "--store", filled, "--user", "demo").stderr


def test_a_folder_is_no_store(run, tmp_path, conversation_file):
    assert "is a folder" in run("stats", "--store", tmp_path, code=1).stderr
    assert "is a folder" in run("ingest", conversation_file, "--store", tmp_path, code=1).stderr


def test_what_the_system_refuses_is_said_without_its_number(run, filled, tmp_path):
    message = run("export", tmp_path / "none" / "x.jsonl", "--store", filled, "--user", "demo", code=1).stderr
    assert message == f"Error: {tmp_path / 'none' / 'x.jsonl'}: No such file or directory\n"


def test_an_export_is_not_a_conversation(run, filled, tmp_path):
    run("export", tmp_path / "x.jsonl", "--store", filled, "--user", "demo")
    refused = run("ingest", tmp_path / "x.jsonl", "--store", tmp_path / "other", code=3)
    assert "`memspan load`" in refused.stderr


def test_a_missing_key_names_the_variable_and_the_way_without(run, filled, monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    message = run("ask", "ferry?", "--store", filled, "--user", "demo", "--llm", "x", code=3).stderr
    assert "OPENAI_API_KEY" in message
    assert "base_url" in message


def test_usage_before_any_model_was_asked(run, filled):
    assert "no language model was asked" in run("stats", "--store", filled, "--usage").stderr


def test_a_missing_model_is_told_in_options(run, filled):
    missing = run("process", "--store", filled, "--all-turns", "simplemem", code=1).stderr
    assert "give --llm MODEL or set MEMSPAN_LLM" in missing
    assert "Memory(" not in missing


def test_a_job_that_there_is_not_is_told_in_commands(run, filled):
    assert "`memspan jobs` lists them" in run("jobs", "--store", filled, "--job", "none", code=1).stderr


def test_tokens_bound_nothing_but_a_context(run, filled):
    asked = ("search", "ferry", "--store", filled, "--user", "demo", "--tokens", 30)
    assert "add --context" in run(*asked, code=2).stderr
    run(*asked, "--context")
