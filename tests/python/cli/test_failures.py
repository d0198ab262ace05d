"""What the command line says when something is not as it was told."""

from __future__ import annotations

import pytest


def test_a_user_without_memories_is_told_from_a_search_without_hits(run, filled):
    assert "knows no user 'dmeo'" in run("latest", "--store", filled, "--user", "dmeo").stderr
    assert "knows no user 'dmeo'" in run("search", "ferry", "--store", filled, "--user", "dmeo").stderr
    late = ("--between", "2030-01-01", "-")
    demo = ("--store", filled, "--user", "demo")
    said = run("latest", *demo, *late).stderr
    assert said == "nothing found for user 'demo' that --between lets pass\n"
    said = run("search", "ferry", *demo, "--tag", "none", "--as-of", "2024-06-01").stderr
    assert "that --tag and --as-of let pass; " in said
    assert "--valid-at goes by when it happened" in said


def test_a_missing_user_is_told_where_users_are_listed(run, filled):
    said = " ".join(run("latest", "--store", filled, code=2).stderr.split())
    assert said.endswith(
        "Missing option '--user' (env var: 'MEMSPAN_USER'). `memspan stats` lists the users of a store"
    )


@pytest.mark.parametrize("command", ["search", "ask"])
def test_a_question_without_quotes_is_told(run, filled, command):
    words = ["when", "does", "it", "leave"]
    said = run(command, *words, "--store", filled, "--user", "demo", code=2).stderr
    assert "(does it leave); a question of several words stands in quotes" in said


def test_a_question_that_looks_like_an_option_is_told(run, filled):
    demo = ("--store", filled, "--user", "demo")
    told = "No such option '-v'. '--' comes before what begins with '-' and is none."
    assert told in run("search", "-vet", *demo, code=2).stderr
    run("search", *demo, "--", "-vet")
    assert "--" not in run("stats", "-v", code=2).stderr.splitlines()[-1]


@pytest.mark.parametrize("asked", ["tags", "procedures", "evicted", "compress", "stats"])
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
    message = run("ask", "ferry?", "--store", filled, "--user", "demo", "--llm", "x", code=2).stderr
    assert "OPENAI_API_KEY" in message
    assert "--base-url" in message


def test_usage_before_any_model_was_asked(run, filled):
    assert "no language model was asked" in run("stats", "--store", filled, "--usage").stderr


def test_a_missing_model_is_told_in_options(run, filled):
    missing = run("process", "--store", filled, "--all-turns", "simplemem", code=1).stderr
    assert "give --llm MODEL or set MEMSPAN_LLM" in missing
    assert "Memory(" not in missing


def test_a_job_that_there_is_not_is_told_in_commands(run, filled):
    assert "`memspan jobs` lists them" in run("jobs", "--store", filled, "--job", "none", code=1).stderr


def test_a_run_without_the_log_is_refused(run, filled):
    assert "add --log" in run("runs", "--store", filled, "--user", "demo", "--run", "x", code=2).stderr


def test_tokens_bound_nothing_but_a_context(run, filled):
    asked = ("search", "ferry", "--store", filled, "--user", "demo", "--tokens", 30)
    assert "add --context" in run(*asked, code=2).stderr
    run(*asked, "--context")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--tag", ""), "'--tag': got ''"),
        (("--where", "[]"), "'--where': got []; accepted: a JSON object"),
        (("--where", '{"a": {"$foo": 1}}'), "'--where': a.$foo: got the operator '$foo'"),
        (("--where", '{"a:b": {"$foo": 1}}'), "'--where': a:b.$foo: got the operator '$foo'"),
        (("--where", '{"": 1}'), "'--where': got the path ''"),
        (("--fusion", "rrf", "--confidence"), "--confidence cannot be used with --fusion rrf"),
        (("--user", ""), "'--user'"),
        (("--embedder", "word2vec"), "'--embedder'"),
    ],
)
def test_a_wrong_value_of_an_option_ends_with_2_and_names_the_option(run, filled, given, said):
    assert said in run("search", "x", "--store", filled, "--user", "demo", *given, code=2).stderr


@pytest.mark.parametrize(
    "asked",
    [
        "history nope",
        "retire nope",
        "retire s01-01 --by nope",
        "retire nope --text new",
        "runs --log --run nope",
        "restore nope",
        "restore s01-01 nope",
        "pin nope",
        "pin s01-01 nope",
        "hold --id nope",
        "release --id nope",
        "jobs --job nope",
    ],
)
def test_an_id_that_nothing_has_ends_with_1_and_is_named(run, filled, asked):
    failed = run(*asked.split(), "--store", filled, "--user", "demo", code=1)
    assert "nope" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_run_that_there_is_not_ends_with_1(run, filled):
    assert "'RUN': got 'nope'" in run("undo", "nope", "--store", filled, code=1).stderr


def test_nothing_is_done_where_one_of_the_ids_is_unknown(run, run_json, filled):
    who = ("--store", filled, "--user", "demo")
    run("pin", "s01-01", "nope", *who, code=1)
    run("hold", "--id", "s01-01", "--id", "nope", *who, code=1)
    assert run_json("pin", "s01-01", *who)["changed"] == 1
    assert run_json("hold", "--id", "s01-01", *who)["records"] == 1
    assert run_json("hold", "--id", "s01-01", *who)["records"] == 0  # held already, and known


def test_pinning_what_is_in_the_cold_tier_says_so(run, filled):
    run("quotas", "--store", filled, "--capacity", 10)
    gone = "s01-01"
    assert "`memspan restore`" in run("pin", gone, "--store", filled, "--user", "demo", code=1).stderr


def test_a_mistyped_user_cannot_pin(run, filled):
    assert "knows no user 'dmeo'" in run("pin", "s01-01", "--store", filled, "--user", "dmeo", code=1).stderr


def test_what_a_file_holds_ends_with_3_though_only_the_memory_minds(run, store, write_lines):
    broken = write_lines({"text": "hi", "user": "u", "metadata": {"a": 2**70}})
    assert "metadata" in run("ingest", broken, "--store", store, code=3).stderr
