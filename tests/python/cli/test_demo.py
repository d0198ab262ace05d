"""`memspan demo` and the conversation it ships."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from memspan.demo import questions
from memspan.embed.models import find_model
from memspan.embed.registry import DEFAULT_MODEL
from memspan.formats import detect, read_turns


def test_demo_asks_six_questions_and_shows_the_turns(run):
    output = run("demo").stdout
    for question in questions():
        assert question.question in output
        assert question.kind in output
    for expected in ("semantic", "lexical", "✓ answer", "a second", "median", "Next: "):
        assert expected in output


def test_demo_says_what_is_seen_and_what_to_do_next(run):
    output = run("demo").stdout
    assert output.startswith("Two friends, Mira and Jonas, have written each other 169 messages")
    assert "#rank, BM25 of words" in output
    assert "Expected: 640 euros. Turns that hold it: " in output
    assert "knows words only" in output, "the embedder without a model says so"
    last = output.split("Next: ")[1].splitlines()
    assert [line.split()[:2] for line in last[1:]] == [
        ["memspan", "demo"],
        ["memspan", "search"],
        ["memspan", "ingest"],
    ]


def test_sentences_of_the_demo_break_between_words(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    sentences = [
        line for line in run("demo").stdout.splitlines() if line and not line.startswith("  memspan")
    ]
    assert [line for line in sentences if len(line) > 60 and not line.endswith("]")] == []


def test_words_alone_find_the_easy_ones(run_json):
    document = run_json("demo", "-k", 10)
    found = {question["kind"]: question["found"] for question in document["questions"]}
    assert found["single fact"] == ["s07-05"]
    assert found["image caption"] == ["s09-06"]
    assert document["turns"] == 169
    assert document["search_median_ms"] > 0


def test_keep_leaves_a_store_to_go_on_with(run, run_json, tmp_path):
    assert "--store kept.memspan" in run("demo", "--keep", "kept.memspan").stdout
    assert run_json("search", "sock", "--store", "kept.memspan", "--user", "demo", "-k", 1)["hits"]
    again = run("demo", "--keep", "kept.memspan").stdout
    assert "The store had all turns already; a search takes" in again
    assert "embedding included);" not in again
    assert len(run_json("latest", "--store", "kept.memspan", "--user", "demo", "-k", 1000)["records"]) == 169


def test_hints_quote_paths(run):
    assert "memspan ingest FILE --store 'my own.memspan'`" in run(
        "latest", "--store", "my own.memspan", "--user", "demo", code=2
    ).stderr.replace("\n", " ")
    assert "--store 'my own.memspan' --user" in run("demo", "--keep", "my own.memspan").stdout


def test_without_keep_nothing_is_left(run, tmp_path):
    run("demo")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_model_says_what_to_do(run, monkeypatch, tmp_path):
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path / "nowhere"))
    monkeypatch.setattr("importlib.metadata.distribution", _no_distribution)
    stderr = run("demo", "--embedder", DEFAULT_MODEL, code=1).stderr
    assert "memspan models pull" in stderr
    assert "--embedder hash" in stderr
    assert len(stderr.splitlines()) == 1


def test_a_missing_extra_says_what_to_do(run, monkeypatch):
    monkeypatch.setattr("memspan.embed.onnx_graph.find_spec", lambda package: None)
    stderr = run("demo", "--embedder", DEFAULT_MODEL, code=1).stderr
    assert 'pip install "memspan[onnx]"' in stderr
    assert "--embedder hash" in stderr


def _no_distribution(name):
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)


@pytest.mark.model
@pytest.mark.skipif(
    find_model(DEFAULT_MODEL) is None, reason="the default model is not here: memspan models pull"
)
def test_the_default_model_finds_the_evidence(run_json):
    document = run_json("demo", "--embedder", DEFAULT_MODEL)
    missing = {
        question["question"]: sorted({*question["evidence"]} - {*question["found"]})
        for question in document["questions"]
    }
    assert sum(map(len, missing.values())) <= 1, missing


def test_the_conversation_is_in_a_known_format(conversation_file):
    assert detect(conversation_file) == "jsonl"


def test_the_conversation_is_ordered_and_spread(conversation_file):
    turns = list(read_turns(conversation_file))
    assert len({turn.id for turn in turns}) == len(turns) == 169
    assert len({turn.session for turn in turns}) == 14
    assert {turn.speaker for turn in turns} == {"Mira", "Jonas"}
    times = [turn.at for turn in turns]
    assert times == sorted(times)
    assert times[-1] - times[0] > timedelta(days=200)
    assert sum(bool(turn.images) for turn in turns) >= 8


def test_evidence_exists_and_holds_the_answer(conversation_file):
    turns = {turn.id: turn for turn in read_turns(conversation_file)}
    needles = {
        "s07-05": "640 euros",
        "s08-01": "Friday, the 14th of June",
        "s08-06": "Saturday, the 24th of August",
        "s01-10": "Piranesi",
        "s05-12": "The Summer Book",
        "s08-10": "Stoner",
        "s11-10": "The Remains of the Day",
        "s05-08": "ninety last Saturday",
        "s09-06": "grey heron",
    }
    evidence = [turn for question in questions() for turn in question.evidence]
    assert sorted(evidence) == sorted(needles)
    for identifier, needle in needles.items():
        assert needle in " ".join([turns[identifier].text, *turns[identifier].images])
    for question in questions():
        assert {*question.superseded} <= {*turns}
    # Nothing else in the conversation answers the question about the picture.
    assert [turn.id for turn in turns.values() if "heron" in json.dumps([turn.text, *turn.images])] == [
        "s09-06"
    ]
