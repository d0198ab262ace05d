"""The paper's five figures, from our outcomes (extra `simulate`)."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memspan.errors import missing_extra

from . import published
from .claims import by_strategy
from .experiments import EXPERIMENTS, RATIOS
from .run import Outcome
from .statistics import interval

__all__ = ["draw", "new_figure", "require_matplotlib"]

_OURS = "#1b6ca8"
_PAPER = "#d08a2e"


def require_matplotlib() -> Any:
    """`matplotlib.figure`.

    Raises:
        MissingExtraError: matplotlib is not installed; says which extra installs it.
    """
    try:
        return importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise missing_extra("matplotlib", "drawing a simulation", "simulate") from error


def new_figure(columns: int, width: float = 12.0) -> tuple[Any, list[Any]]:
    """A figure with so many panels side by side. It is nobody else's: no global state, no display.

    Raises:
        MissingExtraError: matplotlib is not installed; says which extra installs it.
    """
    figure = require_matplotlib().Figure(figsize=(width, 4.2), layout="constrained")
    axes = figure.subplots(1, columns)
    panels = [axes] if columns == 1 else list(axes)
    for axis in panels:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, panels


def draw(outcomes: Mapping[str, Sequence[Outcome]], directory: str | os.PathLike[str]) -> list[Path]:
    """Write a PNG for each experiment that was run, `<experiment>.png`; gives their paths.

    Raises:
        MissingExtraError: matplotlib or scipy is not installed.
        OSError: a file cannot be written.
    """
    makers: dict[str, Callable[[Sequence[Outcome]], Any]] = {
        "allocation": _bars_of(published.ALLOCATION),
        "compression": _compression,
        "staleness": _staleness,
        "agents": _bars_of(published.SCORES),
        "capacity": _capacity,
        "horizon": _horizon,
        "validity": _staleness,
    }
    paths = []
    for name, found in outcomes.items():
        figure = makers[name](found)
        figure.suptitle(EXPERIMENTS[name].title, fontsize=11)
        paths.append(Path(directory) / f"{name}.png")
        figure.savefig(paths[-1], format="png", dpi=90)
    return paths


def _bars_of(paper: Mapping[str, float]) -> Callable[[Sequence[Outcome]], Any]:
    def make(outcomes: Sequence[Outcome]) -> Any:
        figure, (axis,) = new_figure(1, 9)
        for place, outcome in enumerate(reversed(outcomes)):
            mean = float(outcome.scores.mean())
            low, high = interval(outcome)
            axis.barh(place, mean, xerr=[[mean - low], [high - mean]], color=_OURS, height=0.6)
            if outcome.condition.name in paper:
                axis.plot(
                    paper[outcome.condition.name],
                    place,
                    marker="D",
                    color=_PAPER,
                    linestyle="",
                    label="" if place else "paper",
                )
        names = [outcome.condition.name for outcome in reversed(outcomes)]
        axis.set_yticks(range(len(names)), names, fontsize=8)
        axis.set_xlim(0.5, 0.75)
        axis.set_xlabel("decision quality; bars: ours with 95 % intervals")
        axis.legend(frameon=False, fontsize=8)
        return figure

    return make


def _compression(outcomes: Sequence[Outcome]) -> Any:
    figure, (quality, fidelity) = new_figure(2)
    for name, values in by_strategy(outcomes).items():
        quality.plot(RATIOS, values, marker="o", markersize=3, label=name)
        own = [outcome.fidelity.mean() for outcome in outcomes if outcome.condition.compression == name]
        fidelity.plot(RATIOS, own, marker="o", markersize=3, label=name)
    for axis, what in ((quality, "decision quality"), (fidelity, "nominal fidelity")):
        axis.set_xlabel("target ratio r*")
        axis.set_ylabel(what)
        axis.grid(alpha=0.3)
    quality.legend(frameon=False, fontsize=8)
    return figure


def _staleness(outcomes: Sequence[Outcome]) -> Any:
    figure, (quality, true, tracked) = new_figure(3)
    for outcome in outcomes:
        label = outcome.condition.name
        values = outcome.quality.mean(axis=0)
        # A mean over ten steps: single tasks differ in kind and difficulty.
        smooth = [values[max(0, step - 9) : step + 1].mean() for step in range(len(values))]
        quality.plot(smooth, label=label, linewidth=1.2)
        true.plot(outcome.true_staleness.mean(axis=0), label=label, linewidth=1.2)
        tracked.plot(outcome.tracked_staleness.mean(axis=0), label=label, linewidth=1.2)
    for axis, what in (
        (quality, "decision quality"),
        (true, "true staleness"),
        (tracked, "tracked staleness"),
    ):
        axis.set_xlabel("step")
        axis.set_ylabel(what)
        axis.grid(alpha=0.3)
    quality.legend(frameon=False, fontsize=8)
    return figure


def _capacity(outcomes: Sequence[Outcome]) -> Any:
    figure, (quality, pressure) = new_figure(2)
    slots = [outcome.capacity for outcome in outcomes]
    quality.plot(
        slots, [outcome.scores.mean() for outcome in outcomes], marker="o", color=_OURS, label="ours"
    )
    quality.plot(
        list(published.CAPACITY), list(published.CAPACITY.values()), "D", color=_PAPER, label="paper"
    )
    pressure.plot(slots, [outcome.pressure for outcome in outcomes], marker="o", color=_OURS)
    pressure.plot(list(published.PRESSURE), list(published.PRESSURE.values()), "D", color=_PAPER)
    for axis, what in ((quality, "decision quality"), (pressure, "memory pressure")):
        axis.set_xscale("log")
        axis.set_xticks(slots, list(map(str, slots)), fontsize=8)
        axis.minorticks_off()
        axis.set_xlabel("capacity")
        axis.set_ylabel(what)
        axis.grid(alpha=0.3)
    quality.set_ylim(0.6, 0.7)
    quality.legend(frameon=False, fontsize=8)
    return figure


def _horizon(outcomes: Sequence[Outcome]) -> Any:
    figure, (axis,) = new_figure(1, 7)
    steps = [outcome.condition.steps for outcome in outcomes]
    axis.plot(steps, [outcome.scores.mean() for outcome in outcomes], marker="o", color=_OURS, label="ours")
    axis.plot(list(published.HORIZON), list(published.HORIZON.values()), "D", color=_PAPER, label="paper")
    axis.set_ylim(0.6, 0.7)
    axis.set_xlabel("task horizon, steps")
    axis.set_ylabel("decision quality")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, fontsize=8)
    return figure
