"""`memspan pin`: keep records whatever quotas say."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import open_memory, require_known
from memspan.cli.tables import counted

__all__ = ["pin"]


@click.command(
    short_help="Keep records whatever quotas and sleep say.",
    epilog=options.examples(
        "memspan pin s01-02 s01-03 --store chat.memspan --user demo",
        "memspan pin s01-02 --store chat.memspan --user demo --undo",
    ),
)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@options.existing_store
@options.one_user
@click.option("--undo", is_flag=True, help="Let them go instead.")
@options.as_json
@pass_environment
def pin(env: Environment, ids: tuple[str, ...], store: Path, user: str, undo: bool, as_json: bool) -> None:
    """Keep records of USER whatever quotas say, and as they are whatever sleep decides. No model is needed.

    Searches do not find a pinned record any more when its time to live is over, but it is erased only after --undo.
    """
    with open_memory(store) as memory:
        require_known(memory, user, ids, cold=False)
        changed = memory.unpin(user=user, ids=list(ids)) if undo else memory.pin(user=user, ids=list(ids))
    if as_json:
        env.write_json({"store": str(store), "user": user, "pinned": not undo, "changed": changed})
    else:
        env.note(f"{counted(changed, 'record')} {'let go' if undo else 'pinned'}")
