"""What commands say: of one as of one, and of nothing that can only be typed in Python."""

from __future__ import annotations

import re

import pytest

from memspan import Memory

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


def test_one_call_is_no_plural():
    from memspan.cli.usage import usage_line
    from memspan.llm.usage import Usage

    said = usage_line(Usage(calls=1, prompt_tokens=1, completion_tokens=1))
    assert said == "1 call, 1 prompt token, 1 completion token"
