"""Learning an adapter from questions whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from memspan import errors
from memspan.fitting.adapter import Asking, EmbedderName, fit_adapter

pytest.importorskip("scipy")

DIM = 12
EMBEDDER = EmbedderName("made-up", "abc")


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def make_askings(count: int = 120, seed: int = 0, conversations: int = 4) -> list[Asking]:
    """Each question lies nearest to a question among the records; its answer lies a fixed step from it."""
    rng = np.random.default_rng(seed)
    step = np.zeros(DIM)
    step[:2] = 2.0, -2.0  # what answers have and questions have not
    memories = []
    for _ in range(conversations):
        topics = rng.normal(size=(30, DIM))
        topics[:, :2] = 0.0
        topics[:, 2] = 1.5  # as in any embedder, all vectors share something
        memories.append((topics, unit(np.concatenate([topics, topics + step]))))
    askings = []
    for number in range(count):
        topics, records = memories[number % conversations]
        topic = int(rng.integers(30))
        askings.append(
            Asking(
                data_set="made-up",
                conversation=f"c{number % conversations}",
                vector=unit(topics[topic] + rng.normal(size=DIM) * 0.2),
                records=records,
                evidence=np.array([30 + topic]),
            )
        )
    return askings


def hits(askings: list[Asking], move) -> float:
    return float(np.mean([np.argmax(each.records @ move(each.vector)) in each.evidence for each in askings]))


def test_a_planted_step_is_found() -> None:
    adapter = fit_adapter(make_askings(), EMBEDDER, rank=4, penalty=1.0)
    unseen = make_askings(seed=7)
    assert hits(unseen, lambda vector: vector) < 0.1
    assert hits(unseen, adapter) > 0.9
    assert (adapter.embedder, adapter.checksum, adapter.dim) == (*EMBEDDER, DIM)


def test_it_is_deterministic() -> None:
    one, other = (fit_adapter(make_askings(40), EMBEDDER, rank=3) for _ in range(2))
    assert one.to_dict() == other.to_dict()


def test_a_penalty_keeps_the_step_small() -> None:
    askings = make_askings(60)
    vector = askings[0].vector
    free, tied = (fit_adapter(askings, EMBEDDER, rank=3, penalty=penalty) for penalty in (0.1, 1e7))
    assert float(tied(vector) @ vector) == pytest.approx(1.0, abs=1e-4)
    assert float(free(vector) @ vector) < 0.9


def test_questions_without_evidence_teach_nothing() -> None:
    askings = make_askings(40)
    lost = Asking(
        data_set="made-up",
        conversation="c9",
        vector=askings[0].vector,
        records=askings[0].records,
        evidence=np.array([], np.int64),
    )
    assert (
        fit_adapter([lost, *askings], EMBEDDER, rank=2).to_dict()
        == fit_adapter(askings, EMBEDDER, rank=2).to_dict()
    )
    for nothing in ([], [lost]):
        with pytest.raises(errors.InvalidArgumentError, match="askings"):
            fit_adapter(nothing, EMBEDDER)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), "much"])
def test_bad_penalties_are_refused(value: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="penalty"):
        fit_adapter(make_askings(4), EMBEDDER, penalty=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 257, 1.5, None])
def test_bad_ranks_are_refused(value: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="rank"):
        fit_adapter(make_askings(4), EMBEDDER, rank=value)  # type: ignore[arg-type]
