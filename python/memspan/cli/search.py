"""`memspan search`: the records that answer a question best."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from memspan.ranking import Ranker
from memspan.recall.context import MAX_TOKENS
from memspan.remember.recall import Recalls

from . import options
from .contexts import print_context
from .environment import Environment, pass_environment
from .opening import nothing_found, open_memory
from .recalls import print_recalls, recall_json
from .tables import cell, plain_table

__all__ = ["search"]


@click.command(
    short_help="Find the records that answer a question best.",
    epilog=options.examples(
        'memspan search "When did Jonas have his operation?" --store chat.memspan --user demo',
        'memspan search "ferry" --store chat.memspan --user demo --between 2024-06-01 2024-07-01',
        'memspan search "Who is Pim?" --store chat.memspan --user demo --context --tokens 300',
        "memspan search \"vet\" --store chat.memspan --user demo -k 3 --json | jq '.hits[].id'",
    ),
)
@click.argument("question")
@options.existing_store
@options.one_user
@options.count(10)
@options.between
@options.kinds
@click.option("--tag", "tags", multiple=True, help="Only records with this tag; repeat to require several.")
@options.where
@options.as_of
@options.valid_at
@options.ranker
@options.rerank_ms
@options.staleness
@click.option(
    "--route",
    type=click.IntRange(0, 1000),
    default=0,
    show_default=True,
    help="Let so many of the user's tags nearest to the question lift the records that carry them; see `memspan tags`.",
)
@click.option(
    "--no-track",
    "untracked",
    is_flag=True,
    help="Do not count this search as a use of what it finds: uses keep memories from being evicted.",
)
@click.option(
    "--explain", is_flag=True, help="Say for each hit where it came from, and what was left out and why."
)
@click.option(
    "--context",
    "as_context",
    is_flag=True,
    help="Instead of a table, a text for a prompt: the best memories within --tokens, in the order of time.",
)
@click.option(
    "--tokens",
    type=click.IntRange(1, MAX_TOKENS),
    default=600,
    show_default=True,
    help="With --context: at most so many tokens.",
)
@options.embedder_of_store
@options.as_json
@pass_environment
def search(
    env: Environment,
    question: str,
    store: Path,
    user: str,
    k: int,
    between: list[tuple[str | None, str | None]] | None,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    where: dict[str, Any] | None,
    as_of: str | None,
    valid_at: str | None,
    ranker: Ranker | None,
    rerank_ms: int,
    staleness: str,
    route: int,
    untracked: bool,
    explain: bool,
    as_context: bool,
    tokens: int,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Find the records of USER that answer QUESTION best.

    Every hit is shown with its time, its fused score, and its rank and score in each view: semantic
    (embedding) and lexical (words).
    """
    if as_context:
        if explain or staleness != "none":
            raise click.UsageError("--explain and --staleness cannot be used with --context")
        chosen = click.get_current_context().get_parameter_source("k") is not ParameterSource.DEFAULT
        with open_memory(store, embedder) as memory:
            context = memory.context(
                question,
                user=user,
                tokens=tokens,
                k=k if chosen else None,
                between=between,
                kinds=kinds or None,
                require_tags=tags,
                where=where,
                as_of=as_of,
                ranker=ranker,
                route=route,
                rerank_ms=rerank_ms,
                valid_at=valid_at,
                track=not untracked,
            )
        print_context(env, store, user, question, context, as_json=as_json)
        return
    with open_memory(store, embedder) as memory:
        recalls = memory.search(
            question,
            user=user,
            k=k,
            between=between,
            kinds=kinds or None,
            require_tags=tags,
            where=where,
            as_of=as_of,
            valid_at=valid_at,
            ranker=ranker,
            rerank_ms=rerank_ms,
            staleness=staleness,
            route=route,
            explain=explain,
            track=not untracked,
        )
        nothing = "" if recalls else nothing_found(memory, user)
    if as_json:
        answer = {
            "store": str(store),
            "user": user,
            "question": question,
            "hits": recall_json(recalls, scores=True),
        }
        if staleness != "none":
            answer["moved"] = [asdict(moved) for moved in recalls.moved]
        env.write_json({**answer, "explanation": _of_search(recalls)} if explain else answer)
        return
    if recalls:
        print_recalls(env.out, recalls, scores=True)
    else:
        env.note(nothing)
    if recalls.moved:
        moved = ", ".join(f"{one.id} from {one.before} to {one.after}" for one in recalls.moved)
        env.say(f"moved by staleness ({staleness}): {moved}", style="dim")
    if explain:
        env.out.print()
        env.out.print(_explanations(recalls))


def _of_search(recalls: Recalls) -> dict[str, Any]:
    plan = {} if recalls.plan is None else {"plan": recalls.plan.to_dict()}
    return {**plan, **(recalls.explanation or {})}


def _explanations(recalls: Recalls) -> Table:
    """How the search was run, then how each hit came to be found."""
    table = plain_table("Why")
    table.add_column("hit", justify="right")
    table.add_column("what")
    table.add_column("value", ratio=1, overflow="fold")
    for rank, explanation in enumerate([_of_search(recalls), *(recall.explanation for recall in recalls)]):
        for name, value in (explanation or {}).items():
            if rank and not value:
                continue
            table.add_row(cell(f"#{rank}" if rank else "all"), cell(name), cell(value))
    return table
