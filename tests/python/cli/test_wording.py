"""What commands say: of one as of one, and of nothing that can only be typed in Python."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from memspan import Memory
from memspan.cli.tables import print_figures
from memspan.cli.usage import usage_line, usage_table
from memspan.llm.usage import Usage
from memspan.reports.job_info import UsageEntry

PLURAL = re.compile(r"(?<![\d,.])1 (?:of 1 )?(?:prompt |completion )?[a-z]+s\b")


@pytest.fixture
def single(run, store, write_lines):
    """A user with one record that says something."""
    text = "The ferry to Bergen leaves on the 24th of August, said the nice lady at the counter."
    run("ingest", write_lines({"user": "ana", "id": "a", "at": "2024-01-01", "text": text}), "--store", store)
    return store


@pytest.mark.parametrize(
    "command",
    [
        "ingest turns.jsonl",
        "consolidate",
        "compress --user ana --dry-run",
        "forget --user ana --matching ferry",
        "hold --user ana",
        "pin a --user ana",
        "reembed --embedder hash:32",
        "export out.jsonl --user ana",
        "search ferry --user ana --context",
        "stats --user ana",
    ],
)
def test_one_is_no_plural(run, single, command):
    done = run(*command.split(), "--store", single)
    assert done.stdout + done.stderr
    assert PLURAL.findall(done.stdout + done.stderr) == []


@pytest.mark.parametrize("columns", ["80", "40"])
def test_ids_that_are_to_be_typed_are_shown_whole(run, run_json, store, write_lines, monkeypatch, columns):
    user = "ana.andersson@example.com"
    line = {"user": user, "id": "a", "session": "2024-05-01-weekly-sync", "text": "the ferry"}
    run("ingest", write_lines(line), "--store", store, "--recipe", "simplemem")
    run("retire", "a", "--store", store, "--user", user)
    monkeypatch.setenv("COLUMNS", columns)
    for command, listed in (("jobs", "jobs"), ("runs", "runs")):
        (one,) = run_json(command, "--store", store)[listed]
        shown = run(command, "--store", store).stdout
        assert one["id"] in shown
        assert "…" not in shown
        assert max(map(len, shown.splitlines())) <= int(columns)


@pytest.mark.parametrize("columns", [80, 66])
def test_no_figure_of_the_usage_is_cut(columns):
    usage = Usage(
        calls=1200, prompt_tokens=123_456, cached_tokens=100_000, completion_tokens=9, seconds=1234.5
    )
    entry = UsageEntry(None, "simplemem", "synthesise", "gpt-4.1-mini-2025-04-14", usage)
    out = io.StringIO()
    print_figures(Console(file=out, width=columns), usage_table([entry, entry]), 3)
    assert "…" not in out.getvalue()
    assert {"123,456", "246,912", "1,234.5", "2,469.0"} <= {*out.getvalue().split()}


def test_an_embedder_that_is_none_or_another_is_told_in_options(run, single):
    asked = ("search", "ferry", "--store", single, "--user", "ana", "--embedder")
    unknown = run(*asked, "nope", code=2).stderr
    assert unknown.endswith("hash, hash:DIM\n")
    another = run(*asked, "hash:32", code=1).stderr
    assert "leave --embedder out" in another
    assert "Memory" not in another


def test_a_store_of_an_embedder_of_ones_own_says_what_can_be_typed(run, store):
    def embed(texts):
        return [[1.0, float(len(text))] for text in texts]

    with Memory(store, embed, token_embedder=False) as memory:
        memory.add("the ferry", user="ana")
    refused = run("search", "ferry", "--store", store, "--user", "ana", code=1).stderr
    assert "`memspan reembed`" in refused
    assert "Memory" not in refused


def test_an_export_that_is_ingested_names_its_command(run, single, tmp_path):
    out = tmp_path / "out.jsonl"
    run("export", out, "--store", single, "--user", "ana")
    refused = run("ingest", out, "--store", tmp_path / "other.memspan", code=3).stderr
    assert "`memspan load` reads it" in refused
    assert "Memory" not in refused


def test_one_call_is_no_plural():
    said = usage_line(Usage(calls=1, prompt_tokens=1, completion_tokens=1))
    assert said == "1 call, 1 prompt token, 1 completion token"
