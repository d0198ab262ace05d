"""The study on real conversations as a picture (extra `simulate`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..figures import new_figure
from .outcome import RealOutcome, data_set_of
from .study import RealStudy

__all__ = ["draw_real"]


def draw_real(study: RealStudy, directory: str | os.PathLike[str]) -> list[Path]:
    """Write a PNG for each experiment that was run, `real_<experiment>.png`, a panel for each data set; gives their
    paths.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: a file cannot be written.
    """
    sets = data_set_of(study.conversations)
    names = list(dict.fromkeys(sets.tolist()))
    paths = []
    for experiment, outcomes in study.outcomes.items():
        figure, axes = new_figure(len(names), 4.5 * len(names) + 1.5)
        panel = _PANELS[experiment]
        for axis, name in zip(axes, names, strict=True):
            panel(axis, outcomes, {each.name: 100 * each.mean(sets == name) for each in outcomes})
            axis.set_title(name, fontsize=10)
        paths.append(Path(directory) / f"real_{experiment}.png")
        figure.savefig(paths[-1], format="png", dpi=90)
    return paths


def _lines(axis: Any, series: Mapping[str, tuple[Sequence[float], Sequence[float]]], across: str) -> None:
    for name, (places, values) in series.items():
        axis.plot(places, values, marker="o", markersize=3, label=name)
    axis.set_xlabel(across)
    axis.set_ylabel("evidence recall@10, percent")
    axis.set_ylim(0, 100)
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, fontsize=8)


def _capacity(axis: Any, outcomes: Sequence[RealOutcome], values: Mapping[str, float]) -> None:
    series = {}
    for order in ("oldest", "value", "random"):
        own = [each for each in outcomes if each.reference or each.name.endswith(order)]
        series[order] = (
            [100 * each.measured["kept"] for each in own],
            [values[each.name] for each in own],
        )
    _lines(axis, series, "turns kept, percent")


def _compression(axis: Any, outcomes: Sequence[RealOutcome], values: Mapping[str, float]) -> None:
    series = {}
    for strategy in dict.fromkeys(each.name.split(",")[0] for each in outcomes if not each.reference):
        own = [each for each in outcomes if each.reference or each.name.startswith(strategy)]
        series[strategy] = (
            [100 * each.measured.get("ratio", 1.0) for each in own],
            [values[each.name] for each in own],
        )
    _lines(axis, series, "words that remain, percent")


def _bars(axis: Any, outcomes: Sequence[RealOutcome], values: Mapping[str, float]) -> None:
    # Validity is asked only where labels say what was replaced.
    shown = [each for each in reversed(outcomes) if np.isfinite(values[each.name])]
    names = [each.name for each in shown]
    colours = ["#111111" if each.reference else "#1b6ca8" for each in shown]
    axis.barh(range(len(names)), [values[name] for name in names], color=colours, height=0.7)
    for place, name in enumerate(names):
        axis.text(values[name] + 1, place, f"{values[name]:.1f}", va="center", fontsize=7)
    axis.set_yticks(range(len(names)), names, fontsize=7)
    axis.set_xlim(0, 106)
    axis.set_xlabel("evidence recall@10, percent")


_PANELS: dict[str, Callable[[Any, Sequence[RealOutcome], Mapping[str, float]], None]] = {
    "capacity": _capacity,
    "allocation": _bars,
    "compression": _compression,
    "staleness": _bars,
}
