"""Averages over answers against cases worked out by hand, the papers' figures, and replies kept on disk."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from memspan.evaluate.reading.asking import AnsweredBy
from memspan.evaluate.reading.grading import grade, macro_of, refused, scores_of
from memspan.evaluate.reading.kept import Kept, key_of
from memspan.evaluate.reading.published import Published, difference, published
from memspan.evaluate.reading.report import AnswerReport
from memspan.formats.questions import LabelledQuestion
from memspan.llm import Prompt, Usage


def answer(
    text: str, gold: str | None = "blue boat", category: str = "single-hop", **more: Any
) -> AnsweredBy:
    question = LabelledQuestion(
        user="u",
        id=more.pop("id", "u/0"),
        text="Which?",
        category=category,
        position="-",
        answerable=category != "adversarial",
        answer=gold,
    )
    values: dict[str, Any] = {
        "enough": True,
        "failure": None,
        "correct": None,
        "judge_failure": None,
        "context_tokens": 100,
        "records": 3,
        "retrieval_seconds": 0.5,
        "usage": Usage(prompt_tokens=10, completion_tokens=2, calls=1, seconds=2.0),
        "judge_usage": Usage(),
    }
    return AnsweredBy(question=question, text=text, **{**values, **more})


def test_measures_of_one_answer_worked_out_by_hand() -> None:
    # "the boats": LoCoMo's stems {boat} against {blue, boat}: precision 1, recall 1/2; sets {the, boats}: nothing.
    assert scores_of(answer("the boats"), "locomo") == {"f1": 2 / 3, "set_f1": 0, "bleu_1": 0, "exact": 0}
    assert scores_of(answer("Blue boat"), "locomo") == {"f1": 1, "set_f1": 1, "bleu_1": 1, "exact": 1}
    # Multi-hop: the gold parts "a" and "b", of which the answer has one.
    parts = answer("oars", gold="oars, sails", category="multi-hop")
    assert scores_of(parts, "locomo")["f1"] == 0.5
    # Another data set knows no rules by category: one of two stems.
    assert scores_of(parts, "realtalk")["f1"] == pytest.approx(2 / 3)


def test_an_answer_that_was_refused_gets_nothing_and_a_failure_is_no_answer() -> None:
    assert set(scores_of(answer("blue boat", enough=False), "locomo").values()) == {0.0}
    assert scores_of(answer("", failure="LLMError: gone"), "locomo") == {}
    assert scores_of(answer("x", gold=None), "locomo") == {}
    assert scores_of(answer("x", category="adversarial"), "locomo") == {}


def test_refusals_by_field_or_in_locomos_words() -> None:
    assert refused(answer("", enough=False))
    assert refused(answer("It is Not Mentioned anywhere."))
    assert not refused(answer("blue boat"))


def test_micro_counts_questions_and_macro_counts_categories() -> None:
    answers = [
        *(answer("blue boat", correct=True) for _ in range(3)),
        answer("red", category="temporal", correct=False),
        answer("red", category="temporal", judge_failure="LLMError: gone"),
        answer("", category="temporal", failure="LLMError: gone"),
        answer("x", gold=None),
        answer("not mentioned", category="adversarial"),
        answer("red", category="adversarial"),
    ]
    overall = grade("all", answers, "locomo")
    assert (overall.questions, overall.failed, overall.unanswerable, overall.without_gold) == (9, 1, 2, 1)
    assert (overall.scored, overall.judged, overall.judge_failed) == (5, 4, 1)
    assert overall.scores["f1"].mean == pytest.approx(3 / 5)
    assert overall.scores["judge"].mean == pytest.approx(3 / 4)
    assert overall.refused is not None
    assert overall.refused.mean == 0.5
    groups = [
        grade(name, [each for each in answers if each.question.category == name], "locomo")
        for name in ("single-hop", "temporal", "adversarial")
    ]
    assert macro_of(groups)["f1"] == (0.5, 2)
    assert macro_of(groups)["judge"] == (0.5, 2)
    assert groups[2].scores == {}


def test_no_answers_at_all() -> None:
    empty = grade("all", [], "locomo")
    assert (empty.questions, empty.scored, empty.refused, dict(empty.scores)) == (0, 0, None, {})
    assert macro_of([empty]) == {}


def test_times_and_costs_are_a_conversations() -> None:
    report = AnswerReport(
        data_set="locomo",
        categories=("single-hop",),
        recipe="verbatim",
        reader="r",
        judge=None,
        manner="generous",
        asked_by="read",
        plan="evaluate",
        k=50,
        tokens=600,
        users=2,
        construction=None,
        answers=(answer("a"), answer("b", context_tokens=300), answer("", failure="x", context_tokens=900)),
    )
    assert report.times() == {"construction": 0, "retrieval": 0.75, "answering": 3.0, "total": 3.75}
    assert set(report.cost().values()) == {0.0}
    assert report.context_tokens() == 200
    document = json.loads(json.dumps(report.to_dict(questions=True)))
    assert document["failures"] == [{"id": "u/0", "failure": "x", "judge_failure": None}]
    assert [each["gold"] for each in document["answers"]] == ["blue boat"] * 3
    assert document["published"][0]["beside_this_run"] == "not comparable: other model"


def test_the_papers_costs_add_up() -> None:
    parts = ("summary_in_k", "summary_out_k", "update_in_k", "update_out_k")
    rows = [row for name in ("locomo", "longmemeval") for row in published(name) if "total_k" in row.figures]
    assert len(rows) >= 19
    for row in rows:
        told = sum(row.figures.get(part, 0.0) for part in parts)
        assert told == pytest.approx(row.figures["total_k"], abs=0.05), row.method


def test_the_papers_figures_are_consistent() -> None:
    rows = published("locomo")
    (best,) = (row for row in rows if row.table == "1" and row.figures.get("f1") == 43.24)
    parts = [value for name, value in best.figures.items() if name.startswith("f1 ")]
    assert sum(parts) / 4 == pytest.approx(43.24, abs=0.005)  # hence "macro"
    for row in rows:
        four = [
            row.figures.get(name) for name in ("summary_in_k", "summary_out_k", "update_in_k", "update_out_k")
        ]
        if "total_k" in row.figures:
            assert sum(part or 0 for part in four) == pytest.approx(row.figures["total_k"], abs=0.02)
        if "total_seconds" in row.figures:
            times = row.figures["construction_seconds"] + row.figures["retrieval_seconds"]
            assert times == pytest.approx(row.figures["total_seconds"], abs=1.01)  # LightMem's, in the paper
    assert published("realtalk") == ()
    assert {row.paper for row in published("halumem")} == {"ProMem (2026)"}


def test_other_models_and_judges_are_said_to_be_others() -> None:
    row = Published(
        paper="p", table="1", data_set="d", method="m", model="GPT-4o", judge="J", average=None, figures={}
    )
    assert difference(row, "qwen", "k") == "not comparable: other model and judge"
    assert difference(row, "openai/gpt-4o", "k") == "not comparable: other judge"
    assert difference(row, "gpt-4o", "j") == "other prompts"
    assert difference(row, "qwen", None) == "not comparable: other model"


def test_kept_replies_survive_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    kept = Kept(path)
    kept.put("a", {"text": "ø"})
    kept.put("b", 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(path.read_bytes()[:-4])
    again = Kept(path)
    assert (again.get("a"), again.get("b")) == ({"text": "ø"}, None)
    again.put("b", 2)
    again.put("a", 3)
    last = Kept(path)
    assert (last.get("a"), last.get("b")) == (3, 2)


def test_replies_belong_to_model_server_and_the_whole_prompt() -> None:
    def key(model: str = "m", address: str = "s", version: int = 1, user: str = "u") -> str:
        return key_of(model, address, Prompt(name="read", version=version, system="s", user=user))

    assert len({key(), key("n"), key(address="t"), key(version=2), key(user="v"), key()}) == 5
