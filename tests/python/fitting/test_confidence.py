"""How sure a memory is that a question has an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import HashEmbedder, Memory, errors
from memspan.fitting.confidence import fit_confidence
from memspan.fitting.examples import Example
from memspan.ranking import CONDITIONS, FEATURES, Ranker
from memspan.ranking.confidence import FORMAT_VERSION, SIGNALS, Confidence, default_confidence, signals_of

RANKER = Ranker({"always": {"cosine": 1.0}})


def example(cosines: list[float], *, answered: bool, named: float = 0.0) -> Example:
    rows = np.zeros((len(cosines), len(FEATURES)), np.float32)
    rows[:, FEATURES.index("cosine")] = cosines
    rows[:, FEATURES.index("named")] = named
    return Example(
        data_set="own",
        conversation="c",
        category="x",
        features=rows,
        relevant=np.zeros(len(cosines), np.bool_),
        evidence=int(answered),
        conditions=CONDITIONS[:1],
    )


def test_signals_by_hand() -> None:
    rows = np.zeros((6, len(FEATURES)), np.float32)
    rows[:, FEATURES.index("cosine")] = [0.1, 0.9, 0.5, 0.4, 0.3, 0.2]
    scores = np.array([0.0, 3.0, 2.0, 1.0, 0.5, 0.25], np.float32)
    told = dict(zip(SIGNALS, signals_of(rows, scores), strict=True))
    assert told["lead"] == pytest.approx(1.0)
    assert told["lead_of_five"] == pytest.approx(2.75)
    assert told["share"] == pytest.approx(float(np.exp(3.0) / np.exp(scores).sum()), rel=1e-5)
    assert told["best_cosine"] == pytest.approx(0.9)
    assert told["five_cosine"] == pytest.approx((0.9 + 0.5 + 0.4 + 0.3 + 0.2) / 5)
    alone = dict(zip(SIGNALS, signals_of(rows[:1], scores[:1]), strict=True))
    assert (alone["lead"], alone["lead_of_five"], alone["share"]) == (0.0, 0.0, 1.0)


def test_a_fit_tells_the_two_kinds_apart_and_is_calibrated() -> None:
    random = np.random.default_rng(3)
    examples = [
        example(list(random.normal(0.6 if answered else 0.4, 0.1, 8)), answered=answered)
        for answered in random.random(400) < 0.7
    ]
    model = fit_confidence(examples, RANKER)
    scores = [each.features @ RANKER.row(each.conditions) for each in examples]
    told = np.array([model(signals_of(each.features, s)) for each, s in zip(examples, scores, strict=True)])
    answered = np.array([each.evidence > 0 for each in examples])
    assert told[answered].mean() > told[~answered].mean() + 0.3
    assert told.mean() == pytest.approx(answered.mean(), abs=0.02)
    assert model == fit_confidence(examples, RANKER)


def test_one_kind_alone_teaches_nothing() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^examples"):
        fit_confidence([example([0.5], answered=True)] * 3, RANKER)


def test_extreme_signals_stay_probabilities() -> None:
    sure = Confidence((1e6,) * len(SIGNALS), 0.0)
    assert 0.0 <= sure(np.full(len(SIGNALS), -1e6)) < 1e-9
    assert 1.0 >= sure(np.full(len(SIGNALS), 1e6)) > 0.99
    assert len(default_confidence().weights) == len(SIGNALS)


def document(**changes: Any) -> dict[str, Any]:
    usual = {"format": "memspan confidence", "version": FORMAT_VERSION, "trained_on": ["here"], "bias": -1.5}
    return usual | {"weights": dict.fromkeys(SIGNALS, 0.25)} | changes


def test_what_is_saved_is_loaded_again(tmp_path: Path) -> None:
    weights = tuple(float(place) / 3 for place in range(len(SIGNALS)))
    Confidence(weights, -0.1234567, ("éclair.json",)).save(tmp_path / "c.json")
    loaded = Confidence.load(tmp_path / "c.json")
    assert loaded.weights == pytest.approx(weights, abs=1e-5)
    assert (loaded.bias, loaded.trained_on) == (-0.12346, ("éclair.json",))


def test_the_packages_say_where_they_come_from() -> None:
    for tuned in (False, True):
        told = default_confidence(tuned=tuned).trained_on
        assert [note.split(":")[0] for note in told] == ["LoCoMo", "BEAM 100K"]
    assert default_confidence(tuned=True).weights != default_confidence(tuned=False).weights


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": "memspan ranker"}, "no memspan confidence"),
        ({"version": FORMAT_VERSION + 1}, f"version {FORMAT_VERSION + 1}"),
        ({"version": None}, "version None"),
        ({"weights": None}, "weights"),
        ({"weights": dict.fromkeys(SIGNALS[1:], 0.25)}, f"weights[{SIGNALS[0]}]"),
        ({"weights": dict.fromkeys([*SIGNALS, "warmth"], 0.25)}, "warmth"),
        ({"weights": dict.fromkeys(SIGNALS, "1")}, f"weights[{SIGNALS[0]}]"),
        ({"weights": dict.fromkeys(SIGNALS, 10**400)}, f"weights[{SIGNALS[0]}]"),
        ({"bias": float("nan")}, "bias"),
        ({"bias": None}, "bias"),
        ({"trained_on": 4}, "trained_on"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(document(**changes)), encoding="utf-8")
    with pytest.raises(errors.FormatError) as raised:
        Confidence.load(path)
    assert str(path) in str(raised.value)
    assert why in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'{"format": "memspan conf', b"[]", b"null"])
def test_broken_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(
        errors.FormatError, match=r"broken\.json: .*accepted: a memspan confidence of version 1"
    ):
        Confidence.load(path)


def test_a_search_tells_it_only_when_asked(filled: Memory) -> None:
    assert filled.search("Where did Bo sail?", user="ana").confidence is None
    found = filled.search("Where did Bo sail?", user="ana", confidence=True)
    assert found.confidence is not None
    assert 0.0 < found.confidence < 1.0
    again = filled.search("Where did Bo sail?", user="ana")
    assert [(each.id, each.score) for each in found] == [(each.id, each.score) for each in again]
    assert filled.search("Where did Bo sail?", user="nobody", confidence=True).confidence == 0.0


@pytest.mark.parametrize("options", [{"fusion": "rrf"}, {"neighbors": 1}, {"views": ["lexical"]}])
def test_other_fusions_have_none(filled: Memory, options: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^confidence"):
        filled.search("boat", user="ana", confidence=True, **options)


def test_it_is_a_flag(filled: Memory) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^confidence"):
        filled.search("boat", user="ana", confidence="yes")  # type: ignore[arg-type]


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(tmp_path / "a.memspan", HashEmbedder(dim=32))
    texts = ["We sailed to the island.", "Which island?", "The one with the lighthouse.", "I bought paint."]
    memory.add(
        [{"id": str(i), "text": text, "speaker": "Bo" if i % 2 else "Ana"} for i, text in enumerate(texts)],
        user="ana",
        session="s",
    )
    yield memory
    memory.close()
