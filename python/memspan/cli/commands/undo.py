"""`memspan undo`: take a consolidation back."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import open_memory
from memspan.cli.tables import counted

__all__ = ["undo"]


@click.command(
    short_help="Take back what a consolidation changed.",
    epilog=options.examples(
        "memspan undo --store chat.memspan 5f1c0a9be2d34c7788aa",
        "memspan undo --store chat.memspan 5f1c0a9be2d34c7788aa --leave-changed",
    ),
)
@click.argument("run", metavar="RUN")
@options.existing_store
@click.option(
    "--leave-changed",
    is_flag=True,
    help="Leave memories that were changed since as they are, instead of refusing.",
)
@options.as_json
@pass_environment
def undo(env: Environment, run: str, store: Path, leave_changed: bool, as_json: bool) -> None:
    """Make memories again what they were before a consolidation.

    RUN is one of `memspan runs`. All of it is taken back at once, or nothing. What was forgotten since stays
    forgotten. No model is needed.
    """
    with open_memory(store) as memory:
        done = memory.undo(run, leave_changed=leave_changed)
    if as_json:
        env.write_json({"store": str(store), **done._asdict()})
        return
    left = f", {len(done.cold):,} of them still in the cold tier" if done.cold else ""
    left += f", {len(done.left):,} changed since and left" if done.left else ""
    env.say(f"{counted(done.restored, 'record')} as before, {done.removed:,} taken out{left}")
