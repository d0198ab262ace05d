"""What `memspan eval --answer` and `--recipe` show: answers, what they took, and the papers' own figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from rich.table import Table
from rich.text import Text

from memspan.cli.environment import Environment
from memspan.cli.tables import cell, counted, estimate_cell, plain_table, print_figures
from memspan.evaluate.construction import Construction
from memspan.evaluate.reading.grading import MEASURES, AnswerGroup, macro_of
from memspan.evaluate.reading.published import difference, published
from memspan.evaluate.reading.report import AnswerReport

from .beside import Row, print_beside
from .costs import number_row, print_costs
from .halumem import print_halumem

__all__ = ["print_construction", "print_reading"]

_NAMES = {"f1": "F1", "set_f1": "set F1", "bleu_1": "BLEU-1", "exact": "exact", "judge": "judge"}
_WAYS = {"ask": "Memory.ask", "read": "one prompt", "own": "a function"}
_LISTED = 10
_MISSING = Text("-", style="dim")


def print_construction(env: Environment, construction: Construction, recipe: str, data_set: str) -> None:
    """What making memories took, by stage, over all runs that it took; and a conversation, beside the papers'."""
    env.say("")
    env.say(
        f"memories by recipe {recipe}: {construction.records:,} made in {counted(construction.jobs, 'job')} and "
        f"{construction.seconds:,.1f} s; conversations {construction.users:,}"
    )
    table = plain_table()
    for name in ("stage", "model"):
        table.add_column(name)
    for name in ("calls", "prompt tokens", "completion tokens", "model seconds"):
        table.add_column(name, justify="right")
    for each in construction.stages:
        usage = each.usage
        numbers = (usage.calls, usage.prompt_tokens, usage.completion_tokens)
        table.add_row(
            cell(each.stage), cell(each.model), *(f"{n:,}" for n in numbers), f"{usage.seconds:,.1f}"
        )
    print_figures(env.out, table, 2)
    if not construction.complete:
        env.note(
            f"{construction.parked:,} jobs were given up, {construction.waiting:,} wait, and "
            f"{construction.undecided:,} memories are undecided in sleep: every figure is one of an unfinished memory; "
            "the next run tries again"
        )
    print_costs(env, construction, recipe, data_set)


def print_reading(env: Environment, report: AnswerReport) -> None:
    """All figures, each with what it belongs to."""
    overall, groups = report.overall(), report.by_category()
    judge = "no judge" if report.judge is None else f"judge {report.judge} ({report.manner})"
    env.say("")
    env.say(
        f"answers: recipe {report.recipe}; reader {report.reader} by {_WAYS[report.asked_by]}; {judge}; contexts of at "
        f"most {report.tokens:,} tokens, {report.context_tokens():,.0f} on average"
        + (f", from k={report.k}" if report.k is not None else f", planned by {report.plan}")
    )
    if failed := report.plans_failed():
        env.note(f"{failed:,} questions were planned by rules because the model gave no plan in time")
    env.say(
        "percent; micro: every question counts the same; macro: every category; ±: half of the 95 % interval"
    )
    print_figures(env.out, _scores(overall, groups), 2)
    env.say(
        f"{overall.scored:,} of {counted(overall.questions, 'question')} scored, {overall.judged:,} judged; "
        f"{overall.unanswerable:,} have no answer, {overall.without_gold:,} no gold answer",
        style="dim",
    )
    if overall.failed or overall.judge_failed:
        _failures(env, report, overall)
    env.say("")
    env.say("seconds a conversation (the columns of SimpleMem's table 4)")
    print_figures(env.out, number_row(report.times(), 2), 0)
    if (halumem := report.shares()) is not None:
        print_halumem(env, report, halumem)
    if rows := published(report.data_set):
        env.say("")
        env.say(f"the papers' own figures for {report.data_set}, copied from their tables; not measured here")
        _print_beside(env, report, overall, groups)
        env.say(
            f"Figures of different models do not compare, nor those of different judges; this run's reader is "
            f"{report.reader}. The {len(rows)} rows also differ in prompts, and in what they call F1.",
            style="dim",
        )


def _failures(env: Environment, report: AnswerReport, overall: AnswerGroup) -> None:
    env.note(
        f"{overall.failed:,} questions without an answer and {overall.judge_failed:,} answers without a verdict, "
        "because a model failed; they are in no average, and the next run asks again:"
    )
    for each in islice(report.failures(), _LISTED):
        env.note(f"  {each.question.id}: {each.failure or each.judge_failure}")


def _scores(overall: AnswerGroup, groups: Sequence[AnswerGroup]) -> Table:
    table = plain_table()
    table.add_column("questions", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in (*_NAMES.values(), "refused", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    for title, group in (("micro", overall), *((group.name, group) for group in groups)):
        values = [
            estimate_cell(group.scores[name]) if name in group.scores else _MISSING for name in MEASURES
        ]
        said = _MISSING if group.refused is None else estimate_cell(group.refused)
        table.add_row(cell(title), cell(f"{group.scored:,}"), *values, said, cell(group.failed))
    macro = macro_of(groups)
    means = [cell(f"{macro[name][0] * 100:.1f}") if name in macro else _MISSING for name in MEASURES]
    most = max((of for _, of in macro.values()), default=0)
    table.add_row(cell(f"macro of {most}"), cell(""), *means, _MISSING, cell(""))
    return table


def _print_beside(
    env: Environment, report: AnswerReport, overall: AnswerGroup, groups: Sequence[AnswerGroup]
) -> None:
    rows: list[Row] = []
    macro = macro_of(groups)
    for average in ("macro", "micro"):
        found = {name: mean for name, (mean, _) in macro.items()}
        if average == "micro":
            found = {name: estimate.mean for name, estimate in overall.scores.items()}
        f1 = " / ".join(_percent(found.get(name)) for name in ("f1", "set_f1"))
        shown = [f1, _percent(found.get("bleu_1")), _percent(found.get("judge"))]
        who = (f"memspan {report.recipe}", "this run", report.reader, report.judge or "-")
        rows.append((who, [average, *shown, f"{report.context_tokens():,.0f}", "F1 / set F1"]))
    for row in published(report.data_set):
        shown = [
            f"{row.figures[name]:.1f}" if name in row.figures else "-" for name in ("f1", "bleu_1", "judge")
        ]
        tokens = f"{row.figures['context_tokens']:,.0f}" if "context_tokens" in row.figures else "-"
        who = (row.method, f"{row.paper}, table {row.table}", row.model, row.judge or "-")
        why = difference(row, report.reader, report.judge)
        rows.append((who, [row.average or "-", *shown, tokens, why]))
    names = ("method", "where", "model", "judge by")
    print_beside(env.out, names, ("avg", "F1", "BLEU-1", "judge", "tokens"), rows, "beside this run")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.1f}"
