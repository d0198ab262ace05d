"""`memspan latest`: the newest records of a user."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, nothing_found, open_memory
from memspan.cli.recalls import print_recalls, recall_json

__all__ = ["latest"]


@click.command(
    short_help="List the newest records.",
    epilog=options.examples(
        "memspan latest --store chat.memspan --user demo -k 5",
        "memspan latest --store chat.memspan --user demo --between 2024-05-01 2024-06-01",
    ),
)
@options.existing_store
@options.one_user
@options.count(20)
@options.between
@options.kinds
@options.as_json
@pass_environment
def latest(
    env: Environment,
    store: Path,
    user: str,
    k: int,
    between: list[tuple[str | None, str | None]] | None,
    kinds: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the newest records of USER, newest first. No model is needed."""
    with open_memory(store) as memory:
        recalls = memory.latest(user=user, k=k, between=between, kinds=kinds or None)
        nothing = "" if recalls else nothing_found(memory, user)
        if nothing and as_json:
            note_unknown(env, memory, user)
    if as_json:
        env.write_json({"store": str(store), "user": user, "records": recall_json(recalls, scores=False)})
    elif not recalls:
        env.note(nothing)
    else:
        print_recalls(env.out, recalls, scores=False)
