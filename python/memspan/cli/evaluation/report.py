"""What `memspan eval` shows: scores, sessions, LongMemEval's own metrics, times."""

from __future__ import annotations

from itertools import islice
from typing import Any

from rich.table import Table
from rich.text import Text

from memspan.cli.environment import Environment
from memspan.cli.tables import cell, counted, estimate_cell, plain_table, print_figures
from memspan.evaluate import Evaluation, Group
from memspan.evaluate.chart import focus

from .context import context_table

__all__ = ["print_evaluation"]

_LISTED = 10
_MISSING = Text("-", style="dim")


def print_evaluation(env: Environment, evaluation: Evaluation, *, by_category: bool) -> None:
    """All figures, each with what it is."""
    groups = evaluation.groups(by_category)
    users, turns = (sum(getattr(file, name) for file in evaluation.files) for name in ("users", "turns"))
    options = "".join(f", {name}={value}" for name, value in evaluation.options.items())
    env.say(
        f"{evaluation.data_set}: conversations {users:,}, turns {turns:,}, questions {groups[0].questions:,}; "
        f"k={evaluation.ks[-1]}{options}; embedder {evaluation.embedder}"
    )
    env.say(f"unit: {evaluation.unit}; percent, micro averages; ±: half of the 95 % bootstrap interval")
    env.say("")
    print_figures(env.out, _scores(groups, evaluation.ks), 2)
    for line in _counts(groups[0], evaluation):
        env.say(line, style="dim")
    if groups[0].context:
        env.say("")
        env.say(f"evidence inside a context of at most {evaluation.tokens:,} tokens a question")
        print_figures(env.out, context_table(groups), 2)
    env.say("")
    env.say("session-level, only to compare with other reports: any turn of a session with evidence")
    print_figures(env.out, _session_hits(groups[0], evaluation.ks))
    if own := evaluation.longmemeval():
        env.say("")
        env.say("LongMemEval's own metrics, over user turns: as its scripts compute them | corrected")
        print_figures(env.out, _longmemeval(own), 3)
    env.say("")
    env.say("milliseconds a question")
    print_figures(env.out, _latency(evaluation))


def _scores(groups: list[Group], ks: tuple[int, ...]) -> Table:
    k = focus(ks)
    columns = {f"R@{each}": f"recall@{each}" for each in ks}
    columns |= {f"all@{k}": f"all@{k}", f"hit@{k}": f"hit@{k}", f"nDCG@{k}": f"ndcg@{k}", "MRR": "mrr"}
    table = plain_table()
    table.add_column("questions", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        count = f"{group.scored:,}" if group.scored else f"{group.questions:,} asked"
        table.add_row(cell(group.name), cell(count), *(_score(group, name) for name in columns.values()))
    return table


def _score(group: Group, name: str) -> Text:
    return estimate_cell(group.scores[name]) if group.scores else _MISSING


def _counts(group: Group, evaluation: Evaluation) -> list[str]:
    """What is not in the averages, and why."""
    lines = [
        f"{group.scored:,} of {counted(group.questions, 'question')} scored; "
        f"{group.unanswerable:,} have no answer in the conversation, {group.unlabelled:,} have no evidence that exists"
    ]
    missing = [label for labels in evaluation.missing_labels().values() for label in labels]
    if missing:
        listed = ", ".join(islice(missing, _LISTED)) + (", ..." if len(missing) > _LISTED else "")
        name = "names" if len(missing) == 1 else "name"
        lines.append(f"{counted(len(missing), 'label')} {name} nothing in the conversations: {listed}")
    return lines


def _session_hits(group: Group, ks: tuple[int, ...]) -> Table:
    table = plain_table()
    table.add_column("n", justify="right")
    for k in ks:
        table.add_column(f"hit@{k}", justify="right", no_wrap=True)
    hits = [estimate_cell(group.session_hits[f"hit@{k}"]) if group.session_hits else _MISSING for k in ks]
    table.add_row(cell(f"{group.session_scored:,}"), *hits)
    return table


def _longmemeval(rows: list[dict[str, Any]]) -> Table:
    table = plain_table()
    for name in ("level", "k", "n", "recall_any", "recall_all", "ndcg_any"):
        table.add_column(name, justify="left" if name == "level" else "right", no_wrap=True)
    for row in rows:
        pairs = [
            cell(" | ".join(_percent(row[form].get(name)) for form in ("scripts", "corrected")))
            for name in ("recall_any", "recall_all", "ndcg_any")
        ]
        counts = f"{row['scripts']['questions']:,} | {row['corrected']['questions']:,}"
        table.add_row(cell(row["level"]), cell(row["k"]), cell(counts), *pairs)
    return table


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.1f}"


def _latency(evaluation: Evaluation) -> Table:
    table = plain_table()
    table.add_column("stage")
    for name in ("p50", "p95", "mean"):
        table.add_column(name, justify="right", no_wrap=True)
    for stage, latency in evaluation.all_latencies().items():
        seconds = (latency.p50, latency.p95, latency.mean)
        table.add_row(cell(stage), *(cell(f"{each * 1e3:.3f}") for each in seconds))
    return table
