"""Runs the state machine of quotas."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from hypothesis_profile import PROFILE
from quota_machine import QuotaMachine


def test_quotas_behave_like_the_model() -> None:
    short = settings(PROFILE, max_examples=12, stateful_step_count=25)
    run_state_machine_as_test(QuotaMachine, settings=short)


@pytest.mark.slow
def test_quotas_behave_like_the_model_for_long() -> None:
    long = settings(PROFILE, max_examples=200, stateful_step_count=60, derandomize=False)
    run_state_machine_as_test(QuotaMachine, settings=long)
