"""`memspan fit`: weights from labelled questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan.ranking import Ranker

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
    assert found["trained_on"] == ["own: asked.jsonl"] == list(ranker.trained_on)
    for name, row in found["weights"].items():
        assert ranker.weights.get(name, {}) == pytest.approx(row, abs=1e-4)
    assert found["quality"]["package"]["own"]["questions"] == 2 * len(TOPICS)
    # Each user's answers are found by weights that only saw the other's.
    assert found["quality"]["conversation"]["own"]["recall"]["1"] > 0.8
    assert "data_set" not in found["quality"]
    output = run(*arguments).output
    assert "R@10" in output
    assert str(out.name) in output


def test_without_cross_validation(run_json: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    found = run_json("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--no-cross-validate")
    assert set(found["quality"]) == {"package"}


def test_a_net_is_learned_from_questions_enough(
    run_json: Callable[..., Any], store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "weights.json"
    arguments = ("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--out", out)
    assert run_json(*arguments)["net"] is False  # 12 are too few
    monkeypatch.setattr("memspan.fitting.net.FEWEST", 10)
    assert run_json(*arguments)["net"] is True
    assert Ranker.load(out).net is not None
    assert run_json(*arguments, "--no-net")["net"] is False
    assert Ranker.load(out).net is None


def test_nothing_to_learn_from_is_an_error(run: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    assert "--data" in run("fit", code=2).output
    assert "--questions" in run("fit", "--store", store, code=2).output
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    done = run("fit", "--store", store, "--questions", empty, code=3)
    assert "examples" in done.output
    empty.write_text("{]\n", encoding="utf-8")
    done = run("fit", "--store", store, "--questions", empty, code=3)
    assert "line 1" in done.output
    out = tmp_path / "w.json"
    run("fit", "--store", store, "--questions", tmp_path / "asked.jsonl", "--penalty", 0, code=2)
    assert not out.exists()
