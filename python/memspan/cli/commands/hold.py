"""`memspan hold` and `memspan release`: keep records from being forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import open_memory, require_known, unknown_user
from memspan.cli.selectors import selected, selectors
from memspan.cli.tables import counted

__all__ = ["hold", "release"]


@click.command(
    short_help="Put a legal hold on records.",
    epilog=options.examples(
        "memspan hold --store chat.memspan --user demo --session s07",
        "memspan hold --store chat.memspan --user demo --id s07-05 --id s07-06",
    ),
)
@options.existing_store
@options.one_user
@selectors
@options.as_json
@pass_environment
def hold(env: Environment, /, store: Path, user: str, as_json: bool, **chosen: Any) -> None:
    """Put a legal hold on records: they cannot be forgotten, evicted, merged or ended, wherever they lie.

    Without selectors on everything that is there now, the cold tier included. `memspan release` ends it.
    """
    _change(env, store, user, as_json, True, chosen)


@click.command(
    short_help="End a legal hold.",
    epilog=options.examples(
        "memspan release --store chat.memspan --user demo",
        "memspan release --store chat.memspan --user demo --id s07-05",
    ),
)
@options.existing_store
@options.one_user
@selectors
@options.as_json
@pass_environment
def release(env: Environment, /, store: Path, user: str, as_json: bool, **chosen: Any) -> None:
    """End a legal hold, of everything or of what is selected."""
    _change(env, store, user, as_json, False, chosen)


def _change(
    env: Environment, store: Path, user: str, as_json: bool, held: bool, chosen: Mapping[str, Any]
) -> None:
    with open_memory(store) as memory:
        unknown = unknown_user(memory, user)
        if not unknown:
            require_known(memory, user, chosen["ids"])
        call = memory.hold if held else memory.release
        records = call(user=user, **selected(**chosen))
    if as_json:
        env.write_json({"store": str(store), "user": user, "held": held, "records": records})
    if unknown:
        raise CommandError(unknown)
    if not as_json:
        env.note(f"{counted(records, 'record')} {'held' if held else 'released'}")
