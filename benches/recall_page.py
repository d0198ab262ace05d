"""Write the results page of retrieval from what `memspan eval --json` printed.

    memspan eval locomo locomo5.json --json > locomo_none.json         # and so on, see below
    python benches/recall_page.py DIRECTORY --left-out left_out.json > benches/results/recall.md

The directory holds one file for each data set and way of searching, with the names of `SETS` and `WAYS`, such as
`beam_r150.json`. `--left-out` is what `late_interaction.py --json` wrote.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

WAYS = {
    "rrf": '`fusion="rrf"`',
    "none": "learned (default)",
    "r150": "reranked, 150 ms",
    "r1000": "reranked, 1 s",
}
SETS = {
    "locomo": "LoCoMo, five conversations",
    "realtalk": "REALTALK, five chats",
    "beam": "BEAM 100K, eight chats",
    "beam500k": "BEAM 500K, one chat",
    "halumem": "HaluMem, one user (the unit is a session)",
    "longmemeval": "LongMemEval, a sample of three users",
}
FIGURES = ("recall@1", "recall@5", "recall@10", "recall@20", "recall@50", "all@10", "mrr")
FURTHER = ("hit@1", "hit@5", "hit@10", "ndcg@5", "ndcg@10")
OF_SESSIONS = ("hit@1", "hit@5", "hit@10")
LEFT_OUT = {
    "conversation, learned": "left out",
    "conversation, reranked": "left out, reranked, 150 ms",
    "data_set, learned": "other sets",
    "data_set, reranked": "other sets, reranked, 150 ms",
}
HEAD = "| | R@1 | R@5 | R@10 | R@20 | R@50 | all@10 | MRR |\n|---|---|---|---|---|---|---|---|"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--left-out", type=Path)
    arguments = parser.parse_args()
    left_out = left_out_of(arguments.left_out) if arguments.left_out else {}
    for name, title in SETS.items():
        runs = {way: arguments.directory / f"{name}_{way}.json" for way in WAYS}
        found = {way: json.loads(path.read_text()) for way, path in runs.items() if path.exists()}
        if found:
            print("\n".join(section(name, title, found, left_out)))
            print()


def left_out_of(path: Path) -> dict[str, Any]:
    """By what was left out and how it was searched, the quality by data set."""
    ways = json.loads(path.read_text())["left_out"]
    return {
        f"{way}, {told}": found[searched]
        for way, found in ways.items()
        for searched, told in (("searched, 0 ms", "learned"), ("searched, 150 ms", "reranked"))
        if searched in found
    }


def section(name: str, title: str, runs: Mapping[str, Any], left_out: Mapping[str, Any]) -> Iterable[str]:
    whole = {way: run["groups"][0] for way, run in runs.items()}
    yield f"## {title} (n = {next(iter(whole.values()))['scored']})\n"
    yield HEAD
    for way, group in whole.items():
        yield row(WAYS[way], group)
    for way, told in LEFT_OUT.items():
        if name in left_out.get(way, {}):
            yield plain_row(told, left_out[way][name])
    yield ""
    yield from further(whole)
    yield "| milliseconds, p50 / p95 | planning | embedding | native search | fetch | reranking | total |"
    yield "|---|---|---|---|---|---|---|"
    for way, run in runs.items():
        stages = ("planning", "embedding", "search", "fetch", "reranking", "total")
        times = " | ".join(
            f"{run['latency_ms'][key]['p50']:.2f} / {run['latency_ms'][key]['p95']:.2f}" for key in stages
        )
        yield f"| {WAYS[way]} | {times} |"
    yield ""
    yield from by_category(
        runs, left_out.get("conversation, learned", {}).get(name, {}).get("categories", {})
    )
    if own := runs.get("none", {}).get("longmemeval"):
        yield from longmemeval(own)


def by_category(runs: Mapping[str, Any], left_out: Mapping[str, Any]) -> Iterable[str]:
    groups = {
        way: {each["name"]: each for each in run["groups"][1:] if each["scored"]} for way, run in runs.items()
    }
    if not groups.get("none"):
        return
    for way in ("none", "r150"):
        if way not in groups:
            continue
        yield f"By category, {WAYS[way]}:\n"
        yield HEAD.replace("| | R@1", "| | n | R@1").replace("|---|---", "|---|---|---", 1)
        for name, group in groups[way].items():
            yield row(f"{name.replace('_', ' ')} | {group['scored']}", group)
        yield ""
    yield "R@10 by category:\n"
    titles = [*(WAYS[way] for way in groups), *(["left out"] if left_out else [])]
    yield "| | " + " | ".join(titles) + " |"
    yield "|---" * (1 + len(titles)) + "|"
    for name in groups["none"]:
        cells = [f"{100 * groups[way][name]['scores']['recall@10']['mean']:.1f}" for way in groups]
        if left_out:
            cells.append(f"{100 * left_out[name]['recall']['10']:.1f}")
        yield f"| {name.replace('_', ' ')} | " + " | ".join(cells) + " |"
    yield ""


def longmemeval(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    figures = ("recall_any", "recall_all", "ndcg_any")
    yield "LongMemEval's own metrics, learned: by its scripts | corrected (`memspan.evaluate.longmemeval`):\n"
    yield "| | n | " + " | ".join(figures) + " |"
    yield "|---" * (2 + len(figures)) + "|"
    for each in rows:
        scripts, corrected = each["scripts"], each["corrected"]
        cells = [f"{100 * scripts[one]:.1f} \\| {100 * corrected[one]:.1f}" for one in figures]
        counts = f"{scripts['questions']} \\| {corrected['questions']}"
        yield f"| {each['level']}, k = {each['k']} | {counts} | " + " | ".join(cells) + " |"


def row(title: str, group: Mapping[str, Any]) -> str:
    return f"| {title} | " + " | ".join(percent(group["scores"][figure]) for figure in FIGURES) + " |"


def plain_row(title: str, quality: Mapping[str, Any]) -> str:
    recall = [f"{100 * quality['recall'][str(k)]:.1f}" for k in (1, 5, 10, 20, 50)]
    return f"| {title} | " + " | ".join(recall) + f" | | {100 * quality['mrr']:.1f} |"


def further(groups: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    """Other measures, what a context holds, and hits by session, which say less than turns do."""
    yield (
        "| | " + " | ".join(FURTHER) + " | evidence in 600 tokens | all of it | tokens | "
        + " | ".join(f"session {figure}" for figure in OF_SESSIONS) + " |"
    )  # fmt: skip
    yield "|---" * (4 + len(FURTHER) + len(OF_SESSIONS)) + "|"
    for way, group in groups.items():
        cells = [percent(group["scores"][figure]) for figure in FURTHER]
        held = group.get("context") or {}
        known = bool(held.get("recall"))
        cells += [percent(held["recall"]), percent(held["all"])] if known else ["", ""]
        cells.append(f"{held['tokens']['mean']:.0f}" if known else "")
        hits = group.get("session_hits") or {}
        cells += [percent(hits[figure]) if figure in hits else "" for figure in OF_SESSIONS]
        yield f"| {WAYS[way]} | " + " | ".join(cells) + " |"
    yield ""


def percent(score: Mapping[str, float]) -> str:
    """A mean, and half the width of its interval."""
    return f"{100 * score['mean']:.1f} ({50 * (score['high'] - score['low']):.1f})"


if __name__ == "__main__":
    main()
