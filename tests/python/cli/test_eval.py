"""`memspan eval`."""

from __future__ import annotations

import importlib.util
import json
import os

import pytest

from memspan.errors import missing_extra

SAMPLE = {
    "sample_id": "orchard",
    "conversation": {
        "session_1_date_time": "9:00 am on 4 April, 2022",
        "session_1": [
            {"dia_id": "D1:1", "speaker": "Ilka", "text": "I planted a quince by the well."},
            {"dia_id": "D1:2", "speaker": "Tomasz", "text": "My bees moved into the blue hive."},
        ],
        "session_2_date_time": "6:30 pm on 9 June, 2022",
        "session_2": [{"dia_id": "D2:1", "speaker": "Tomasz", "text": "We pressed\x1b[31m cider."}],
    },
    "qa": [
        {"question": "Who planted the quince?", "evidence": ["D1:1"], "category": 4},
        {"question": "When did they press cider?", "evidence": ["D2:1", "D7:7"], "category": 2},
        {"question": "Who sold the blue hive?", "evidence": ["D1:2"], "category": 5},
        {"question": "Does Ilka like jam?", "evidence": [], "category": 3},
    ],
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "garden.json"
    path.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return path


@pytest.fixture
def evaluate(run, tmp_path):
    """Run `memspan eval` with stores of its own."""
    return lambda *arguments, **options: run("eval", *arguments, "--store-dir", tmp_path / "eval", **options)


@pytest.fixture
def evaluate_json(evaluate):
    return lambda *arguments, **options: json.loads(evaluate(*arguments, "--json", **options).stdout)


def row(output, name):
    """The values of a row of the first table that starts with `name`."""
    line = next(line for line in output.splitlines() if line.startswith(name))
    return line.split()


@pytest.mark.parametrize("columns", [80, 40])
def test_a_narrow_terminal_shows_whole_names_and_figures(evaluate, file, monkeypatch, columns):
    wide = evaluate("locomo", file, "--tokens", 0).stdout.partition("questions scored")[0]
    monkeypatch.setenv("COLUMNS", str(columns))
    narrow = evaluate("locomo", file, "--tokens", 0).stdout.partition("questions scored")[0]
    assert "…" not in narrow
    for name in ("questions", "all", "single-hop", "adversarial"):
        parts = [line.split() for line in narrow.splitlines() if line.startswith(name)]
        count = 3 if name == "adversarial" else 2
        assert len(parts) > 1
        assert parts[0][:count] + [figure for part in parts for figure in part[count:]] == row(wide, name)


def test_shows_every_category_with_its_count(evaluate, file):
    output = evaluate("locomo", file, "--k", 1, "--k", 3).stdout
    assert "locomo: conversations 1, turns 3, questions 4; k=3; embedder hash" in output
    header = row(output, "questions")
    assert header == ["questions", "n", "R@1", "R@3", "all@3", "hit@3", "nDCG@3", "MRR"]
    assert row(output, "all")[1] == "2"
    assert row(output, "single-hop")[1:4] == ["1", "100.0", "100.0"]
    assert row(output, "temporal")[1] == "1"
    assert row(output, "adversarial")[1:4] == ["1", "asked", "-"]
    assert row(output, "open-domain")[1:3] == ["1", "asked"]
    flat = " ".join(output.split())
    assert "2 of 4 questions scored; 1 have no answer in the conversation, 1 have no evidence" in flat
    assert "1 label names nothing in the conversations: D7:7" in flat
    assert "session-level, only to compare" in flat
    for stage in ("planning", "embedding", "search", "fetch", "total"):
        assert len(row(output, stage)) == 4


def test_a_second_look_is_timed_apart(evaluate_json, file, monkeypatch):
    class Dislikes:
        name = "dislikes-quinces"

        def score(self, question, passages):
            return [-30.0 if "quince" in passage else 30.0 for passage in passages]

    plain = evaluate_json("locomo", file, "--k", 1)
    assert plain["latency_ms"]["reranking"]["p50"] == 0
    monkeypatch.setattr("memspan.remember.searching.reranking.resolve_reranker", lambda spec: Dislikes())
    seen = evaluate_json("locomo", file, "--k", 1, "--rerank-ms", 60_000, "--questions")
    assert seen["options"]["rerank_ms"] == 60_000
    assert seen["latency_ms"]["reranking"]["p50"] > 0
    assert all(question["retrieved"] != ["D1:1"] for question in seen["questions"])


def test_without_categories(evaluate, evaluate_json, file):
    output = evaluate("locomo", file, "--no-by-category").stdout
    assert "temporal" not in output
    assert len(evaluate_json("locomo", file, "--no-by-category")["groups"]) == 1


def test_json(evaluate_json, file):
    document = evaluate_json("locomo", file)
    assert document["k"] == [1, 5, 10, 20, 50]
    assert document["data_set"] == "locomo"
    names = [group["name"] for group in document["groups"]]
    assert names == ["all", "temporal", "open-domain", "single-hop", "adversarial"]
    assert document["groups"][0]["scores"]["recall@5"]["mean"] == 1
    assert document["missing_labels"] == {"orchard/1": ["D7:7"]}
    assert "questions" not in document
    assert [each["id"] for each in evaluate_json("locomo", file, "--questions")["questions"]] == [
        f"orchard/{number}" for number in range(4)
    ]


def test_is_the_same_every_time(evaluate_json, file):
    documents = [evaluate_json("locomo", file, "--questions") for _ in range(2)]
    for document in documents:
        del document["latency_ms"]
    assert documents[0] == documents[1]


def test_worst_shows_evidence_and_what_came_instead(evaluate, evaluate_json, file):
    output = evaluate("locomo", file, "--worst", 1, "--k", 1, "--view", "lexical").stdout
    assert "[single-hop] Who planted the quince?" in output or "[temporal] When did" in output
    assert "evidence" in output
    assert "\x1b[31m" not in output
    (worst,) = evaluate_json("locomo", file, "--worst", 1)["worst"]
    assert worst["evidence"][0]["rank"] in (1, 2, 3)
    assert len(worst["found"]) == 3


@pytest.mark.parametrize("columns", ["40", "60", "80"])
def test_a_narrow_terminal_leaves_the_text_of_the_worst_some_room(evaluate, file, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    worst = evaluate("locomo", file, "--worst", 1, "--tokens", 0).stdout.partition("orchard/")[2]
    assert {"evidence", "found", "2022-04-04", "D1:1", "Ilka"} <= {*worst.split()}
    assert "I planted a" in worst
    assert max(map(len, worst.splitlines()[1:])) <= int(columns)


def test_options_of_the_search(evaluate, file):
    output = evaluate("locomo", file, "--view", "lexical", "--neighbors", 1).stdout
    assert "views=['lexical'], neighbors=1" in output


def test_one_conversation_and_a_limit(evaluate_json, file):
    document = evaluate_json("locomo", file, "--user", "orchard", "--limit", 2)
    assert document["groups"][0]["questions"] == 2
    assert document["files"][0]["users"] == 1


def test_longmemevals_own_metrics(evaluate, evaluate_json, tmp_path):
    item = {
        "question_id": "q-1",
        "question_type": "single-session-user",
        "question": "Where is the ladder?",
        "answer_session_ids": ["answer_1"],
        "haystack_session_ids": ["answer_1"],
        "haystack_dates": ["2023/05/21 (Sun) 00:00"],
        "haystack_sessions": [[{"role": "user", "content": "My ladder is in the shed.", "has_answer": True}]],
    }
    path = tmp_path / "items.json"
    path.write_text(json.dumps([item]))
    assert "LongMemEval's own metrics" in evaluate("longmemeval", path, "--k", 1).stdout
    turn, session = evaluate_json("longmemeval", path, "--k", 1)["longmemeval"]
    assert turn["scripts"] == {"questions": 1, "recall_any": 1, "recall_all": 1, "ndcg_any": 1}
    assert session["corrected"]["recall_all"] == 1


def test_broken_files_name_their_place_and_end_with_3(evaluate, file, tmp_path):
    broken = json.loads(file.read_text())
    broken[0]["qa"][1]["category"] = "two"
    file.write_text(json.dumps(broken))
    error = evaluate("locomo", file, code=3).stderr
    assert f"{file}:1: [0].qa[1].category: got 'two'; accepted: one of 1 (multi-hop)" in error
    assert len(error.splitlines()) == 1
    foreign = evaluate("realtalk", file, code=3).stderr
    assert str(file) in foreign
    (tmp_path / "cut.json").write_text('[{"qa": [')
    assert "not JSON" in evaluate("locomo", tmp_path / "cut.json", code=3).stderr
    assert not (tmp_path / "eval").exists()


def test_a_chat_without_its_questions_says_where_they_should_be(evaluate, tmp_path):
    chat = tmp_path / "100K" / "3" / "chat.json"
    chat.parent.mkdir(parents=True)
    turns = [[{"role": "user", "id": 0, "content": "Hello"}]]
    chat.write_text(json.dumps([{"batch_number": 1, "time_anchor": None, "turns": turns}]))
    assert "probing_questions.json' beside it" in evaluate("beam", chat, code=3).stderr


def test_wrong_use_ends_with_2(evaluate, file):
    assert "'jsonl' is not one of 'locomo'" in evaluate("jsonl", file, code=2).stderr
    evaluate("locomo", code=2)
    evaluate("locomo", "absent.json", code=2)
    evaluate("locomo", file, "--k", 0, code=2)
    assert "--questions needs --json" in evaluate("locomo", file, "--questions", code=2).stderr


def test_a_file_counts_once(evaluate, file, tmp_path):
    (tmp_path / "link.json").symlink_to(file)
    for same in (file, tmp_path / "link.json"):
        assert "each file once" in evaluate("locomo", file, same, code=2).stderr


def test_values_that_do_not_fit_end_with_2(evaluate, file):
    assert "users of the files: orchard" in evaluate("locomo", file, "--user", "ana", code=2).stderr
    assert "embedder" in evaluate("locomo", file, "--embedder", "no-such", code=2).stderr


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("nowhere/chart.png", "in a directory that exists"),
        ("chart.svg", "ends in .png"),
        ("chart", "ends in .png"),
    ],
)
def test_a_chart_that_cannot_be_written_ends_before_the_work(evaluate, file, tmp_path, path, accepted):
    error = evaluate("locomo", file, "--plot", tmp_path / path, code=2).stderr
    assert "--plot" in error
    assert accepted in " ".join(error.replace("│", " ").split())
    assert not (tmp_path / "eval").exists()


