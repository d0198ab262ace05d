"""`memspan quotas`: show and set how many records users may have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, open_memory
from memspan.cli.tables import cell, counted, plain_table
from memspan.lifecycle.allocations import ALLOCATIONS
from memspan.lifecycle.quotas import EVICTIONS, MAX_CAPACITY, Quotas

__all__ = ["quotas"]

_COUNT = click.IntRange(1, MAX_CAPACITY)


@click.command(
    short_help="Show or set how many records of each kind to keep.",
    epilog=options.examples(
        "memspan quotas --store chat.memspan",
        "memspan quotas --store chat.memspan --capacity 10000 --vault 100",
        "memspan quotas --store chat.memspan --user demo --capacity 500 --shares optimized --eviction oldest",
        "memspan quotas --store chat.memspan --user demo --off",
    ),
)
@options.existing_store
@options.any_user("Only this user.", "everybody without their own")
@click.option("--capacity", type=_COUNT, metavar="N", help="At most this many records of all kinds together.")
@click.option(
    "--shares",
    type=click.Choice(sorted(ALLOCATIONS)),
    help="How episodic, semantic and procedural records share it.  [default: balanced_episodic]",
)
@click.option("--resource", type=_COUNT, metavar="N", help="At most this many records of this kind.")
@click.option("--vault", type=_COUNT, metavar="N", help="At most this many records of this kind.")
@click.option(
    "--eviction",
    type=click.Choice(EVICTIONS),
    help="Which records of a full kind go first.  [default: value]",
)
@click.option("--off", is_flag=True, help="Take the quotas back.")
@options.as_json
@pass_environment
def quotas(
    env: Environment,
    store: Path,
    user: str | None,
    capacity: int | None,
    shares: str | None,
    resource: int | None,
    vault: int | None,
    eviction: str | None,
    off: bool,
    as_json: bool,
) -> None:
    """Show how many records of each kind users may have, or set it.

    What is too many goes to the cold tier: see `memspan evicted` and `memspan restore`. Options that are left out when
    others are given are at their defaults. No model is needed.
    """
    limits: dict[str, Any] = {
        "capacity": capacity,
        "shares": shares,
        "resource": resource,
        "vault": vault,
        "eviction": eviction,
    }
    given = {name: value for name, value in limits.items() if value is not None}
    if off and given:
        raise click.UsageError("--off cannot be combined with limits")
    evicted = None
    with open_memory(store) as memory:
        if off or given:
            evicted = memory.set_quotas(None if off else Quotas(**given), user=user)
        note_unknown(env, memory, user)
        found = memory.quotas(user)
        stats = memory.stats(user)
    if as_json:
        document = None if found is None else {**found.to_dict(), "kinds": found.capacities}
        counts = {"evicted": evicted, "unsourced": stats["unsourced"]}
        env.write_json({"store": str(store), "user": user, "quotas": document, **counts})
        return
    if evicted:
        env.note(f"{counted(evicted, 'record')} went to the cold tier")
    if found is None:
        env.say("no quotas; --capacity N sets some")
    else:
        _show(env, found, None if user is None else stats["kinds"])
    if stats["unsourced"]:
        derived = counted(stats["unsourced"], "derived record")
        have = "has" if stats["unsourced"] == 1 else "have"
        env.say(f"{derived} {have} no source left outside the cold tier: see `memspan evicted`")


def _show(env: Environment, found: Quotas, records: Mapping[str, int] | None) -> None:
    table = plain_table()
    table.add_column("kind")
    table.add_column("capacity", justify="right")
    if records is not None:
        table.add_column("records", justify="right")
    for kind, capacity in found.capacities.items():
        cells = [kind, "no limit" if capacity is None else f"{capacity:,}"]
        table.add_row(*map(cell, cells + ([] if records is None else [f"{records.get(kind, 0):,}"])))
    env.out.print(table)
    env.say(f"eviction: {found.eviction}")
