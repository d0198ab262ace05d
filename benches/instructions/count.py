"""Counts the instructions of the hot calls under valgrind and compares them with the committed baseline.

    python benches/instructions/count.py PROGRAM            # exit 1 if a call got more expensive
    python benches/instructions/count.py PROGRAM --update   # write what was counted into baseline.json

A count hardly depends on the machine or its load, but it does on the compiler and the C library: the baseline has an
entry for each pair, and without one for this pair nothing is compared. valgrind knows AVX2 but not AVX-512, so the
kernels are those of AVX2 everywhere.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

BASELINE = Path(__file__).with_name("baseline.json")
MEASURED = "measured_call"
LEVEL = "avx2"
console = Console() if Console().is_terminal else Console(width=100)


def total_of(dump: Path) -> int:
    match = re.search(r"^totals: (\d+)", dump.read_text(), re.MULTILINE)
    if match is None:
        raise click.ClickException(f"no totals in {dump.name}; did valgrind change its format?")
    return int(match[1])


def count(program: Path) -> tuple[str, dict[str, int]]:
    """The compiler and library that the program was built with, and the instructions of one call, by name."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "out"
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={MEASURED}", f"--dump-after={MEASURED}"]
        command += [f"--callgrind-out-file={out}", str(program)]
        done = subprocess.run(
            command, env={**os.environ, "MEMSPAN_SIMD": LEVEL}, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise click.ClickException(f"valgrind failed ({done.returncode}):\n{done.stderr[-2000:]}")
        environment, *calls = done.stdout.splitlines()
        counts = {}
        for number, line in enumerate(calls, 1):
            name, times = line.split()
            counts[name] = round(total_of(Path(f"{out}.{number}")) / int(times))
        return environment, counts


def show(counts: dict[str, int], before: dict[str, int], tolerance: float) -> list[str]:
    """Prints a row for each call; returns what is wrong."""
    table = Table(title="instructions of one call", title_justify="left")
    for column in ("call", "counted", "baseline", "change", ""):
        table.add_column(column, justify="left" if column in ("call", "") else "right")
    wrong = [f"{name} is in the baseline, but was not counted" for name in before if name not in counts]
    for name, now in counts.items():
        then = before.get(name)
        change = (now - then) / then if then else None
        remark = ""
        if change is None:
            remark = "not in the baseline" if before else ""
        elif change > tolerance:
            remark = "[red]more expensive[/]"
            wrong.append(f"{name} takes {change:+.1%} instructions; {tolerance:.0%} are tolerated")
        elif change < -0.1:
            remark = "[green]much cheaper: update the baseline[/]"
        shown = "" if change is None else f"{change:+.2%}"
        table.add_row(name, f"{now:,}", f"{then:,}" if then else "", shown, remark)
    console.print(table)
    return wrong


@click.command(
    help="Count the instructions of the hot calls under valgrind and compare them with the baseline."
)
@click.argument("program", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--update", is_flag=True, help="Write the counts into the baseline.")
@click.option("--tolerance", type=float, default=0.03, show_default=True, help="Growth that does not fail.")
def main(program: Path, update: bool, tolerance: float) -> None:
    if shutil.which("valgrind") is None:
        raise click.ClickException("valgrind is not installed (Debian: apt-get install valgrind)")
    environment, counts = count(program.resolve())
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    before = baseline.get(environment, {})
    wrong = show(counts, before, tolerance)
    if update:
        BASELINE.write_text(json.dumps(baseline | {environment: counts}, indent=1) + "\n")
        console.print(f"{BASELINE.name}: written for {environment}")
    elif not before:
        console.print(
            f"[bold]Not compared:[/] the baseline has no counts for {environment}, only for {[*baseline]}"
        )
    elif wrong:
        console.print(*wrong, sep="\n", style="red")
        sys.exit(1)


if __name__ == "__main__":
    main()
