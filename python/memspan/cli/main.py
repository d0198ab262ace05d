"""The `memspan` command group and its entry point."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Any

import click

from memspan import __version__
from memspan.starting import raise_at_ctrl_c

from .command_list import SECTIONS, Commands
from .docstrings import with_help
from .environment import Environment
from .failures import map_failures

__all__ = ["cli", "main"]


class _Group(click.Group):
    """Lists the commands by what they are for and translates their errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                # Names of one width, so that the texts of all sections stand below one another.
                formatter.write_dl(
                    [(name.ljust(width), self.commands[name].get_short_help_str(80)) for name in names]
                )

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        # Help and version are written here.
        with map_failures():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with map_failures():
            raise_at_ctrl_c()
            return super().invoke(ctx)


@click.group(
    cls=_Group,
    commands=Commands(),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 could not be done, 2 wrong command line or variable, 3 unreadable input, "
    "130 interrupted. MEMSPAN_STORE, MEMSPAN_USER, MEMSPAN_EMBEDDER and MEMSPAN_LLM stand in for options; "
    "MEMSPAN_ACTOR names who acts in the audit, by default the login name; MEMSPAN_DEBUG=1 shows tracebacks. "
    'Completion for bash: eval "$(_MEMSPAN_COMPLETE=bash_source memspan)"; also zsh_source, fish_source.',
)
@click.version_option(__version__, prog_name="memspan")
@click.pass_context
def cli(context: click.Context) -> None:
    """A long-term memory: conversations go in, questions bring back the turns that answer them."""
    context.obj = context.obj or Environment.standard()


with_help(cli)


def main() -> None:
    """Run the command line; ends the process with an `ExitStatus`."""
    _open_closed()
    _settle_encoding(sys.stdin, "surrogateescape")
    _settle_encoding(sys.stdout, "backslashreplace")
    _settle_encoding(sys.stderr, "backslashreplace")
    cli(prog_name="memspan")


def _open_closed() -> None:
    """A stream that the caller closed (`>&-`) reads and writes nothing. Its number is taken, so that no file of the
    store gets it, into which whoever writes to standard output would write."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open as long as the process is


def _settle_encoding(stream: Any, errors: str) -> None:
    """Files and pipes are UTF-8 in every locale; a terminal keeps its encoding."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)
