"""Measure memspan beside other stores in one run, and hold the ratios against the goals.

    PEERS_HOME=... python benches/peers.py --harness DIR --size S --size M --rounds 3

Each store runs in a process of its own, one after the other, in as many interleaved rounds as asked for; a figure
is the median of the rounds. `peer_goals.py` states which store counts as a rival.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from machine import describe_machine, one_line
from peer_goals import COMPOSED, LIGHT, OURS, STORE, Line, group_lines, group_of
from peer_limits import limit_lines
from peer_runs import PACKAGES, PEERS, Harness, join_rounds

WORKLOADS = {
    "S": "1 user × 10,000 records",
    "M": "100 users × 1,000",
    "L": "1 user × 200,000",
    "XL": "1 user × 1,000,000",
}
HARNESS_HELP = (
    "A directory with peers_bench.py (`run --size --peers --budget --passes --limit`; writes a JSON file for each "
    "store into $PEERS_RES; loads the adapters named in $PEERS_EXTRA), workload.py (`load(size)`) and base.py (`Peer`)."
)
RESULTS = Path(__file__).parent / "results"
console = Console() if Console().is_terminal else Console(width=140)


def measure(harness: Harness, size: str, peers: list[str], rounds: int) -> dict[str, Any]:
    """Every peer's rounds, joined; then each one's recall, counted so that equal scores are no misses."""
    runs: dict[str, list[dict[str, Any]]] = {peer: [] for peer in peers}
    for number in range(rounds):
        for peer in peers:
            console.print(f"[dim]{size}, round {number + 1} of {rounds}: {peer}[/]")
            if result := harness.run(size, peer):
                runs[peer].append(result)
    joined = {peer: join_rounds(results) for peer, results in runs.items() if results}
    for peer, result in joined.items():
        result["rounds"] = [
            {kind: found.get("p50_us") for kind, found in one["queries"].items()} for one in runs[peer]
        ]
        result["tie_recall"] = harness.script("peer_recall.py", "--size", size, "--peer", peer) or {}
    return joined


def number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def show(size: str, lines: list[Line]) -> None:
    table = Table(title=f"{size}: {WORKLOADS[size]}; µs a query unless said otherwise", title_justify="left")
    for column, right in (("against", 0), ("what", 0), ("memspan", 1), ("recall", 1), ("other", 1), ("recall", 1),
                          ("which", 0), ("ratio", 1), ("goal", 1), ("met", 0)):  # fmt: skip
        table.add_column(column, justify="right" if right else "left")
    last = None
    for line in lines:
        if last and line.against != last:
            table.add_section()
        last = line.against
        mark = {True: "[green]met[/]", False: "[red]not met[/]", None: line.note or "-"}[line.met]
        recalls = [
            "" if recall is None else f"{recall:.3f}" for recall in (line.our_recall, line.their_recall)
        ]
        which = f"{line.rival} ({line.note})" if line.rival and line.note else line.rival
        table.add_row(line.against, line.what, number(line.ours), recalls[0], number(line.theirs), recalls[1], which,
                      f"{line.ratio:.2f}×" if line.ratio else "", line.goal, mark)  # fmt: skip
    console.print(table)


def show_stores(results: dict[str, Any]) -> None:
    """What a store costs besides its queries."""
    table = Table(title="the stores themselves", title_justify="left")
    for column in (
        "store",
        "group",
        "records/s bulk",
        "insert µs",
        "batch q/s, 1 / 2 threads",
        "open, ms",
        "RSS, MB",
    ):
        table.add_column(column, justify="left" if column in ("store", "group") else "right")
    for name, result in results.items():
        insert = (result.get("insert_ms") or {}).get("p50")
        batch = " / ".join(number(result.get(f"batch_qps_t{threads}")) or "-" for threads in (1, 2))
        table.add_row(name, group_of(name, result), number(result["eps_per_s_bulk"]), number(insert and insert * 1000),
                      batch, number(result.get("open_first_query_ms")), number(result["rss_added_mb"]))  # fmt: skip
    console.print(table)


@click.command(help="Measure memspan beside other stores in one run, and hold the ratios against the goals.")
@click.option("--harness", "directory", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True,
              help=HARNESS_HELP)  # fmt: skip
@click.option(
    "--size", "sizes", multiple=True, type=click.Choice(list(WORKLOADS)), default=("S",), show_default=True
)
@click.option(
    "--peers", default=None, help="Names, with commas between; by default a selection for each size."
)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
@click.option("--budget", type=float, default=3.0, show_default=True, help="Seconds for each kind of query.")
@click.option("--passes", type=click.IntRange(1), default=5, show_default=True)
@click.option("--limit", type=int, default=900, show_default=True, help="Seconds that one process may take.")
@click.option("--date", default=None, help="Date to write down; today by default.")
@click.option("--out", type=click.Path(path_type=Path), default=RESULTS / "peers.json", show_default=True,
              help="The JSON file; the chart goes beside it.")  # fmt: skip
@click.option(
    "--chart/--no-chart", default=True, show_default=True, help="Draw PNG (needs the extra `bench`)."
)
def main(directory: Path, sizes: tuple[str, ...], peers: str | None, rounds: int, budget: float, passes: int,
         limit: int, date: str | None, out: Path, chart: bool) -> None:  # fmt: skip
    harness = Harness(directory.resolve(), budget, passes, limit)
    report: dict[str, Any] = {"machine": describe_machine(date, PACKAGES), "rounds": rounds, "sizes": {}}
    for size in sizes:
        names = peers.split(",") if peers else PEERS[size].split()
        results = measure(harness, size, names, rounds)
        if OURS not in results:
            raise click.ClickException(f"memspan was not measured at {size}; see the output above")
        own = harness.script("own_goals.py", "--size", size) or {}
        lines = [line for group in (LIGHT, STORE, COMPOSED) for line in group_lines(results, size, group)]
        lines += limit_lines(results, own, size)
        report["machine"]["load_average_at_the_end"] = [round(load, 2) for load in os.getloadavg()]
        report["sizes"][size] = {
            "workload": WORKLOADS[size],
            "lines": [line.as_json() for line in lines],
            "own": own,
            "stores": results,
        }
        show(size, lines)
        show_stores(results)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    console.print(one_line(report["machine"]))
    if chart:
        from peer_chart import draw

        draw(report, out.with_suffix(".png"))


if __name__ == "__main__":
    main()
