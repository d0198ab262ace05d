"""`memspan fit`: weights from labelled questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memspan.fitting.examples import Example, collect
from memspan.ranking import Ranker, default_ranker

pytest.importorskip("scipy")

TOPICS = ("kite", "boat", "lamp", "river", "stone", "violin")


@pytest.fixture
def store(run: Callable[..., Any], tmp_path: Path) -> Path:
    """Two users, of whom each asks about every topic, and answers in the turn behind."""
    path = tmp_path / "own.memspan"
    asked = []
    for user in ("ana", "bo"):
        lines = []
        for number, topic in enumerate(TOPICS):
            for place, text in enumerate(
                (f"Where is the {topic}?", f"Behind wall {number}.", f"A {topic}!", "Fine.")
            ):
                record = {"user": user, "id": f"{user}-{topic}-{place}", "text": text, "session": topic}
                lines.append(json.dumps(record | {"at": f"2024-05-0{number + 1}"}))
            asked.append(
                {"user": user, "question": f"where was the {topic}", "evidence": [f"{user}-{topic}-1"]}
            )
        (tmp_path / "turns.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        run("ingest", tmp_path / "turns.jsonl", "--store", path, "--user", user)
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)) + "\n", encoding="utf-8")
    return path


def test_weights_of_ones_own_questions_find_more(
    run: Callable[..., Any], run_json: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    out = tmp_path / "weights.json"
    arguments = (
        "fit",
        "--store",
        store,
        "--questions",
        tmp_path / "asked.jsonl",
        "--out",
        out,
        "--penalty",
        0.1,
    )
    found = run_json(*arguments)
    ranker = Ranker.load(out)
    package = default_ranker()
    assert found["trained_on"] == [*package.trained_on, "own: asked.jsonl"] == list(ranker.trained_on)
    for name, row in found["weights"].items():
        assert ranker.weights.get(name, {}) == pytest.approx(row, abs=1e-4)
    assert set(found["quality"]) == {"package", "rrf", "left_out"}
    for each in found["quality"].values():
        assert each["own"]["questions"] == 2 * len(TOPICS)
    # Answers are found by weights that only saw other sessions'.
    assert found["left_out_by"] == "session"
    assert found["quality"]["left_out"]["own"]["recall"]["1"] > 0.8
    assert found["penalty"] == 0.1
    output = run(*arguments).output
    for part in ("R@10", out.name, "the package's weights", "rrf", "left out by session", "verdict: too few"):
        assert part in output
    assert "compared are whole searches" in output


def test_questions_enough_get_a_verdict(
    run: Callable[..., Any], run_json: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    """The package's weights find the question rather than its answer; these few learn better."""
    asked = (tmp_path / "asked.jsonl").read_text(encoding="utf-8").replace("where was", "where is")
    both = tmp_path / "both.jsonl"
    both.write_text((tmp_path / "asked.jsonl").read_text(encoding="utf-8") + asked, encoding="utf-8")
    arguments = ("fit", "--store", store, "--questions", both)
    found = run_json(*arguments)
    for name in ("package", "rrf"):
        told = found["differences"][name]
        assert told["questions"] == 24
        own, other = found["quality"]["left_out"]["own"], found["quality"][name]["own"]
        assert told["figures"]["MRR"]["mean"] == pytest.approx(own["mrr"] - other["mrr"])
        assert told["figures"]["R@1"]["mean"] == pytest.approx(own["recall"]["1"] - other["recall"]["1"])
    assert found["verdict"] == found["differences"]["package"]["finding"] == "better"
    assert "verdict: better than the package's weights" in run(*arguments).output


