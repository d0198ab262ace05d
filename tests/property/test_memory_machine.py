"""Runs the state machine of all of `Memory`."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from hypothesis_profile import PROFILE
from memory_machine import MemoryMachine


def test_memory_behaves_like_the_model() -> None:
    short = settings(PROFILE, max_examples=8, stateful_step_count=20)
    run_state_machine_as_test(MemoryMachine, settings=short)


@pytest.mark.slow
def test_memory_behaves_like_the_model_for_long() -> None:
    long = settings(PROFILE, max_examples=40, stateful_step_count=40)
    run_state_machine_as_test(MemoryMachine, settings=long)
