"""`Index.duplicates` against a comparison of every pair in numpy."""

from __future__ import annotations

import time
from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memspan
from memspan.errors import InvalidArgumentError

NARROW = 1e-5
"""Cosines so near the threshold may be rounded to either side."""
KINDS = ("episodic", "semantic", "procedural", "resource", "vault")


def near(random: np.random.Generator, count: int, dim: int, noise: float) -> np.ndarray:
    """Vectors of which many are near an earlier one."""
    vectors = random.standard_normal((count, dim)).astype(np.float32)
    for i in range(1, count):
        if random.random() < 0.5:
            vectors[i] = vectors[random.integers(i)] + noise * random.random() * vectors[i]
    return vectors


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 60),
    dim=st.integers(1, 90),
    threshold=st.floats(0.05, 1.0),
    noise=st.sampled_from((0.05, 0.5, 1.0)),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True),
    since=st.one_of(st.none(), st.integers(0, 60)),
)
def test_no_pair_is_missed_and_none_is_made_up(seed, count, dim, threshold, noise, kinds, since):
    random = np.random.default_rng(seed)
    vectors = near(random, count, dim, noise)
    own = [KINDS[random.integers(3)] for _ in range(count)]
    untils = [1_000 if random.random() < 0.1 else None for _ in range(count)]
    retired = [1_000 if random.random() < 0.1 else None for _ in range(count)]
    index = memspan.Index(dim=dim, auto_consolidate=False)
    ids = [f"r{i:03}" for i in range(count)]
    if count:
        index.add_many(
            user="ana",
            ids=ids,
            ats=list(range(count)),
            texts=[""] * count,
            embeddings=vectors,
            kinds=own,
            untils=untils,
            recorded_ats=list(range(count)),
            retired_ats=retired,
        )
    found = index.duplicates(user="ana", threshold=threshold, kinds=kinds, since=since)
    pairs = {(one, other): cosine for one, other, cosine in found.pairs}
    assert len(pairs) == len(found.pairs)
    assert found.complete
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = np.clip(unit.astype(np.float64) @ unit.T.astype(np.float64), -1, 1)
    for i in range(count):
        for j in range(i + 1, count):
            allowed = own[i] == own[j] and own[i] in kinds
            allowed = allowed and not any((untils[i], untils[j], retired[i], retired[j]))
            allowed = allowed and (since is None or j >= since)
            is_there = (ids[i], ids[j]) in pairs
            if not allowed or cosines[i, j] < threshold - NARROW:
                assert not is_there
            elif cosines[i, j] > threshold + NARROW and not repeated(unit, i, j):
                assert is_there
            if is_there:
                assert pairs[ids[i], ids[j]] == pytest.approx(cosines[i, j], abs=NARROW)


def repeated(unit: np.ndarray, i: int, j: int) -> bool:
    """Whether another record may stand for one of the two: the same vector, as in one dimension."""
    same = (unit == unit[i]).all(axis=1) | (unit == unit[j]).all(axis=1)
    return bool(same.sum() > 2)


def test_of_the_same_vector_one_stands_for_all():
    index = memspan.Index(dim=2)
    index.add_many(
        user="ana",
        ids=["a", "b", "c", "d"],
        ats=[0] * 4,
        texts=[""] * 4,
        embeddings=np.array([[1, 0], [1, 0], [1, 0], [1, 0.001]], np.float32),
    )
    found = index.duplicates(user="ana", threshold=0.9)
    assert len(found.pairs) == 3
    assert {id_ for pair in found.pairs for id_ in pair[:2]} == {"a", "b", "c", "d"}
    assert index.duplicates(user="ana", threshold=0.9, most=2).complete is False


def test_nothing_of_others():
    index = memspan.Index(dim=2)
    for user in ("ana", "ben"):
        index.add(user=user, id="x", at=0, text="", embedding=[1, 0])
    assert index.duplicates(user="ana").pairs == []
    assert index.duplicates(user="eve") == ([], True, 0)


def test_nothing_that_has_expired():
    index = memspan.Index(4)
    for id_, ends in (("a", None), ("b", None), ("gone", 5)):
        index.add(user="ana", id=id_, at=1, embedding=np.ones(4, np.float32), expires_at=ends)
    found = index.duplicates(user="ana")
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b")]
    assert found.records == 2


def test_since_takes_every_form_of_time():
    index = memspan.Index(dim=2)
    for id_, at in (("a", 0), ("b", 10)):
        index.add(user="ana", id=id_, at=0, recorded_at=at, text="", embedding=[1, 0])
    moment = datetime(1970, 1, 1, microsecond=10, tzinfo=timezone.utc)
    assert len(index.duplicates(user="ana", since=moment).pairs) == 1
    assert index.duplicates(user="ana", since=11).pairs == []


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("threshold", 0),
        ("threshold", 1.1),
        ("kinds", ["other"]),
        ("most", 0),
        ("since", "soon"),
        ("threads", -1),
        ("user", 3),
    ],
)
def test_bad_arguments_are_named(argument, value):
    index = memspan.Index(dim=2)
    with pytest.raises(InvalidArgumentError, match=argument):
        index.duplicates(**{"user": "ana", argument: value})


def test_nothing_is_compared_once_there_are_enough():
    """That those with one embedding are more than asked for shows before any pair of others is looked at."""
    vectors = np.random.default_rng(1).standard_normal((16_000, 32)).astype(np.float32)
    vectors[:50] = vectors[0]
    count = len(vectors)
    index = memspan.Index(dim=32, auto_consolidate=False)
    names = [str(number) for number in range(count)]
    index.add_many(
        users=["ana"] * count, ids=names, ats=[*range(count)], texts=[""] * count, embeddings=vectors
    )

    def seconds(most: int) -> float:
        began = time.process_time()
        found = index.duplicates(user="ana", most=most, threads=1)
        assert (len(found.pairs), found.complete) == ((10, False) if most == 10 else (49, True))
        return time.process_time() - began

    assert min(seconds(10) for _ in range(3)) < 0.7 * min(seconds(1000) for _ in range(3))
