"""`memspan verify`: check a store from end to end."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import open_memory
from memspan.cli.status import ExitStatus
from memspan.cli.tables import counted

__all__ = ["verify"]


@click.command(
    short_help="Check the database and the index.",
    epilog=options.examples(
        "memspan verify --store chat.memspan", "memspan verify --store chat.memspan --json"
    ),
)
@options.existing_store
@options.as_json
@pass_environment
def verify(env: Environment, store: Path, as_json: bool) -> None:
    """Check the database, and that the index agrees with it. Ends with 1 if anything is wrong."""
    with open_memory(store) as memory:
        problems = memory.verify()
    if as_json:
        env.write_json({"store": str(store), "ok": not problems, "problems": problems})
    else:
        for problem in problems:
            env.say(problem)
        env.note(counted(len(problems), "problem") if problems else "no problems")
    if problems:
        click.get_current_context().exit(ExitStatus.ERROR)