def test_a_chart_in_a_directory_that_is_read_only_ends_before_the_work(evaluate, file, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    assert "can be written" in evaluate("locomo", file, "--plot", tmp_path / "c.png", code=2).stderr
    assert not (tmp_path / "eval").exists()


def test_a_chart_without_matplotlib_ends_before_the_work(evaluate, file, tmp_path, monkeypatch):
    def missing():
        raise missing_extra("matplotlib", "a chart", "bench")

    monkeypatch.setattr("memspan.cli.commands.eval.require_matplotlib", missing)
    error = evaluate("locomo", file, "--plot", "chart.png", code=1).stderr
    assert 'pip install "memspan[bench]"' in error
    assert not (tmp_path / "eval").exists()


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_chart(evaluate, file, tmp_path):
    result = evaluate("locomo", file, "--plot", tmp_path / "chart.png")
    assert "chart written to" in result.stderr
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_evidence_inside_a_context(evaluate, evaluate_json, file):
    output = evaluate("locomo", file).stdout
    assert "evidence inside a context of at most 600 tokens a question" in output
    inside = output.split("evidence inside")[1]
    assert row(inside, "questions") == ["questions", "n", "tokens", "recall", "all", "named"]
    assert row(inside, "all")[3:] == ["100.0", "100.0", "100.0"]
    assert row(inside, "adversarial")[1:] == ["0", "-", "-", "-", "-"]
    assert len(row(output, "context")) == 4
    document = evaluate_json("locomo", file, "--tokens", 12)
    assert document["context_tokens"] == 12
    assert document["groups"][0]["context"]["tokens"]["mean"] <= 12
    without = evaluate("locomo", file, "--tokens", 0).stdout
    assert "evidence inside" not in without
    assert evaluate_json("locomo", file, "--tokens", 0)["groups"][0]["context"] == {}
    evaluate("locomo", file, "--tokens", -1, code=2)


def test_without_a_home_directory_the_option_for_the_stores_is_named(run, file, homeless):
    message = run("eval", "locomo", file, "--embedder", "hash", code=2).stderr
    assert "Invalid value for '--store-dir': got None; accepted: a folder, where no home" in message
