"""The goals in absolute figures: a value that memspan must reach whatever others do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peer_goals import ALONE, OURS, Line, Results

Own = dict[str, Any]  # what own_goals.py printed


@dataclass(frozen=True)
class Limit:
    """A figure, where to find it, and the bound; `most` is an upper bound, `least` a lower one."""

    sizes: str
    what: str
    find: Callable[[dict[str, Any], Own], float]
    most: dict[str, float] | float | None = None
    least: float | None = None


def p50(kind: str) -> Callable[[dict[str, Any], Own], float]:
    return lambda result, own: result["queries"][kind]["p50_us"]


def of_own(name: str) -> Callable[[dict[str, Any], Own], float]:
    return lambda result, own: own[name]


def bytes_a_record(result: dict[str, Any], own: Own) -> float:
    return result["rss_added_mb"] * 2**20 / own["records"]


LIMITS = [
    Limit("L", "a, µs", p50("a"), most=83),
    Limit("L", "b, µs", p50("b"), most=40),
    Limit("XL", "a, µs", p50("a"), most=250),
    Limit("XL", "b, µs", p50("b"), most=60),
    Limit("XL", "e, µs", p50("e"), most=500),
    Limit("S", "batch of a, 2 threads, queries a second", lambda result, own: result["batch_qps_t2"], least=60_000),
    Limit("S", "insert, µs", lambda result, own: result["insert_ms"]["p50"] * 1000, most=12),
    Limit("S", "durable insert, × a bare SQLite commit", of_own("durable_ratio"), most=1.5),
    Limit("S", "add_many, records a second", of_own("add_many_per_s"), least=100_000),
    Limit("S", "Memory bulk load, records a second", of_own("memory_bulk_per_s"), least=40_000),
    Limit("L", "build, s", of_own("build_s"), most=3),
    Limit("L", "consolidate, s", of_own("consolidate_s"), most=3),
    Limit("S", "two threads searching, × one", of_own("two_threads"), least=1.8),
    Limit("S", "searching while one writes, × alone", of_own("beside_a_writer"), least=0.8),
    Limit("S M L", "open to first answer, ms", lambda result, own: result["open_first_query_ms"],
          most={"S": 3, "M": 5, "L": 20}),
    Limit("S M L", "resident bytes a record", bytes_a_record, most=2_600),
]  # fmt: skip


def limit_lines(results: Results, own: Own, size: str) -> list[Line]:
    """A figure that was not measured is shown as such, never left out."""
    lines = []
    for limit in LIMITS:
        if size not in limit.sizes.split():
            continue
        bound = limit.most[size] if isinstance(limit.most, dict) else limit.most
        goal = f"≤ {bound:,}" if bound is not None else f"≥ {limit.least:,}"
        try:
            value = limit.find(results[OURS], own)
        except (KeyError, TypeError):
            lines.append(Line(size, ALONE, limit.what, None, goal=goal, note="not measured"))
            continue
        met = value <= bound if bound is not None else limit.least is not None and value >= limit.least
        lines.append(Line(size, ALONE, limit.what, value, goal=goal, met=met))
    return lines
