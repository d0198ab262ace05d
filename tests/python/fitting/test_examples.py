"""Labelled questions as a learned ranking sees them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.fitting.examples import collect
from memspan.fitting.weights import scores_of
from memspan.memory import Memory
from memspan.ranking import FEATURES, Ranker

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "quarry",
        "conversation": {
            "session_1_date_time": "9:00 am on 4 April, 2022",
            "session_1": [
                {"dia_id": "D1:1", "speaker": "Ilka", "text": "What did you plant by the well?"},
                {"dia_id": "D1:2", "speaker": "Tomasz", "text": "A quince, near the blue hive."},
                {"dia_id": "D1:3", "speaker": "Ilka", "text": "The well froze in winter."},
            ],
            "session_2_date_time": "6:30 pm on 9 June, 2022",
            "session_2": [
                {"dia_id": "D2:1", "speaker": "Tomasz", "text": "We pressed cider on Saturday."},
                {"dia_id": "D2:2", "speaker": "Ilka", "text": "The quince has its first flower."},
            ],
        },
        "qa": [
            {
                "question": "What happened to the quince?",
                "answer": "-",
                "evidence": ["D1:2", "D2:2"],
                "category": 1,
            },
            {"question": "When did Tomasz press cider?", "answer": "-", "evidence": ["D2:1"], "category": 2},
            {
                "question": "What did Ilka say on 4 April 2022?",
                "answer": "-",
                "evidence": ["D1:3"],
                "category": 4,
            },
            {"question": "Would Ilka like jam?", "answer": "-", "evidence": [], "category": 3},
            {"question": "When did Ilka press cider?", "answer": "-", "evidence": ["D2:1"], "category": 5},
        ],
    },
    {
        "sample_id": "harbour",
        "conversation": {
            "session_1_date_time": "8:00 am on 1 May, 2022",
            "session_1": [{"dia_id": "D1:1", "speaker": "Ada", "text": "The ferry leaves at noon."}],
        },
        "qa": [
            {"question": "When does the ferry leave?", "answer": "-", "evidence": ["D1:1"], "category": 4}
        ],
    },
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(copy.deepcopy(LOCOMO)), encoding="utf-8")
    return path


def test_each_answerable_question_is_an_example(file: Path, tmp_path: Path) -> None:
    examples = collect("locomo", file, embedder="hash:32", store_dir=tmp_path / "stores")
    # Neither the one without evidence nor the adversarial one.
    assert [(each.conversation, each.category) for each in examples] == [
        ("quarry", "multi-hop"),
        ("quarry", "temporal"),
        ("quarry", "single-hop"),
        ("harbour", "single-hop"),
    ]
    for example in examples:
        assert example.data_set == "locomo"
        assert example.features.shape == (len(example.relevant), len(FEATURES))
        assert example.features.dtype == np.float32
        assert np.isfinite(example.features).all()
    # Every record of these conversations is a candidate.
    assert [len(each.relevant) for each in examples] == [5, 5, 5, 1]
    assert [int(each.relevant.sum()) for each in examples] == [2, 1, 1, 1]
    assert [each.evidence for each in examples] == [2, 1, 1, 1]
    assert "when" in examples[1].conditions
    assert "timed" in examples[2].conditions
    hinted = examples[2].features[:, FEATURES.index("hinted")]
    assert sorted(hinted) == [0.0, 0.0, 1.0, 1.0, 1.0]
    named = examples[1].features[:, FEATURES.index("named")]
    assert named.sum() == 2.0


def test_what_is_learned_from_is_what_a_search_ranks_by(file: Path, tmp_path: Path) -> None:
    weights = {"always": {"cosine_z": 1.0, "bm25_z": 0.5, "after_question": 0.3}, "timed": {"hinted": 2.0}}
    ranker = Ranker(weights)
    stores = tmp_path / "stores"
    examples = collect("locomo", file, embedder="hash:32", store_dir=stores, users=["quarry"])
    (store,) = stores.rglob("*.memspan")
    with Memory(store, "hash:32") as memory:
        for example, asked in zip(examples, LOCOMO[0]["qa"], strict=False):
            found = memory.search(asked["question"], user="quarry", k=5, ranker=ranker)
            scores = np.sort(scores_of(ranker, example))[::-1]
            np.testing.assert_allclose([recall.score for recall in found], scores, atol=1e-4)


def test_a_limit_and_users_choose(file: Path, tmp_path: Path) -> None:
    def count(**options: Any) -> int:
        return len(collect("locomo", file, embedder="hash:32", store_dir=tmp_path / "stores", **options))

    assert count(limit=1) == 1
    assert count(users=["harbour"]) == 1
    with pytest.raises(errors.InvalidArgumentError, match="users"):
        count(users=["nobody"])


def test_a_foreign_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(errors.FormatError, match=r"odd\.json"):
        collect("locomo", path, embedder="hash:32", store_dir=tmp_path / "stores")
