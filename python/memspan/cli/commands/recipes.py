"""`memspan recipes`: how turns can become memories."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.tables import cell, plain_table
from memspan.recipes import Gathering, Reading, Recipe, recipe, recipe_names

__all__ = ["recipes"]


@click.group(
    epilog=options.examples(
        "memspan recipes list",
        "memspan recipes show verbatim",
    )
)
def recipes() -> None:
    """Show the recipes that turn conversations into memories."""


@recipes.command("list", epilog=options.examples("memspan recipes list", "memspan recipes list --json"))
@options.as_json
@pass_environment
def list_(env: Environment, as_json: bool) -> None:
    """List the recipes with what they do."""
    known = [recipe(name) for name in recipe_names()]
    if as_json:
        env.write_json({"recipes": [_document(each) for each in known]})
        return
    table = plain_table()
    for name in ("recipe", "what it does", "paper"):
        table.add_column(name, overflow="fold")
    for each in known:
        table.add_row(cell(each.name), cell(each.summary), cell(each.paper or ""))
    env.out.print(table)


@recipes.command(epilog=options.examples("memspan recipes show verbatim"))
@click.argument("name", type=click.Choice(recipe_names()), metavar="NAME")
@options.as_json
@pass_environment
def show(env: Environment, name: str, as_json: bool) -> None:
    """Show the stages of the recipe NAME and their parameters."""
    chosen = recipe(name)
    if as_json:
        env.write_json(_document(chosen))
        return
    env.say(f"{chosen.name}: {chosen.summary}" + (f" ({chosen.paper})" if chosen.paper else ""))
    env.say("questions: " + _reading(chosen.read))
    stages: list[Any] = [*chosen.write, *([] if chosen.sleep is None else [chosen.sleep])]
    if not stages:
        env.say("no stages")
        return
    if chosen.history:
        env.say(f"each job is shown {chosen.history} turns before its own")
    if chosen.gather is not None:
        env.say("jobs " + _gathering(chosen.gather))
    table = plain_table()
    for column in ("stage", "parameter", "value"):
        table.add_column(column, overflow="fold")
    for stage in stages:
        parameters = _parameters(stage) or {"": ""}
        for place, (parameter, value) in enumerate(parameters.items()):
            table.add_row(cell(stage.name if not place else ""), cell(parameter), cell(value))
    env.out.print(table)


def _gathering(gather: Gathering) -> str:
    enough = [
        f"{count:,} {what}"
        for count, what in ((gather.tokens, "tokens"), (gather.turns, "turns"))
        if count is not None
    ]
    return f"wait for {' or '.join(enough)}, at most {gather.seconds:g} s after the last turn"


def _reading(read: Reading) -> str:
    depth = f"as many memories as {read.tokens:,} tokens hold"
    if read.least is not None:
        count = f"{read.most}" if read.least == read.most else f"{read.least} to {read.most}"
        depth = f"{count} memories within {read.tokens:,} tokens"
    routed = f", lifted by the {read.route} nearest tags" if read.route else ""
    return f"planned by {read.plan}, {depth}{routed}"


def _document(chosen: Recipe) -> dict[str, Any]:
    return {
        "name": chosen.name,
        "summary": chosen.summary,
        "paper": chosen.paper,
        "history": chosen.history,
        "gather": None if chosen.gather is None else _parameters(chosen.gather),
        "read": _parameters(chosen.read),
        "write": [{"stage": stage.name, "parameters": _parameters(stage)} for stage in chosen.write],
        "sleep": None if chosen.sleep is None else _parameters(chosen.sleep),
    }


def _parameters(stage: Any) -> dict[str, Any]:
    """The fields of a stage by name, as JSON values."""
    if not is_dataclass(stage):
        return {}
    return {field.name: _plain(getattr(stage, field.name)) for field in fields(stage) if field.name != "name"}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return repr(value)
