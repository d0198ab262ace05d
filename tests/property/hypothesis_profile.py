"""Settings for the property tests of an ordinary test run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Derandomised: the same commit gives the same verdict; the slow machine draws new examples every time.
PROFILE = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
