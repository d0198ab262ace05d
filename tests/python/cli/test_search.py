"""`memspan search` and `memspan latest`."""

from __future__ import annotations

import io
import json
import re
from datetime import datetime, timezone

import pytest
from rich.console import Console

import memspan
from memspan.cli.recalls import print_recalls
from memspan.remember.searching.recall import Recall


@pytest.fixture
def search(run_json, filled):
    def ask(question, *arguments, user="demo", code=0):
        return run_json("search", question, "--store", filled, "--user", user, *arguments, code=code)

    return ask


def test_finds_the_turn_with_its_date_and_views(search):
    answer = search("emergency vet endoscope bill", "-k", 3)
    assert set(answer) == {"store", "user", "question", "hits"}
    hit = answer["hits"][0]
    fields = "rank id at until kind session speaker text tags metadata score views"
    assert set(hit) == {*fields.split()}
    assert (hit["rank"], hit["id"], hit["speaker"], hit["session"]) == (1, "s07-05", "Mira", "s07")
    assert hit["at"] == "2024-05-19T16:55:41+00:00"
    assert hit["views"]["lexical"]["rank"] == 1
    assert len(answer["hits"]) == 3


def test_scores_fall(search):
    scores = [hit["score"] for hit in search("ferry", "-k", 20)["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 20


VET = "emergency vet endoscope bill"


def test_table_shows_date_id_speaker_text_and_views(run, filled):
    output = run(
        "search", "emergency vet endoscope bill", "--store", filled, "--user", "demo", "-k", 2
    ).stdout
    for expected in ("2024-05-19 16:55", "s07-05", "Mira", "640 euros", "score", "semantic", "lexical", "#1"):
        assert expected in output


def test_a_second_look_without_its_model_names_the_command(run, run_json, filled, monkeypatch, tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path / "nowhere"))
    monkeypatch.setattr("memspan.embed.models._installed", lambda spec: None)
    arguments = ("search", VET, "--store", filled, "--user", "demo", "--rerank-ms")
    message = run(*arguments, 100, code=1).stderr
    assert "memspan models pull ms-marco-minilm-l-12-v2-int8" in " ".join(message.split())
    assert run_json(*arguments, 0)["hits"][0]["id"] == "s07-05"
    assert "--rerank-ms" in run(*arguments, -1, code=2).stderr


def test_a_second_look_reorders(run_json, filled, monkeypatch):
    class LikesTheFerry:
        name = "likes-the-ferry"

        def score(self, question, passages):
            return [90.0 if "ferry" in passage.splitlines()[-1].lower() else -90.0 for passage in passages]

    monkeypatch.setattr("memspan.remember.searching.reranking.resolve_reranker", lambda spec: LikesTheFerry())
    arguments = ("search", VET, "--store", filled, "--user", "demo", "-k", 3, "--rerank-ms", 60_000)
    hits = run_json(*arguments)["hits"]
    assert len(hits) == 3
    assert hits[0]["id"] != "s07-05"
    assert "ferry" in hits[0]["text"].lower()


def test_between_filters_and_leaves_ends_open(search):
    months = {
        hit["at"][:7] for hit in search("ferry", "-k", 50, "--between", "2024-06-01", "2024-07-01")["hits"]
    }
    assert months == {"2024-06"}
    assert (
        max(hit["at"] for hit in search("ferry", "-k", 200, "--between", "-", "2024-03-01")["hits"])
        < "2024-03"
    )
    assert (
        min(hit["at"] for hit in search("ferry", "-k", 200, "--between", "2024-09-01", "-")["hits"])
        > "2024-09"
    )


def test_several_intervals(search):
    arguments = ("--between", "2024-02-01", "2024-03-01", "--between", "2024-09-01", "2024-10-01")
    assert {hit["at"][:7] for hit in search("ferry", "-k", 200, *arguments)["hits"]} == {"2024-02", "2024-09"}


def test_kind_tag_and_where(run, run_json, store, write_lines):
    at = "2024-01-01"
    file = write_lines(
        {"user": "ana", "id": "a", "at": at, "text": "tea", "kind": "semantic", "metadata": {"city": "Oslo"}},
        {"user": "ana", "id": "b", "at": at, "text": "tea", "tags": ["drinks"]},
        {"user": "ana", "id": "c", "at": at, "text": "tea", "kind": "vault"},
    )
    run("ingest", file, "--store", store)

    def ids(*arguments):
        hits = run_json("search", "tea", "--store", store, "--user", "ana", *arguments)["hits"]
        return {hit["id"] for hit in hits}

    assert ids() == {"a", "b"}
    assert ids("--kind", "vault") == {"c"}
    assert ids("--kind", "semantic", "--kind", "vault") == {"a", "c"}
    assert ids("--tag", "drinks") == {"b"}
    assert ids("--where", '{"city": {"$in": ["Oslo", "Bergen"]}}') == {"a"}


def test_as_of_shows_only_what_was_known_then(search):
    assert search("ferry", "--as-of", "2001-01-01")["hits"] == []


def test_explain(search, run, filled):
    answer = search("ferry", "-k", 2, "--explain")
    assert answer["explanation"]["k"] == 2
    assert answer["explanation"]["plan"]["k"] == 10
    assert all(hit["explanation"] for hit in answer["hits"])
    told = run("search", "ferry", "--store", filled, "--user", "demo", "-k", 1, "--explain").stdout
    assert "selection" in told.partition("Why")[2]
    assert not re.search(r"\b(None|False|True)\b", told)


def test_a_plan_is_laid_out(run, filled):
    question = "How many times did Mira and Jonas take the ferry in May 2024?"
    output = run("search", question, "--store", filled, "--user", "demo", "-k", 3, "--explain").stdout
    lines = [
        line.strip().split(maxsplit=2) for line in output.partition("Why")[2].splitlines() if line.strip()
    ]
    plan = {line[1]: line[2] for line in lines if line[0] == "plan"}
    assert plan["kind"] == "list"
    assert plan["intervals"] == "2024-05-01T00:00:00+00:00 to 2024-06-01T00:00:00+00:00"
    assert set(plan["names"].split(", ")) == {"Mira", "Jonas"}
    assert plan["distinct"] == "no"
    assert plan["reasons"].startswith("- list: ")
    assert ["-", "depth", "30, sessions 8: every mention, from many sessions"] in lines
    assert ["all", "k", "3 (the plan wants 30)"] in lines
    assert not {"question", "weights", "smoothing", "spread", "k"} & set(plan), "nothing to say"
    assert not {*"{}[]"} & {*output.partition("Why")[2]}, "no signs of Python"


def test_as_many_as_the_plan_wants(search, run, filled):
    question = "How many times did they take the ferry?"
    answer = search(question, "-k", "auto", "--explain")
    assert len(answer["hits"]) == answer["explanation"]["k"] == answer["explanation"]["plan"]["k"] == 30
    assert len(search(question)["hits"]) == 10
    assert len(search(question, "-k", "auto", "--fusion", "rrf")["hits"]) == 10
    assert search(question, "-k", "auto", "--context")["tokens"] > 300
    message = run("search", "x", "--store", filled, "--user", "demo", "-k", "many", code=2).stderr
    assert "'many' is neither a number nor auto" in message


def test_now_says_what_last_month_is(search, run, filled):
    def plan(*arguments):
        return search("Who took the ferry last month?", "--explain", *arguments)["explanation"]["plan"]

    assert plan("--now", "2024-06-10")["intervals"] == [
        ["2024-05-01T00:00:00+00:00", "2024-06-01T00:00:00+00:00"]
    ]
    assert plan()["intervals"] != plan("--now", "2024-06-10")["intervals"]
    assert search("ferry last month", "--now", "2024-06-10", "--context")["sources"]
    arguments = ("search", "ferry", "--store", filled, "--user", "demo", "--now", "soon")
    assert "'--now': 'soon' is no time" in run(*arguments, code=2).stderr


def test_fusion_is_chosen(search, run, filled):
    ranked = search("ferry", "--fusion", "rrf", "--explain")
    assert "plan" not in ranked["explanation"]
    assert 0 < ranked["hits"][0]["score"] < 0.1, "two reciprocal ranks"
    assert search("ferry", "--fusion", "rrf", "--context")["sources"]
    arguments = ("search", "ferry", "--store", filled, "--user", "demo", "--fusion")
    assert "learned" in run(*arguments, "best", code=2).stderr
    assert "all" in run(*arguments, "rrf", "--explain").stdout


def test_confidence_is_told(search, run, filled):
    assert "confidence" not in search(VET)
    assert 0 < search(VET, "--confidence")["confidence"] < 1
    arguments = ("search", VET, "--store", filled, "--user", "demo", "--confidence")
    assert "confidence that there is an answer: 0." in run(*arguments).stdout
    assert "confidence" in run(*arguments, "--fusion", "rrf", code=2).stderr
    assert "--confidence" in run(*arguments, "--context", code=2).stderr


@pytest.mark.parametrize("question", ["", "  "])
def test_a_blank_question_is_a_wrong_argument(run, filled, question):
    for command in ("search", "ask"):
        stderr = run(command, question, "--store", filled, "--user", "demo", code=2).stderr
        assert "QUESTION" in stderr
        assert "not blank" in stderr


def test_an_unknown_user_has_an_empty_answer(search, run, filled):
    assert search("ferry", user="nobody")["hits"] == []
    result = run("search", "ferry", "--store", filled, "--user", "nobody")
    assert result.stdout == ""
    assert "nobody" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--between", "soon", "-"), 2, "'--between': 'soon' is no time"),
        (("--between", "2024-02-01", "2024-01-01"), 2, "'2024-02-01' is after '2024-01-01'"),
        (("--between", "2024-02-01", "2024-02-01T00:00Z"), 2, "a day ends with the next"),
        (("--where", "{"), 2, "not JSON"),
        (("--where", '{"city": {"$near": 1}}'), 2, "'--where': city.$near"),
        (("--as-of", "yesterday"), 2, "'--as-of': 'yesterday' is no time"),
        (("--valid-at", "10000-01-01"), 2, "'--valid-at': '10000-01-01' is no time"),
        (("--kind", "dream"), 2, "episodic"),
        (("-k", "0"), 2, "-k"),
        (("-k", "10001"), 2, "-k"),
    ],
)
def test_bad_options_are_named(run, filled, arguments, code, message):
    stderr = run("search", "ferry", "--store", filled, "--user", "demo", *arguments, code=code).stderr
    assert message in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    "arguments", [("audit", "--since", "x"), ("compress", "--before", "x"), ("retire", "s01-08", "--at", "x")]
)
def test_a_bad_time_is_named_by_its_option(run, filled, arguments):
    stderr = run(*arguments, "--store", filled, "--user", "demo", code=2).stderr
    assert f"'{arguments[-2]}': 'x' is no time" in stderr


