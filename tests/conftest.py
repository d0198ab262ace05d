"""Fixtures of all tests."""

from __future__ import annotations

import gc
import pwd
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from scripted_llm import ScriptedLLM, all_rules

# How long examples take says how busy the machine is.
settings.register_profile("by no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("by no clock")


def pytest_collection_finish() -> None:
    """Thousands of collected tests live until the end; no collection of garbage need look at them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def interrupts_come_through() -> Iterator[None]:
    """What a shell starts in the background ignores interrupts, and Python keeps to that: tests that interrupt
    themselves would wait for ever."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    """A model's server that answers every prompt of this package by rules, and finds nothing amiss in them."""
    with ScriptedLLM(all_rules()) as running:
        yield running
        assert not running.troubles, running.troubles


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No home directory is known, as in a container that runs under a number alone."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "MEMSPAN_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
