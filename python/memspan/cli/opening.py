"""Open a store for the length of one command."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from memspan.llm import LLMSpec
from memspan.memory import Memory

from .environment import Environment
from .failures import CommandError

__all__ = ["note_unknown", "nothing_found", "open_memory", "open_model", "require_known", "unknown_user"]


@contextmanager
def open_memory(
    store: Path,
    embedder: str | None = None,
    *,
    recipe: str = "verbatim",
    llm: LLMSpec = None,
    reembed: bool = False,
    progress: bool = False,
) -> Iterator[Memory]:
    """The memory at `store`, closed at the end whatever happens."""
    with Memory(
        store, embedder, recipe=recipe, llm=llm, reembed=reembed, progress=progress, actor=_actor()
    ) as memory:
        yield memory


def _actor() -> str:
    """Who acts: what `MEMSPAN_ACTOR` says, else the login name."""
    named = os.environ.get("MEMSPAN_ACTOR")
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""


_FILTERS = ("between", "kinds", "tags", "where", "as_of", "valid_at")
"""Parameters of commands that leave records out."""


def nothing_found(memory: Memory, user: str, what: str | None = None) -> str:
    """What to say where nothing came: a mistyped user must not look like one without such memories, nor a filter that
    leaves all of them out like an empty store."""
    return unknown_user(memory, user) or what or f"nothing found for user '{user}'{_filtered()}"


def _filtered() -> str:
    """The filters of the running command, as they were typed; and where the wrong one of two times was, the other."""
    context = click.get_current_context()
    given = [
        max(parameter.opts, key=len)
        for parameter in context.command.params
        if parameter.name in _FILTERS and context.params[parameter.name]
    ]
    if not given:
        return ""
    said = f" that {' and '.join(given)} {'lets' if len(given) == 1 else 'let'} pass"
    if "--as-of" in given:
        said += "; what was imported is believed since then: --valid-at goes by when it happened"
    return said


def note_unknown(env: Environment, memory: Memory, user: str | None) -> None:
    """Say on standard error that the store does not know a user, for `--json` and lists that may be empty."""
    if user is not None and (unknown := unknown_user(memory, user)):
        env.note(unknown)


def unknown_user(memory: Memory, user: str) -> str | None:
    """What to say of a user whom the store does not know; `None` of one whom it does."""
    if user in memory.users():
        return None
    return f"the store knows no user '{user}'; `memspan stats` lists its users"


def require_known(memory: Memory, user: str, ids: Iterable[str], *, cold: bool = True) -> None:
    """Refuse ids that a user has no record of: whoever mistyped one would take it for done.

    Args:
        cold: those in the cold tier are known, too.

    Raises:
        CommandError: names the first unknown one.
    """
    for id_ in ids:
        if memory.get(user=user, id=id_) is not None:
            continue
        evicted = memory.history(user=user, id=id_) is not None
        if not evicted:
            raise CommandError(unknown_user(memory, user) or f"user '{user}' has no record '{id_}'")
        if not cold:
            raise CommandError(f"record '{id_}' is in the cold tier; `memspan restore` brings it back")


@contextmanager
def open_model(llm: str | None, base_url: str | None) -> Iterator[LLMSpec]:
    """The model of `--llm` and `--base-url`, closed at the end if it was made here; its name alone is looked up when it
    is first asked.

    Raises:
        click.UsageError: a server without a model.
    """
    if base_url is None:
        yield llm
        return
    if not llm:
        raise click.UsageError("--base-url says where --llm is served; name the model, too")
    from memspan.llm import OpenAIModel

    with OpenAIModel(llm, base_url=base_url) as model:
        yield model
