"""The results page of `stalls.py`: what the figures of one run say, as Markdown."""

from __future__ import annotations

from typing import Any

from machine import one_line

CAUSES = ("own work", "waiting", "the machine")
HEAD = """# A user who grows for a long time: does any search wait?

`{command}`: {machine}.

One thread adds {records:,} records one by one, erases one for every ten, and searches after each, while the index
consolidates the user on a thread of its own ({consolidations} times). Only the searches are timed. One of more than a
millisecond is put down to its own work, if it used the processor for so long; to waiting, for a lock or for memory that
somebody holds; or to the machine: a thread that could run and had no core. The loop touches nothing shared: what the
machine does to that, it does to searches."""


def page(report: dict[str, Any], command: str) -> str:
    """Searches over a millisecond by what kept them, and how long searches take by the age of the index."""
    drift = report["drift"]
    lines = [
        HEAD.format(
            command=command,
            machine=one_line(report["machine"]),
            records=drift[-1]["records"],
            consolidations=report["consolidations"],
        ),
        "",
        "| | count | p50 us | p99 us | p99.99 us | longest us | over 1 ms | " + " | ".join(CAUSES) + " |",
        "|---" * (7 + len(CAUSES)) + "|",
        row("searches", report["searches"], [str(report["over_1_ms_by_cause"][cause]) for cause in CAUSES]),
        row("a loop of 20 us", report["idle_loop"], [""] * len(CAUSES)),
        "",
        verdict(report),
    ]
    if report["stolen_ticks"] is not None:
        lines += [
            "",
            f"Meanwhile other machines took {report['stolen_ticks']:,} ticks (of 10 ms) of the processors.",
        ]
    lines += [
        "",
        "## By the age of the index",
        "",
        "| records added | by vectors, p50 us | by vectors, words and time, p50 us | longest us |",
        "|---|---|---|---|",
    ]
    for part in drift:
        lines.append(
            f"| {part['records']:,} | {part['dense_p50_us']:,} | {part['fused_p50_us']:,} | {part['longest_us']:,} |"
        )
    lines += ["", trend(drift)]
    return "\n".join(lines) + "\n"


def row(name: str, figures: dict[str, Any], causes: list[str]) -> str:
    cells = [
        f"{figures[key]:,}" for key in ("count", "p50_us", "p99_us", "p99.99_us", "longest_us", "over_1_ms")
    ]
    return "| " + " | ".join([name, *cells, *causes]) + " |"


def verdict(report: dict[str, Any]) -> str:
    """What kept the longest search that we are to blame for."""
    waiting = [each for each in report["over_1_ms"] if each["cause"] == "waiting"]
    if not waiting:
        return "**No search waited for more than a millisecond for what the index holds.**"
    longest = max(waiting, key=lambda each: float(each["wall_us"]))
    searches = "1 search" if len(waiting) == 1 else f"{len(waiting)} searches"
    return (
        f"**{searches} waited for more than a millisecond**; the longest took {longest['wall_us']:,} us, "
        f"{longest['own_us']:,} of them its own work, at {longest['at']:,} records."
    )


def trend(drift: list[dict[str, Any]]) -> str:
    """Growth of the medians against growth of the index, from the first part of full length to the last."""
    first, last = drift[0], drift[-1]
    grown = last["records"] / first["records"]
    times = [last[key] / first[key] for key in ("dense_p50_us", "fused_p50_us")]
    return (
        f"With {grown:.3g} times the records a search by vectors takes {times[0]:.2f} times as long, "
        f"and one by vectors, words and time {times[1]:.2f} times."
    )
