"""`memspan procedures`: how things are done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, nothing_found, open_memory
from memspan.cli.tables import cell, counted
from memspan.cli.usage import usage_line
from memspan.memory import Memory
from memspan.reports.procedure_info import Procedure, ProcedureReport

__all__ = ["procedures"]


@click.command(
    short_help="Show how things are done; learn it from tool calls.",
    epilog=options.examples(
        "memspan procedures --store agent.memspan --user demo --learn",
        "memspan procedures --store agent.memspan --user demo --learn --dry-run",
    ),
)
@options.existing_store
@options.one_user
@click.option("--learn", is_flag=True, help="First learn from the tool calls of the transcripts.")
@click.option("--dry-run", is_flag=True, help="With --learn: only say how much would change.")
@options.llm
@options.base_url
@click.option("--all", "retired", is_flag=True, help="Show retired ones, too.")
@options.as_json
@pass_environment
def procedures(
    env: Environment,
    store: Path,
    user: str,
    learn: bool,
    dry_run: bool,
    llm: str | None,
    base_url: str | None,
    retired: bool,
    as_json: bool,
) -> None:
    """Show how things are done: the procedures of USER, the one that was run last first.

    Sequences of tool calls that come back in transcripts are procedures; --learn looks for them, as `memspan
    consolidate` does. With --llm, a language model finds the words for new ones. What a caller added with the kind
    `procedural` is shown, too.
    """
    if dry_run and not learn:
        raise click.UsageError("--dry-run says what --learn would do; add --learn")
    if base_url is not None and llm is None:
        raise click.UsageError("--base-url says where --llm is served; name the model, too")
    with _opened(store, llm if learn else None, base_url) as memory:
        report = memory.learn_procedures(user, dry_run=dry_run) if learn else None
        found = [one for one in memory.procedures(user=user) if retired or not one.retired]
        hint = "" if learn else "; `--learn` looks for some"
        nothing = "" if found else nothing_found(memory, user, f"user '{user}' has no procedures{hint}")
        if nothing and as_json:
            note_unknown(env, memory, user)
    if as_json:
        learnt = None if report is None else _document(report)
        shown = [one.to_dict() for one in found]
        env.write_json({"store": str(store), "user": user, "learnt": learnt, "procedures": shown})
        return
    if report is not None:
        env.note(
            f"{counted(report.actions, 'action')} in {counted(report.sessions, 'session')}: "
            f"{counted(report.found, 'procedure')}, "
            f"{report.new:,} new, {report.changed:,} changed{', nothing written' if dry_run else ''}"
        )
        if report.usage.calls:
            env.note(usage_line(report.usage))
    if not found:
        env.note(nothing)
    for position, one in enumerate(found):
        if position:
            env.out.print()
        env.out.print(_shown(one))


@contextmanager
def _opened(store: Path, llm: str | None, base_url: str | None) -> Iterator[Memory]:
    if llm is None or base_url is None:
        with open_memory(store, llm=llm) as memory:
            yield memory
        return
    from memspan.llm import OpenAIModel

    with OpenAIModel(llm, base_url=base_url) as model, open_memory(store, llm=model) as memory:
        yield memory


def _document(report: ProcedureReport) -> dict[str, Any]:
    return {**report._asdict(), "usage": asdict(report.usage)}


def _shown(one: Procedure) -> Text:
    shown = cell(one.text)
    first = one.text.find("\n")
    shown.stylize("bold", 0, len(one.text) if first < 0 else first)
    count = f"{one.successes:,} of {one.runs:,} runs worked" if one.runs else "written by hand"
    if one.failures:
        count += f", {one.failures:,} failed"
    shown.append(f"\n{count}; {one.last:%Y-%m-%d}{'; retired' if one.retired else ''}; {one.id}", style="dim")
    return shown
