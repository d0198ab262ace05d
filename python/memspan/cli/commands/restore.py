"""`memspan restore`: bring records back from the cold tier."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import open_memory, require_known
from memspan.cli.tables import counted

__all__ = ["restore"]


@click.command(
    short_help="Bring records back from the cold tier.",
    epilog=options.examples(
        "memspan restore s01-02 s01-03 --store chat.memspan --user demo",
        "memspan restore s01-02 --store chat.memspan --user demo --pin",
    ),
)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@options.existing_store
@options.one_user
@click.option("--pin", is_flag=True, help="Pin them, so that they do not go again.")
@click.option(
    "--originals", is_flag=True, help="Bring back the wording that records had before they were shortened."
)
@options.as_json
@pass_environment
def restore(
    env: Environment, ids: tuple[str, ...], store: Path, user: str, pin: bool, originals: bool, as_json: bool
) -> None:
    """Bring records of USER back from the cold tier; in a full kind others make room for them.

    The model that filled the store is only needed for records that were evicted before the store went over to it.
    """
    with open_memory(store) as memory:
        require_known(memory, user, ids)
        restored = memory.restore(user=user, ids=list(ids), pin=pin, originals=originals)
    if as_json:
        env.write_json({"store": str(store), "user": user, "restored": restored})
    if not restored:
        raise CommandError("none of these records is in the cold tier")
    if not as_json:
        env.note(f"{counted(len(restored), 'record')} restored")
