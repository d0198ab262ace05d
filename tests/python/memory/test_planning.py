"""A plan is made while the token embedder reads the question, and what is embedded is known before it."""

from __future__ import annotations

import threading
from datetime import datetime, timezone
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from numpy.typing import NDArray

from memspan.base.cores import available_cores
from memspan.recall import Plan, Vocabulary, plan_by_rules
from memspan.recall.planner import semantic_query
from memspan.remember.searching.planning import planned

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
PLAN = Plan(question="where is it", semantic="where", lexical="where")
PATIENCE = 30.0


def vector(text: str) -> NDArray[np.float32]:
    return np.full(3, len(text), np.float32)


@pytest.mark.skipif(available_cores() < 2, reason="one core does one thing after the other")
def test_the_plan_and_the_embedding_are_made_while_tokens_are_embedded() -> None:
    embedded = threading.Event()

    def embed(text: str) -> NDArray[np.float32]:
        embedded.set()
        return vector(text)

    def embed_tokens(text: str) -> NDArray[np.float32]:
        assert embedded.wait(PATIENCE), "the rest waited for the tokens"
        return vector(text)[None]

    found = planned(lambda: PLAN, "where", embed, embed_tokens, embed_here=False)

    assert found.plan is PLAN
    assert found.embedding is not None
    assert found.embedding[0] == 5
    assert found.token_vectors is not None
    assert found.token_vectors.shape == (1, 3)


def test_an_embedder_of_the_callers_is_called_by_the_thread_that_searches() -> None:
    threads: list[int] = []

    def embed(text: str) -> NDArray[np.float32]:
        threads.append(threading.get_ident())
        return vector(text)

    planned(lambda: PLAN, "where", embed, vector, embed_here=True)
    assert threads == [threading.get_ident()]


def test_planning_is_no_part_of_the_embedding() -> None:
    def plan() -> Plan:
        threading.Event().wait(0.05)
        return PLAN

    for embed_tokens in (None, vector):
        found = planned(plan, "where", vector, embed_tokens, embed_here=False)
        assert found.planning_seconds >= 0.05
        assert found.embedding_seconds >= 0.0


def test_a_plan_that_is_given_is_taken_and_only_what_is_wanted_is_embedded() -> None:
    found = planned(PLAN, "where", None, None, embed_here=True)
    assert found.plan is PLAN
    assert found.embedding is None
    assert found.token_vectors is None


@pytest.mark.parametrize("here", [False, True])
def test_what_fails_is_raised_when_all_have_ended(here: bool) -> None:
    ended: list[str] = []

    def fail() -> Plan:
        raise ValueError("no plan")

    def embed_tokens(text: str) -> NDArray[np.float32]:
        threading.Event().wait(0.02)
        ended.append(text)
        return vector(text)

    with pytest.raises(ValueError, match="no plan"):
        planned(fail, "where", vector, embed_tokens, embed_here=here)
    assert ended == ["where"]


@PROFILE
@given(
    st.text(min_size=1).filter(str.strip) | st.sampled_from(["Can you tell me what Ana said?", "Cafe\u0301?"])
)
def test_the_semantic_query_is_that_of_the_plan(question: str) -> None:
    plan = partial(plan_by_rules, now=NOW, vocabulary=Vocabulary())
    assert semantic_query(question) == plan(question).semantic