def test_what_teaches_nothing_is_listed(
    run: Callable[..., Any], run_json: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    mixed = tmp_path / "mixed.jsonl"
    bad = [
        {"user": "eve", "question": "where was the kite", "evidence": ["ana-kite-1"]},
        {"user": "ana", "question": "where was the old kite", "evidence": ["ana-kite-99"]},
    ]
    good = (tmp_path / "asked.jsonl").read_text(encoding="utf-8")
    mixed.write_text("\n".join(map(json.dumps, bad)) + "\n" + good, encoding="utf-8")
    arguments = ("fit", "--store", store, "--questions", mixed, "--no-cross-validate")
    questions = run_json(*arguments)["questions"]
    assert (questions["read"], questions["judged"]) == (2 + 2 * len(TOPICS), 2 * len(TOPICS))
    assert [each["field"] for each in questions["flaws"]] == ["user", "evidence"]
    output = run(*arguments).output
    assert "2 of 14 questions cannot be learned from" in output
    assert "line 1: user: got 'eve'; accepted: one of the store's 2 users, such as 'ana', 'bo'" in output
    assert "line 2: evidence: got 'ana-kite-99'; accepted: ids of records of user 'ana'" in output
    mixed.write_text("\n".join(map(json.dumps, bad)) + "\n", encoding="utf-8")
    output = run(*arguments, code=3).output
    for part in ("nothing to learn from in its 2 questions", "line 1: user: got 'eve'", "line 2: evidence"):
        assert part in output


def test_what_was_learned_is_told_where_it_cannot_be_written(
    run: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    arguments = ("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--no-cross-validate")
    done = run(*arguments, "--out", tmp_path / "nowhere" / "weights.json", code=2)
    assert f"--out: there is no folder '{tmp_path / 'nowhere'}'" in done.output.replace("'--out'", "--out")
    assert "verdict" not in done.output
    folder = tmp_path / "gone"
    folder.mkdir()
    full = folder / "weights.json"
    full.symlink_to("/dev/full")
    for more, told in ((), "verdict"), (("--json",), '"weights"'):
        assert told in run(*arguments, *more, "--out", full, code=1).output


def test_without_cross_validation(run_json: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    found = run_json("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--no-cross-validate")
    assert set(found["quality"]) == {"package", "rrf"}
    assert found["verdict"] is None


def test_the_net_of_the_package_stays_if_wanted(
    run_json: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    out = tmp_path / "weights.json"
    arguments = ("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--out", out)
    plain = (*arguments, "--penalty", 100, "--no-cross-validate")
    assert run_json(*plain)["net"] is True
    net, packaged = Ranker.load(out).net, default_ranker().net
    assert net is not None
    assert packaged is not None
    assert net.to_dict() == packaged.to_dict()
    assert run_json(*plain, "--no-net")["net"] is False
    assert Ranker.load(out).net is None


def test_nothing_to_learn_from_is_an_error(run: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    assert "--data" in run("fit", code=2).output
    assert "--questions" in run("fit", "--store", store, code=2).output
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    done = run("fit", "--store", store, "--questions", empty, code=3)
    assert "nothing to learn from in its 0 questions" in done.output
    empty.write_text("{]\n", encoding="utf-8")
    done = run("fit", "--store", store, "--questions", empty, code=3)
    assert "line 1" in done.output
    out = tmp_path / "w.json"
    run("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--penalty", 0, code=2)
    assert not out.exists()


@pytest.fixture
def from_talks(tmp_path: Path) -> tuple[Any, ...]:
    """The command that learns from two conversations in LoCoMo's layout."""
    conversations = [
        {
            "sample_id": name,
            "conversation": {
                "session_1_date_time": "9:00 am on 4 April, 2022",
                "session_1": [
                    {"dia_id": f"D1:{place}", "speaker": "Ilka", "text": f"The {topic} of {name}."}
                    for place, topic in enumerate(TOPICS, 1)
                ],
            },
            "qa": [
                {"question": f"Where is the {topic}?", "evidence": [f"D1:{place}"], "category": 4}
                for place, topic in enumerate(TOPICS, 1)
            ],
        }
        for name in ("orchard", "garden")
    ]
    file = tmp_path / "talks.json"
    file.write_text(json.dumps(conversations), encoding="utf-8")
    return ("fit", "--data", "locomo", file, "--embedder", "hash", "--store-dir", tmp_path / "kept")


def test_tables_say_that_tuned_questions_saw_the_data_set(
    run: Callable[..., Any], from_talks: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (*from_talks, "--no-adapter")
    told = "questions were tuned with"
    assert told not in run(*arguments).output
    assert json.loads(run(*arguments, "--json").stdout)["questions_tuned_on"] == []
    monkeypatch.setattr("memspan.cli.commands.fit.has_tuned_questions", lambda *_: True)
    assert told in " ".join(run(*arguments).output.split())
    assert json.loads(run(*arguments, "--json").stdout)["questions_tuned_on"] == ["locomo"]


@pytest.mark.parametrize("adapter", ["--adapter", "--no-adapter"])
def test_nothing_is_left_out_where_nothing_to_learn_from_would_remain(
    run_json: Callable[..., Any], from_talks: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch, adapter: str
) -> None:
    def without_garden(*arguments: Any, **options: Any) -> list[Example]:
        """As in long conversations, the evidence is no candidate."""
        return [
            replace(each, relevant=each.relevant & (each.conversation != "garden"))
            for each in collect(*arguments, **options)
        ]

    monkeypatch.setattr("memspan.cli.commands.fit.collect", without_garden)
    quality = run_json(*from_talks, adapter)["quality"]
    assert list(quality) == ["package"]
    assert quality["package"]["locomo"]["questions"] == 2 * len(TOPICS)


def test_a_data_set_without_evidence_is_named(run: Callable[..., Any], tmp_path: Path) -> None:
    talk = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "I moved to Bergen."}],
    }
    asked = {"question": "Where to?", "adversarial_answer": "Oslo", "evidence": ["D1:1"], "category": 5}
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([{"sample_id": "c1", "conversation": talk, "qa": [asked]}]))
    refused = run("fit", "--data", "locomo", file, "--store-dir", tmp_path / "eval", code=3).stderr
    assert f"{file}: no question to learn from" in refused
