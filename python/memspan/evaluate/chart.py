"""An evaluation as a picture: recall by category, and recall against k."""

from __future__ import annotations

import importlib
import os
from typing import Any

from memspan.errors import missing_extra

from .evaluation import Evaluation
from .scores import ALL, Group, recall_curve

__all__ = ["draw", "focus", "require_matplotlib"]

_FOCUS = 10


def focus(ks: tuple[int, ...]) -> int:
    """The depth that stands for all where there is room for one: 10, or the next below, or the smallest."""
    return max((k for k in ks if k <= _FOCUS), default=ks[0])


def require_matplotlib() -> Any:
    """The module.

    Raises:
        MissingExtraError: it is not installed; says which extra installs it.
    """
    try:
        return importlib.import_module("matplotlib")
    except ImportError as error:
        raise missing_extra("matplotlib", "a chart", "bench") from error


def draw(evaluation: Evaluation, path: str | os.PathLike[str]) -> None:
    """Write a PNG.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    require_matplotlib()
    # A figure of its own, not pyplot's: no global state, no display.
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(12, 5), layout="constrained")
    bars, curve = figure.subplots(1, 2)
    groups = [group for group in evaluation.groups() if group.scored]
    _draw_bars(bars, groups, focus(evaluation.ks))
    _draw_curve(curve, evaluation, groups)
    figure.suptitle(_title(evaluation, groups), fontsize=11)
    figure.savefig(os.fspath(path), format="png", dpi=150)


def _title(evaluation: Evaluation, groups: list[Group]) -> str:
    count = groups[0].scored if groups else 0
    return (
        f"{evaluation.data_set}: evidence {evaluation.unit}s found, {count} questions, "
        f"embedder {evaluation.embedder}"
    )


def _draw_bars(axis: Any, groups: list[Group], k: int) -> None:
    for place, group in enumerate(reversed(groups)):
        score = group.scores[f"recall@{k}"]
        whiskers = [[max(0.0, score.mean - score.low) * 100], [max(0.0, score.high - score.mean) * 100]]
        colour = "#1b6ca8" if group.name == ALL else "#8fb8d6"
        axis.barh(place, score.mean * 100, xerr=whiskers, color=colour, ecolor="#444444", height=0.7)
        axis.text(score.high * 100 + 1, place, f"{score.mean * 100:.1f}", va="center", fontsize=8)
    axis.set_yticks(
        range(len(groups)), [f"{group.name} (n = {group.scored})" for group in reversed(groups)], fontsize=8
    )
    axis.set_xlim(0, 106)
    axis.set_xlabel(f"recall@{k}, percent; lines: 95 % bootstrap intervals")
    axis.spines[["top", "right"]].set_visible(False)


def _draw_curve(axis: Any, evaluation: Evaluation, groups: list[Group]) -> None:
    depth = evaluation.ks[-1]
    for group in groups:
        everything = group.name == ALL
        answers = evaluation.questions if everything else evaluation.of_category(group.name)
        shares = [100 * share for share in recall_curve(answers, depth)]
        style = {"color": "#111111", "linewidth": 2.2} if everything else {"linewidth": 1.1}
        axis.plot(range(1, depth + 1), shares, label=group.name, **style)
    if depth > 1:
        axis.set_xscale("log")
    axis.set_xticks(list(evaluation.ks), list(map(str, evaluation.ks)))
    axis.minorticks_off()
    axis.set_ylim(0, 100)
    axis.set_xlabel("k")
    axis.set_ylabel("recall@k, percent")
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    if groups:
        axis.legend(frameon=False, fontsize=8)
