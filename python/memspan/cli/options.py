"""Options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from memspan.lifecycle.staleness import POLICIES
from memspan.limits import MAX_K
from memspan.query import FUSIONS
from memspan.ranking import Ranker
from memspan.recipes import recipe_names
from memspan.records import KINDS
from memspan.remember.searching.reranking import MAX_RERANK_MS
from memspan.store import inspect

from .environment import Environment
from .moments import checked_time, intervals

__all__ = [
    "QuestionCommand",
    "any_user",
    "as_json",
    "as_of",
    "base_url",
    "between",
    "count",
    "depth",
    "embedder",
    "embedder_of_store",
    "examples",
    "existing_store",
    "fusion",
    "kinds",
    "kinds_and_vault",
    "llm",
    "new_store",
    "now",
    "one_user",
    "optional_store",
    "question",
    "ranker",
    "recipe",
    "rerank_ms",
    "staleness",
    "valid_at",
    "where",
]

_AUTO: Final = "auto"

Command = TypeVar("Command", bound=Callable[..., Any])


def _require_store(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    # Opening would create an empty store, and a mistyped path would then look like a user without memories.
    inspection = inspect(value)
    if inspection is None or not inspection.settings:
        quoted = shlex.quote(str(value))
        raise click.BadParameter(f"no store at '{value}'; `memspan ingest FILE --store {quoted}` makes one")
    return value


def _parse_json(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    if value is None:
        return None
    try:
        filter_ = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f'not JSON ({error}); example: \'{{"city": "Oslo"}}\'') from error
    if not isinstance(filter_, dict):
        raise click.BadParameter(f'got {value}; accepted: a JSON object, such as \'{{"city": "Oslo"}}\'')
    return filter_


def _store(
    callback: Callable[..., Any] | None, help_text: str, required: bool = True
) -> Callable[[Command], Command]:
    return click.option(
        "--store",
        type=click.Path(path_type=Path),
        required=required,
        envvar="MEMSPAN_STORE",
        show_envvar=True,
        metavar="PATH",
        callback=callback,
        help=help_text,
    )


existing_store = _store(_require_store, "The store to read or change.")
optional_store = _store(
    lambda context, parameter, value: value if value is None else _require_store(context, parameter, value),
    "The store that --questions are about.",
    required=False,
)
new_store = _store(None, "The store; created when it does not exist.")


def _not_empty(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value:
        raise click.BadParameter("got ''; accepted: the name of a user")
    return value


class _User(click.types.StringParamType):
    """The name of a user; who leaves it out may not know which there are."""

    def get_missing_message(self, *_arguments: Any, **_named: Any) -> str:
        return "`memspan stats` lists the users of a store"


one_user = click.option(
    "--user",
    type=_User(),
    required=True,
    callback=_not_empty,
    envvar="MEMSPAN_USER",
    show_envvar=True,
    metavar="USER",
    help="Whose memories; nobody else's are touched.",
)


def _named_user(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    by_itself = parameter.name and context.get_parameter_source(parameter.name) is ParameterSource.ENVIRONMENT
    env = context.find_object(Environment)
    if value and by_itself and env is not None:
        # Whoever forgot the variable would take what they see, or change, for everybody's.
        env.note(f"user '{value}' only, as MEMSPAN_USER says; --user '' is everybody")
    return value or None


def any_user(what: str, default: str = "everybody's") -> Callable[[Command], Command]:
    """`--user` of a command that is about everybody unless one is named."""
    return click.option(
        "--user",
        envvar="MEMSPAN_USER",
        show_envvar=True,
        metavar="USER",
        callback=_named_user,
        help=f"{what} Default, or with an empty one: {default}.",
    )


def _embedder(default: str) -> Callable[[Command], Command]:
    return click.option(
        "--embedder",
        metavar="NAME",
        default=None,
        envvar="MEMSPAN_EMBEDDER",
        show_envvar=True,
        help="A model of `memspan models list`, or `hash` (no model, no meaning: for trying things out). "
        f"Default: the one that filled the store{default}.",
    )


embedder = _embedder("; for a new store the default model")
embedder_of_store = _embedder("")
"""For commands that make no store."""

llm = click.option(
    "--llm",
    metavar="MODEL",
    default=None,
    envvar="MEMSPAN_LLM",
    show_envvar=True,
    help="The language model that recipes ask, by its name.",
)

base_url = click.option(
    "--base-url",
    metavar="URL",
    help="The model's server, anything that is OpenAI-compatible. Default: OPENAI_BASE_URL, else OpenAI's own.",
)

recipe = click.option(
    "--recipe",
    type=click.Choice(recipe_names()),
    default="verbatim",
    show_default=True,
    help="How turns become memories, see `memspan recipes`; `memspan process` does the work.",
)

as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text for people."
)


def _kinds(help: str) -> Callable[[Any], Any]:
    return click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help=help)


kinds = _kinds("Only records of this kind; repeat for several. `vault` records appear only when named here.")
kinds_and_vault = _kinds("Only records of this kind; repeat for several. Default: all, `vault` among them.")

between = click.option(
    "--between",
    nargs=2,
    multiple=True,
    metavar="START END",
    callback=intervals,
    help="Only records with START <= at < END (ISO 8601, UTC unless said; `-` leaves an end open); "
    "repeat for several.",
)

now = click.option(
    "--now",
    metavar="TIME",
    callback=checked_time,
    help='When it is asked (ISO 8601), for words such as "last week". Default: the user\'s newest record that is not '
    "still to come.",
)

as_of = click.option(
    "--as-of",
    metavar="TIME",
    callback=checked_time,
    help="Only what was believed at that time, as it read then (ISO 8601). What was imported is believed since it was "
    "imported, whenever it happened; --valid-at and --between go by that.",
)

valid_at = click.option(
    "--valid-at",
    metavar="TIME",
    callback=checked_time,
    help="Only what was true at that time (ISO 8601), by what is known now or, with --as-of, was known then.",
)

where = click.option(
    "--where",
    metavar="JSON",
    callback=_parse_json,
    help='Only records whose metadata match, such as \'{"city": {"$in": ["Oslo", "Bergen"]}}\'.',
)


rerank_ms = click.option(
    "--rerank-ms",
    metavar="MS",
    type=click.IntRange(0, MAX_RERANK_MS),
    default=0,
    show_default=True,
    help="Let the reranker look at the best for so many milliseconds; loading it takes its own time. "
    "`memspan models pull ms-marco-minilm-l-12-v2-int8` gets it.",
)


staleness = click.option(
    "--staleness",
    type=click.Choice(POLICIES),
    default="none",
    show_default=True,
    help="Let stale records sink by up to three places; what moved is told.",
)


fusion = click.option(
    "--fusion",
    type=click.Choice(FUSIONS),
    help="How the views become one ranking. Default: what `Memory.search` does, mostly `learned`.",
)


ranker = click.option(
    "--ranker",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    callback=lambda context, parameter, value: None if value is None else Ranker.load(value),
    metavar="FILE",
    help="Weights that `memspan fit` wrote, instead of the package's.",
)


def count(default: int, what: str = "records", most: int = MAX_K) -> Callable[[Command], Command]:
    """`-k`, with the default and the limit of the call that answers."""
    return click.option(
        "-k",
        type=click.IntRange(1, most),
        default=default,
        show_default=True,
        help=f"At most this many {what}.",
    )


class _Depth(click.IntRange):
    """A number of records, or "auto" for what the plan wants, which is `None`."""

    def __init__(self) -> None:
        super().__init__(1, MAX_K)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == _AUTO:
            return None
        try:
            int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor {_AUTO}", param, ctx)
        return super().convert(value, param, ctx)


def depth(default: int) -> Callable[[Command], Command]:
    """`-k` of a search, which a plan may decide."""
    return click.option(
        "-k",
        type=_Depth(),
        metavar="NUMBER|auto",
        default=default,
        show_default=True,
        help=f"At most this many records, 1 to {MAX_K:,}; `auto`: as many as the plan wants, mostly 10 to 40, with "
        "--context as the tokens ask for.",
    )


def _not_blank(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter(f"got {value!r}; accepted: text that is not blank")
    return value


question = click.argument("question", callback=_not_blank)


class QuestionCommand(click.Command):
    """A command with a `question`, which the shell takes apart where it is not in quotes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra argument"):
                raise
            raise click.UsageError(
                f"{error.message}; a question of several words stands in quotes", ctx
            ) from error


def examples(*lines: str) -> str:
    """The epilog that shows a command in use; every command has one."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