def test_a_user_is_required(run, filled, monkeypatch):
    assert "--user" in run("search", "ferry", "--store", filled, code=2).stderr
    monkeypatch.setenv("MEMSPAN_USER", "demo")
    monkeypatch.setenv("MEMSPAN_STORE", str(filled))
    assert "s01-08" in run("search", "ferry").stdout


def test_a_missing_store_is_not_created(run, tmp_path):
    stderr = run("search", "ferry", "--store", tmp_path / "typo.memspan", "--user", "demo", code=2).stderr
    assert "memspan ingest" in stderr
    assert list(tmp_path.iterdir()) == []


def test_stored_text_cannot_drive_the_terminal(run, store, write_lines):
    file = write_lines(
        {"user": "ana", "id": "x", "at": "2024-01-01", "text": "tea \x1b[31m[bold]red[/bold] \u202eabc"}
    )
    run("ingest", file, "--store", store)
    output = run("latest", "--store", store, "--user", "ana").stdout
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "[bold]red[/bold]" in output


def test_image_captions_are_found_and_shown(run, filled):
    output = run("search", "heron painted on the bow", "--store", filled, "--user", "demo", "-k", 1).stdout
    assert "s09-06" in output
    assert "grey heron" in " ".join(output.split())


def test_latest_is_newest_first(run_json, filled):
    records = run_json("latest", "--store", filled, "--user", "demo", "-k", 5)["records"]
    assert [record["id"] for record in records] == ["s14-14", "s14-13", "s14-12", "s14-11", "s14-10"]
    assert "score" not in records[0]


