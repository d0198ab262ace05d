"""`memspan forget`: erase memories for good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import open_memory, unknown_user
from memspan.cli.selectors import described, selected, selectors
from memspan.cli.tables import cell, counted, moment, plain_table, print_figures
from memspan.remember.forgetting.forget_plans import ForgetPlan

__all__ = ["forget"]

_SHOWN = 100
"""Characters of a text."""


@click.command(
    short_help="Erase a user or records, bytes and all.",
    epilog=options.examples(
        "memspan forget --store chat.memspan --user demo --id s07-05",
        "memspan forget --store chat.memspan --user demo --session s07 --kind episodic",
        'memspan forget --store chat.memspan --user demo --matching "my old address" -k 3',
        "memspan forget --store chat.memspan --user demo --yes",
    ),
)
@options.existing_store
@options.one_user
@selectors
@click.option(
    "--matching",
    metavar="QUESTION",
    help="What this finds: shows it, and asks, or prints the token that --confirm takes.",
)
@options.count(10, "records that --matching finds")
@click.option("--confirm", metavar="TOKEN", help="What an earlier --matching showed, and nothing else.")
@options.embedder_of_store
@click.option("--yes", is_flag=True, help="Do not ask; not with --matching.")
@options.as_json
@pass_environment
def forget(
    env: Environment,
    store: Path,
    user: str,
    ids: Sequence[str],
    source: str | None,
    session: str | None,
    between: Any,
    kinds: Sequence[str],
    matching: str | None,
    k: int,
    confirm: str | None,
    embedder: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase a user, or some of their records, and everything that was derived from them.

    Text, vectors, words, tags, older versions, copies in the cold tier and the bytes on disk are gone afterwards.

    Asks first when somebody can answer; elsewhere --yes is required, and --confirm after --matching. No model is
    needed, but for --matching.
    """
    chosen = selected(ids, source, session, between, kinds)
    named = any(value is not None for value in chosen.values())
    limited = click.get_current_context().get_parameter_source("k") is not ParameterSource.DEFAULT
    if limited and matching is None:
        # Whoever wants three records gone must not lose all of them.
        raise click.UsageError("-k bounds what --matching finds; add --matching")
    if matching is not None or confirm is not None:
        if named and confirm is not None:
            raise click.UsageError("--confirm goes with no selector")
        if matching is not None and (yes or confirm or ids or source or session):
            raise click.UsageError("--matching goes with --between, --kind and -k only")
    if matching is not None:
        with open_memory(store, embedder) as memory:
            unknown = unknown_user(memory, user)
            plan = memory.forget_matching(
                matching, user=user, k=k, between=between, kinds=list(kinds) or None
            )
            if as_json:
                env.write_json({"store": str(store), **_document(user, plan)})
            if unknown:
                raise CommandError(unknown)
            if as_json:
                return
            _show(env, plan)
            if not plan.matches:
                return
            if not env.interactive:
                env.note(f"nothing was erased; to erase this: --confirm {plan.token}")
                return
            _ask(f"{counted(plan.records, 'record')}", user)
            records = memory.forget(confirm=plan)
    else:
        what = "what was shown" if confirm is not None else described(chosen)
        if not yes and confirm is None:
            if not env.interactive:
                raise click.UsageError("nobody to ask here; add --yes to erase without asking")
            _ask(what, user)
        with open_memory(store) as memory:
            unknown = unknown_user(memory, user)
            records = memory.forget(user=user, confirm=confirm, **chosen)
    if as_json:
        env.write_json({"store": str(store), "user": user, **chosen, "records": records})
    if unknown:
        raise CommandError(unknown)
    if not as_json:
        env.note(f"{counted(records, 'record')} erased")


def _ask(what: str, user: str) -> None:
    if not click.confirm(f"Erase {what} of user '{user}'? This cannot be undone.", err=True):
        raise CommandError("nothing was erased")


def _document(user: str, plan: ForgetPlan) -> dict[str, Any]:
    matches = [{"id": match.id, "at": match.at, "text": match.text} for match in plan.matches]
    counts = {"records": plan.records, "held": plan.held, "token": plan.token}
    return {"user": user, "matches": matches, **counts}


def _show(env: Environment, plan: ForgetPlan) -> None:
    if not plan.matches:
        env.say("nothing was found")
        return
    table: Table = plain_table()
    for name in ("id", "at (UTC)", "text"):
        table.add_column(name, overflow="fold", ratio=1 if name == "text" else None)
    for match in plan.matches:
        text = match.text if len(match.text) <= _SHOWN else match.text[:_SHOWN] + "…"
        table.add_row(cell(match.id), cell(moment(match.at)), cell(text))
    print_figures(env.out, table)
    with_them = "it" if plan.records == 1 else "them"
    would = f"{counted(plan.records, 'record')} would go with everything derived from {with_them}"
    env.say(f"{would}; held: {plan.held:,}")
