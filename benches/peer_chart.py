"""The comparison as a picture: for each kind of query, microseconds of memspan and of the fastest rivals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from machine import one_line
from peer_goals import COMPOSED, LIGHT, STORE

TITLES = {
    "a": "dense",
    "b": "dense,\ntime range",
    "c": "BM25",
    "d": "dense,\ntag",
    "e": "fused,\ntime range",
    "g": "latest 20",
}
COLOURS = {LIGHT: "#b8b8b8", "memspan": "#1b6ca8", COMPOSED: "#e0a458", STORE: "#a23b3b"}


def bars_of(lines: list[dict[str, Any]], kind: str) -> list[tuple[str, str, float]]:
    """(group, name, microseconds) of what was compared in a kind of query."""
    compared = [line for line in lines if line["what"] == kind and line["rival"]]
    bars = {line["against"]: (line["against"], line["rival"], line["theirs"]) for line in compared}
    if compared:
        bars["memspan"] = ("memspan", "memspan", compared[0]["ours"])
    return [bars[group] for group in COLOURS if group in bars]


def draw(report: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    sizes = report["sizes"]
    figure, axes = plt.subplots(len(sizes), 1, figsize=(15, 3.4 * len(sizes)), squeeze=False)
    for (size, part), axis in zip(sizes.items(), axes[:, 0], strict=True):
        for place, kind in enumerate(TITLES):
            bars = bars_of(part["lines"], kind)
            for offset, (group, name, micros) in enumerate(bars):
                x = place + (offset - (len(bars) - 1) / 2) * 0.21
                axis.bar(x, micros, 0.19, color=COLOURS[group], label=group if place == 0 else None)
                axis.text(x, micros, f"{micros:,.1f}\n{name if group != 'memspan' else ''}", ha="center",
                          va="bottom", fontsize=5.5)  # fmt: skip
        axis.set_yscale("log")
        axis.margins(y=0.25)
        axis.set_xticks(range(len(TITLES)), list(TITLES.values()))
        axis.set_ylabel("µs a query (p50)")
        axis.set_title(f"{size}: {part['workload']}", loc="left", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].legend(frameon=False, fontsize=8, ncols=4, loc="upper right", bbox_to_anchor=(1, 1.17))
    figure.text(0.01, 0.005, one_line(report["machine"]), fontsize=7, color="#555555")
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)
