"""Growth curves: latency and memory against the records of one user, and against users of 100 records each.

    python benches/growth.py run                    # every point that is not in the results yet
    python benches/growth.py run --most 100000      # only up to so many records in all
    python benches/growth.py run --again            # all of them anew
    python benches/growth.py chart

Every point is a process of its own, written down as soon as it is measured: stop and go on at any time. The largest
(10 million records) keeps 4 GiB of them in memory and the others in 20 GB of temporary files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from growth_point import KINDS
from machine import one_line

RESULTS = Path(__file__).parent / "results" / "growth.json"
SMALL_USER = 100
ONE_USER = [(1, records) for records in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)]
MANY_USERS = [(users, SMALL_USER) for users in (1, 10, 100, 1_000, 10_000, 100_000)]
console = Console(stderr=True)

Points = dict[str, dict[str, Any]]


def name(users: int, records: int) -> str:
    return f"{users}x{records}"


def load(path: Path) -> Points:
    return json.loads(path.read_text()) if path.exists() else {}


def measure(users: int, records: int, date: str | None) -> dict[str, Any]:
    command = [sys.executable, str(Path(__file__).with_name("growth_point.py"))]
    command += ["--users", str(users), "--records", str(records), *(["--date", date] if date else [])]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout)


@click.group(help=__doc__)
def main() -> None:
    pass


@main.command(help="Measure the points that are missing.")
@click.option(
    "--most", type=int, default=10_000_000, show_default=True, help="Records in all that a point may have."
)
@click.option("--again", is_flag=True, help="Measure what is there already too.")
@click.option("--date", default=None, help="Date to write down; today by default.")
@click.option("--out", type=click.Path(path_type=Path), default=RESULTS, show_default=True)
def run(most: int, again: bool, date: str | None, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    for users, records in dict.fromkeys(ONE_USER + MANY_USERS):
        points = load(out)
        if users * records > most or (name(users, records) in points and not again):
            continue
        console.print(f"{users:,} users × {records:,} records")
        points[name(users, records)] = measure(users, records, date)
        out.write_text(json.dumps(points, indent=1) + "\n")


def series(points: Points, wanted: list[tuple[int, int]]) -> list[dict[str, Any]]:
    return [points[name(*one)] for one in wanted if name(*one) in points]


def draw_latency(axis: Any, rows: list[dict[str, Any]], x: list[int]) -> None:
    for kind, title in KINDS.items():
        (line,) = axis.plot(x, [row["kinds"][kind]["p50_us"] for row in rows], marker="o", ms=3, label=title)
        axis.plot(x, [row["kinds"][kind]["p99_us"] for row in rows], color=line.get_color(), lw=0.8, ls=":")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_ylabel("µs a query from Python (p50; dotted p99)")


def draw_memory(axis: Any, rows: list[dict[str, Any]], x: list[int]) -> None:
    axis.plot(x, [row["resident_bytes_a_record"] for row in rows], marker="o", ms=3, label="resident")
    axis.plot(x, [row["counted_bytes_a_record"] for row in rows], marker="o", ms=3, label="as stats() counts")
    axis.axhline(384 * 4, color="#999999", lw=0.8, ls="--", label="the float vector alone")
    axis.set_xscale("log")
    axis.set_ylim(0)
    axis.set_ylabel("bytes a record")


@main.command(help="Draw the points as PNG beside the results (needs the extra `bench`).")
@click.option("--out", type=click.Path(path_type=Path), default=RESULTS, show_default=True)
def chart(out: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    points = load(out)
    figure, axes = plt.subplots(2, 2, figsize=(12, 8))
    for column, (wanted, which, label) in enumerate(
        (
            (ONE_USER, "records", "records of one user"),
            (MANY_USERS, "users", f"users of {SMALL_USER} records each"),
        )
    ):
        rows = series(points, wanted)
        x = [row[which] for row in rows]
        draw_latency(axes[0, column], rows, x)
        draw_memory(axes[1, column], rows, x)
        for axis in axes[:, column]:
            axis.set_xlabel(label)
            axis.grid(alpha=0.25)
            axis.spines[["top", "right"]].set_visible(False)
            axis.legend(frameon=False, fontsize=8)
    if points:
        figure.text(0.01, 0.005, one_line(list(points.values())[-1]["machine"]), fontsize=7, color="#555555")
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    figure.savefig(out.with_suffix(".png"), dpi=140)
    console.print(f"{out.with_suffix('.png')}")


if __name__ == "__main__":
    main()
