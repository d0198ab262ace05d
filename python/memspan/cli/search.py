"""`memspan search`: the records that answer a question best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from memspan.remember.recall import Recalls

from . import options
from .environment import Environment, pass_environment
from .opening import open_memory
from .recalls import print_recalls, recall_json
from .tables import cell, plain_table

__all__ = ["search"]


@click.command(
    epilog=options.examples(
        'memspan search "When did Jonas have his operation?" --store chat.memspan --user demo',
        'memspan search "ferry" --store chat.memspan --user demo --between 2024-06-01 2024-07-01',
        "memspan search \"vet\" --store chat.memspan --user demo -k 3 --json | jq '.hits[].id'",
    )
)
@click.argument("question")
@options.existing_store
@options.one_user
@options.count(10)
@options.between
@options.kinds
@click.option("--tag", "tags", multiple=True, help="Only records with this tag; repeat to require several.")
@options.where
@click.option("--as-of", metavar="TIME", help="Only what was known at that time (ISO 8601).")
@options.rerank_ms
@click.option(
    "--explain", is_flag=True, help="Say for each hit where it came from, and what was left out and why."
)
@options.embedder
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
    rerank_ms: int,
    explain: bool,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Find the records of USER that answer QUESTION best.

    Every hit is shown with its time, its fused score, and its rank and score in each view: semantic
    (embedding) and lexical (words).
    """
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
            rerank_ms=rerank_ms,
            explain=explain,
        )
    if as_json:
        answer = {"question": question, "user": user, "hits": recall_json(recalls, scores=True)}
        env.write_json({**answer, "explanation": recalls.explanation} if explain else answer)
        return
    if recalls:
        print_recalls(env.out, recalls, scores=True)
    else:
        env.note(f"nothing found for user '{user}'")
    if explain:
        env.out.print()
        env.out.print(_explanations(recalls))


def _explanations(recalls: Recalls) -> Table:
    """How the search was run, then how each hit came to be found."""
    table = plain_table("Why")
    table.add_column("hit", justify="right")
    table.add_column("what")
    table.add_column("value", ratio=1, overflow="fold")
    for rank, explanation in enumerate([recalls.explanation, *(recall.explanation for recall in recalls)]):
        for name, value in (explanation or {}).items():
            if rank and not value:
                continue
            table.add_row(cell(f"#{rank}" if rank else "all"), cell(name), cell(value))
    return table
