"""Runs the state machine: a short derandomised pass with every test run, a long random one when asked for."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from hypothesis_profile import PROFILE
from index_machine import CrowdedIndexMachine, IndexMachine


def test_index_behaves_like_the_oracle() -> None:
    short = settings(PROFILE, max_examples=70, stateful_step_count=40)
    run_state_machine_as_test(IndexMachine, settings=short)


def test_users_who_leave_memory_and_come_back() -> None:
    short = settings(PROFILE, max_examples=30, stateful_step_count=40)
    run_state_machine_as_test(CrowdedIndexMachine, settings=short)


@pytest.mark.slow
def test_index_behaves_like_the_oracle_for_long() -> None:
    long = settings(PROFILE, max_examples=150, stateful_step_count=60, derandomize=False)
    run_state_machine_as_test(IndexMachine, settings=long)
