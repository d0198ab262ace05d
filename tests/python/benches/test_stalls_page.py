"""The page of `benches/stalls.py` says what a run found."""

from __future__ import annotations

from typing import Any

from stalls_page import page

FIGURES = {"count": 10, "p50_us": 1.0, "p99_us": 2.0, "p99.99_us": 3.0, "longest_us": 1200.0, "over_1_ms": 1}
MACHINE = {
    "cpu": "a processor",
    "cores": 2,
    "memory_gb": 4.0,
    "simd_level": "avx2",
    "load_average": [0.5, 0.5, 0.5],
    "python": "3.12",
    "date": "2026-01-01",
}


def report(cause: str) -> dict[str, Any]:
    return {
        "searches": FIGURES,
        "over_1_ms_by_cause": {"own work": 0, "waiting": 0, "the machine": 0} | {cause: 1},
        "over_1_ms": [{"at": 7, "wall_us": 1200.0, "own_us": 90.0, "cause": cause}],
        "stolen_ticks": 4,
        "idle_loop": FIGURES,
        "consolidations": 3,
        "drift": [
            {"records": records, "dense_p50_us": dense, "fused_p50_us": 2 * dense, "longest_us": 1200.0}
            for records, dense in ((20_000, 50.0), (40_000, 60.0))
        ],
        "machine": MACHINE,
    }


def test_what_the_machine_did_is_told_apart_from_waiting() -> None:
    told = page(report("the machine"), "python benches/stalls.py")
    assert "No search waited" in told
    assert "| searches | 10 | 1.0 | 2.0 | 3.0 | 1,200.0 | 1 | 0 | 0 | 1 |" in told
    assert "| 40,000 | 60.0 | 120.0 | 1,200.0 |" in told
    assert "With 2 times the records a search by vectors takes 1.20 times as long" in told
    assert "`python benches/stalls.py`: a processor, 2 cores" in told


def test_a_search_that_waited_is_named() -> None:
    told = page(report("waiting"), "python benches/stalls.py")
    assert (
        "**1 search waited for more than a millisecond**; the longest took 1,200.0 us, 90.0 of them" in told
    )