def test_latest_between(run_json, filled):
    found = run_json("latest", "--store", filled, "--user", "demo", "--between", "2024-02-01", "2024-02-05")[
        "records"
    ]
    assert {record["session"] for record in found} == {"s01"}


def test_latest_of_nobody_is_empty(run_json, filled):
    assert run_json("latest", "--store", filled, "--user", "nobody")["records"] == []


def test_the_same_question_gives_the_same_bytes_in_another_process(run, spawn, filled):
    arguments = ("search", "What did they eat?", "--store", filled, "--user", "demo", "--json")
    assert json.loads(run(*arguments).stdout) == json.loads(spawn(*arguments).stdout)


def test_no_columns_at_all_hide_nothing(run, filled, monkeypatch):
    asked = ("search", "ferry", "--store", filled, "--user", "demo")
    expected = run(*asked).stdout
    monkeypatch.setenv("COLUMNS", "0")
    assert run(*asked).stdout == expected


def test_a_narrow_terminal_shows_the_same_values(run, filled, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    output = run(
        "search", "emergency vet endoscope bill", "--store", filled, "--user", "demo", "-k", 1
    ).stdout
    for expected in ("2024-05-19 16:55", "s07-05", "Mira", "640 euros", "semantic #", "lexical #1"):
        assert expected in output
    assert max(map(len, output.splitlines())) <= 80


def test_a_terminal_of_forty_columns_cuts_no_word_and_no_time(run, filled, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    asked = ("search", "emergency vet endoscope bill", "--store", filled, "--user", "demo", "-k", 1)
    output = run(*asked).stdout
    for expected in ("2024-05-19 16:55", "s07-05", "Mira", "endoscope", "guilty", "semantic #", "lexical #1"):
        assert expected in output
    output = run("history", "s07-05", "--store", filled, "--user", "demo").stdout
    for expected in ("2024-05-19", "16:55:41", "guilty"):
        assert expected in output
    output = run("models", "list").stdout.partition(": default")[0]
    assert {"name", "licence", "here"} <= {*output.split()}
    assert "…" not in output
    assert max(map(len, output.splitlines()[:-1])) <= 40


def test_a_context_is_the_text_alone(run, filled):
    result = run("search", VET, "--store", filled, "--user", "demo", "--context", "--tokens", 200)
    lines = result.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("<memories>", "</memories>")
    assert "Sun 19 May 2024" in lines
    assert any(line.startswith("[s07-05] Mira: ") for line in lines)
    assert "tokens from" in result.stderr


def test_a_context_as_json(search):
    answer = search(VET, "--context", "--tokens", 200, "-k", 3)
    assert set(answer) == {"store", "user", "question", "text", "tokens", "sources"}
    assert answer["tokens"] <= 200
    assert len(answer["sources"]) <= 3
    best = next(source for source in answer["sources"] if source["rank"] == 1)
    assert best == {
        "id": "s07-05",
        "at": "2024-05-19T16:55:41+00:00",
        "speaker": "Mira",
        "session": "s07",
        "label": "s07-05",
        "why": "hit",
        "rank": 1,
        "score": best["score"],
        "share": 1.0,
    }
    assert len(search(VET, "--context", "--tokens", 2000)["sources"]) > 10  # the table's -k is not meant


def test_an_empty_context(run, search, filled):
    result = run("search", "ferry", "--store", filled, "--user", "nobody", "--context")
    assert result.stdout == ""
    assert "nobody" in result.stderr
    assert search("ferry", "--context", "--tokens", 2)["sources"] == []


def test_a_context_is_not_explained(run, filled):
    stderr = run("search", "x", "--store", filled, "--user", "demo", "--context", "--explain", code=2).stderr
    assert "--explain" in stderr
    run("search", "x", "--store", filled, "--user", "demo", "--context", "--tokens", 0, code=2)


@pytest.mark.parametrize("as_context", [(), ("--context",)])
def test_a_search_that_is_not_tracked(run, run_json, filled, as_context):
    def uses():
        with memspan.Memory(filled, "hash") as memory, memory._engine.store.reading() as reader:
            return [use.searches for use in reader.uses.of("demo")]

    command = ("search", "cats", "--store", filled, "--user", "demo", *as_context)
    run(*command, "--no-track")
    assert uses() == []
    run(*command)
    assert uses()


def test_staleness_tells_what_it_moved(filled, run, run_json):
    asked = ("search", "the dog at the vet", "--store", filled, "--user", "demo", "--staleness", "decay")
    document = run_json(*asked)
    plain = run_json(*asked[:-2])
    assert "moved" not in plain
    assert sorted(hit["id"] for hit in document["hits"]) == sorted(hit["id"] for hit in plain["hits"])
    assert all(one["before"] != one["after"] for one in document["moved"])
    assert document["moved"]
    assert "moved by staleness (decay)" in run(*asked).output


def test_staleness_is_for_tables_not_for_contexts(filled, run):
    run("search", "x", "--store", filled, "--user", "demo", "--staleness", "decay", "--context", code=2)


def test_routed_tags_lift_records(run, run_json, filled):
    run("tags", "--store", filled, "--user", "demo", "--make")
    plain = run_json("search", VET, "--store", filled, "--user", "demo", "--explain")
    routed = run_json("search", VET, "--store", filled, "--user", "demo", "--route", 5, "--explain")
    assert "symbolic" in {view for hit in routed["hits"] for view in hit["views"]}
    assert "symbolic" not in {view for hit in plain["hits"] for view in hit["views"]}
    assert run("search", VET, "--store", filled, "--user", "demo", "--route", -1, code=2)
    context = run_json("search", VET, "--store", filled, "--user", "demo", "--route", 5, "--context")
    assert context["sources"]


@pytest.mark.parametrize(
    "command",
    [
        "search ferry",
        "search ferry --context",
        "latest",
        "evicted",
        "tags",
        "procedures",
        "jobs",
        "process",
        "runs",
        "runs --log",
        "consolidate",
        "consolidate --dry-run",
        "quotas",
        "resources list",
        "resources check",
        "compress --dry-run",
        "stats",
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_mistyped_user_does_not_look_like_one_without_memories(run, filled, command, form):
    asked = (*command.split(), "--store", filled, *form)
    assert "knows no user 'dmeo'" in run(*asked, "--user", "dmeo").stderr
    assert "knows no user" not in run(*asked, "--user", "demo").stderr


@pytest.mark.parametrize("width", [70, 120])
def test_a_long_text_does_not_fill_the_terminal(width):
    """A file and a pipe get all of it."""
    said = "word " * 10_000
    record = memspan.Record(user="ana", id="m1", text=said, at=datetime(2024, 1, 1, tzinfo=timezone.utc))
    recall = Recall(id="m1", text=said, at=record.at, score=1.0, record=record, views={}, explanation=None)
    shown = {}
    for terminal in (True, False):
        out = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)
        print_recalls(out, [recall], scores=True)
        shown[terminal] = out.file.getvalue()
    assert shown[True].count("word") == 400
    assert "(50,000 characters; --json has them all)" in " ".join(shown[True].split())
    assert shown[False].count("word") == 10_000
