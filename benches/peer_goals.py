"""The goals: which store is compared in which kind of query, the ratio, and whether that is enough.

A store counts as a rival in a kind of query only if its recall is at least memspan's less 0.005, or 0.99: an
answer that is wrong is not fast. Of the rivals in a group the fastest is compared. Where no store of a group
reaches that recall, the fastest one is shown with its recall marked "lower". Equal scores are no misses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import geometric_mean
from typing import Any

OURS = "memspan"
KINDS = "abcdeg"
ALL_KINDS = set(KINDS)
RECALL_SLACK, ENOUGH_RECALL = 0.005, 0.99
LIGHT, STORE, COMPOSED, ALONE = "light prototype", "one-call store", "composed in Python", "alone"

LIGHT_EACH, LIGHT_MEAN = 1.35, 1.1
STORE_MEAN = {"S": 4.0, "M": 6.0, "L": 6.0}
STORE_EACH, STORE_LATEST = 2.5, 10.0
COMPOSED_EACH = {"S": 2.5, "M": 2.5, "L": 3.5}

Results = dict[str, dict[str, Any]]  # peer → what the harness measured


@dataclass(frozen=True)
class Line:
    """One goal and what was measured for it."""

    size: str
    against: str
    what: str
    ours: float | None
    theirs: float | None = None
    rival: str = ""
    our_recall: float | None = None
    their_recall: float | None = None
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def group_of(name: str, result: dict[str, Any]) -> str:
    if name == OURS:
        return ALONE
    if name.startswith("light"):
        return LIGHT
    return STORE if set(result["one_call"].split()) >= ALL_KINDS else COMPOSED


def measured(result: dict[str, Any], kind: str) -> dict[str, Any] | None:
    found = result["queries"].get(kind)
    return found if found and "p50_us" in found else None


def recall_of(result: dict[str, Any], kind: str) -> float:
    """Recall in which equal scores are no misses, where that was measured, else as the harness counts."""
    found = result.get("tie_recall", {}).get(kind)
    return found if found is not None else (result["queries"][kind].get("recall") or 0.0)


def fastest(results: Results, group: str, kind: str, least: float) -> tuple[str, bool] | None:
    """The fastest of the group that finds enough, and True; or the fastest of all, and False."""
    times = {
        name: found["p50_us"]
        for name, result in results.items()
        if group_of(name, result) == group and (found := measured(result, kind))
    }
    able = [name for name in times if recall_of(results[name], kind) >= min(least, ENOUGH_RECALL)]
    if not times:
        return None
    return min(able or times, key=times.__getitem__), bool(able)


def compare(results: Results, size: str, group: str, kind: str) -> Line | None:
    ours = measured(results[OURS], kind)
    our_recall = recall_of(results[OURS], kind) if ours else 0.0
    choice = fastest(results, group, kind, our_recall - RECALL_SLACK) if ours else None
    if ours is None or choice is None:
        return None
    rival, able = choice
    theirs = measured(results[rival], kind)
    assert theirs is not None
    slower, faster = (ours, theirs) if group == LIGHT else (theirs, ours)
    return Line(
        size, group, kind, ours["p50_us"], theirs["p50_us"], rival, our_recall, recall_of(results[rival], kind),
        slower["p50_us"] / faster["p50_us"], note="" if able else "lower recall",
    )  # fmt: skip


def judged(line: Line, limit: float, *, at_most: bool = False) -> Line:
    """The line with its goal; a ratio that is reached by finding less than the rival does not count."""
    assert line.ratio is not None
    reached = line.ratio <= limit if at_most else line.ratio >= limit
    found_enough = line.our_recall is None or line.their_recall is None or (
        line.our_recall >= min(line.their_recall - RECALL_SLACK, ENOUGH_RECALL)
    )  # fmt: skip
    sign = "≤" if at_most else "≥"
    return Line(**{**asdict(line), "goal": f"{sign} {limit:g}×", "met": reached and found_enough})


def mean_line(lines: Iterable[Line], size: str, group: str, what: str, limit: float, at_most: bool) -> Line:
    ratio = geometric_mean([line.ratio for line in lines if line.ratio])
    return judged(Line(size, group, what, None, ratio=ratio), limit, at_most=at_most)


def group_lines(results: Results, size: str, group: str) -> list[Line]:
    lines = [line for kind in KINDS if (line := compare(results, size, group, kind))]
    if not lines or size not in STORE_MEAN:
        return lines
    if group == LIGHT:
        each = [judged(line, LIGHT_EACH, at_most=True) for line in lines]
        return [*each, mean_line(lines, size, group, "mean a-e, g", LIGHT_MEAN, at_most=True)]
    if group == COMPOSED:
        return [judged(line, COMPOSED_EACH[size]) for line in lines]
    each = [judged(line, STORE_LATEST if line.what == "g" else STORE_EACH) for line in lines]
    dense_and_words = [line for line in lines if line.what != "g"]
    return [*each, mean_line(dense_and_words, size, group, "mean a-e", STORE_MEAN[size], at_most=False)]
