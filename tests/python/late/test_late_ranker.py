"""What tokens and all else say together, as numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan.errors import FormatError, InvalidArgumentError
from memspan.ranking.late import LATE_FEATURES, added_by_rank, late_features
from memspan.ranking.late_ranker import LOOKED_AT_FEATURES, LateRanker, LateWeights, late_ranker_for
from memspan.ranking.ranker import FEATURES, default_ranker

counts = st.integers(0, 40)
seeds = st.integers(0, 2**32 - 1)
TUNED = ("bge-small-en-v1.5-int8", "9fc7483ebc82f6622a12ea8373f173a9970ca85f9b23d096d82c4d14fd220491")
TOKENS = (
    "answerai-colbert-small-v1-int8",
    "c3b5070c58613f87f5610ff95881d5bbb2794d4b3181d3620c870310a2278adc",
)


def made(count: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Scores, features, similarities and weights; of some records something is missing."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(count, len(FEATURES))).astype(np.float32)
    similarities = random.uniform(-1, 1, count).astype(np.float32)
    features[random.random(count) < 0.1] = np.nan
    similarities[random.random(count) < 0.1] = np.nan
    row = random.normal(size=len(LOOKED_AT_FEATURES)).astype(np.float32)
    return random.normal(size=count), features, similarities, row


def one_by_one(scores: Any, features: Any, similarities: Any, row: Any, share: float) -> list[float]:
    """By plain arithmetic."""
    there = [
        n for n in range(len(scores)) if not math.isnan(similarities[n]) and not math.isnan(features[n][0])
    ]
    added = [0.0] * len(scores)
    if len(there) < 2:
        return added
    said = {n: round(float(similarities[n]), 5) for n in there}
    mean = sum(said.values()) / len(said)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in said.values()) / len(said))
    for n in there:
        above = sum(said[other] > said[n] for other in there)
        rank = above + (1 + sum(said[other] == said[n] for other in there)) / 2
        late = [said[n], (said[n] - mean) / deviation, -math.log(rank), 4 / (rank + 3)]
        together = sum(float(w) * float(x) for w, x in zip(row, [*features[n], *late], strict=True))
        added[n] = share * (together - scores[n]) - (1 - share) * 0.77 * math.log(rank)
    middle = sum(added[n] for n in there) / len(there)
    return [value - middle if n in there else 0.0 for n, value in enumerate(added)]


@given(counts, seeds, st.sampled_from([0.0, 0.5, 1.0]))
def test_what_is_added(count: int, seed: int, share: float) -> None:
    scores, features, similarities, row = made(count, seed)
    added = LateWeights(row, share=share).added(scores, features, similarities)
    wanted = one_by_one(scores, features, similarities, row, share)
    np.testing.assert_allclose(added, wanted, atol=1e-4)
    assert added.sum() == pytest.approx(0, abs=1e-6)


@given(counts, seeds)
def test_without_a_share_only_the_rank_counts(count: int, seed: int) -> None:
    scores, features, similarities, row = made(count, seed)
    features = np.nan_to_num(features)
    added = LateWeights(row, share=0.0).added(scores, features, similarities)
    np.testing.assert_allclose(added, added_by_rank(similarities), atol=1e-6)


@given(st.integers(2, 64), seeds)
def test_equal_records_stay_equal_wherever_they_stand(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    features = np.repeat(random.normal(size=(1, len(FEATURES))).astype(np.float32), count, axis=0)
    others = random.random(count) < 0.5
    features[others] = random.normal(size=(int(others.sum()), len(FEATURES)))
    similarities = np.full(count, 0.5, np.float32) + (random.random(count) * 1e-7).astype(np.float32)
    row = random.normal(size=len(LOOKED_AT_FEATURES)).astype(np.float32)
    added = LateWeights(row).added(np.zeros(count), features, similarities)
    assert len(set(added[~others].tolist())) <= 1


def test_what_was_taken_off_a_score_stays_off() -> None:
    scores, features, similarities, row = made(20, 1)
    features, similarities = np.nan_to_num(features), np.nan_to_num(similarities)
    less = scores.copy()
    less[3] -= 5
    weights = LateWeights(row, base=lambda _: scores.astype(np.float32))
    plain = scores + LateWeights(row).added(scores, features, similarities)
    lessened = less + weights.added(less, features, similarities)
    moved = lessened - plain
    assert moved[3] - moved[4] == pytest.approx(-5, abs=1e-5)


def test_features_of_records_that_say_the_same() -> None:
    rows = late_features(np.array([0.25, 0.25], np.float32))
    np.testing.assert_allclose(rows, [[0.25, 0.0, -math.log(1.5), 4 / 4.5]] * 2, rtol=1e-6)
    assert late_features(np.zeros(0, np.float32)).shape == (0, len(LATE_FEATURES))
    with pytest.raises(InvalidArgumentError, match="similarities"):
        late_features(np.array([0.25, np.nan], np.float32))


def test_conditions_and_scales() -> None:
    ranker = LateRanker({"always": {"cosine": 1, "token_z": 2}, "when": {"token_z": 0.5, "asks": 3}})
    plain = dict(zip(LOOKED_AT_FEATURES, ranker.row(["when"]).tolist(), strict=True))
    assert {name: value for name, value in plain.items() if value} == {"cosine": 1, "token_z": 2.5, "asks": 3}
    scales = np.full(len(FEATURES), 2, np.float32)
    scaled = dict(zip(LOOKED_AT_FEATURES, ranker.row(["when"], scales, 0.5).tolist(), strict=True))
    assert {name: value for name, value in scaled.items() if value} == {
        "cosine": 2,
        "token_z": 1.25,
        "asks": 6,
    }
    assert ranker.row().tolist() == LateRanker({"always": {"cosine": 1, "token_z": 2}}).row().tolist()


@pytest.mark.parametrize(
    "weights",
    [None, {"always": 1}, {"always": {"token": 1}}, {"never": {}}, {"always": {"token_z": math.nan}}],
)
def test_weights_that_are_refused(weights: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="weights"):
        LateRanker(weights)


def test_it_can_be_saved(tmp_path: Path) -> None:
    ranker = LateRanker({"always": {"token_z": 0.123456, "cosine": -2}, "roles": {"asks": 1}}, ["planted"])
    ranker.save(tmp_path / "weights.json")
    loaded = LateRanker.load(tmp_path / "weights.json")
    np.testing.assert_allclose(loaded.row(["roles"]), ranker.row(["roles"]), atol=1e-5)
    assert loaded.trained_on == ("planted",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "memspan ranker", "version": 1}',
        '{"format": "memspan late ranker", "version": 2, "weights": {}}',
        '{"format": "memspan late ranker", "version": 1}',
        '{"format": "memspan late ranker", "version": 1, "weights": {"always": {"smell": 1}}}',
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "weights.json").write_text(text)
    with pytest.raises(FormatError, match=r"weights\.json"):
        LateRanker.load(tmp_path / "weights.json")


def test_the_packages_belongs_to_both_default_models() -> None:
    ranker = late_ranker_for(TUNED, TOKENS)
    assert ranker is not None
    assert ranker.row()[LOOKED_AT_FEATURES.index("token_rank")] != 0
    # No example had tags; they are to lift as they do without the look.
    tagged = default_ranker(*TUNED).weights["always"]["tagged"]
    assert ranker.row()[LOOKED_AT_FEATURES.index("tagged")] == tagged > 0
    assert late_ranker_for(TUNED, ("words", "")) is None
    assert late_ranker_for(("hash", ""), TOKENS) is None
    assert late_ranker_for((TUNED[0], "another"), TOKENS) is None
