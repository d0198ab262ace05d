"""`memspan load`: read what `memspan export` wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOBase
from pathlib import Path
from typing import IO, cast

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError, as_input
from memspan.cli.opening import open_memory
from memspan.cli.status import ExitStatus
from memspan.cli.tables import counted
from memspan.errors import EmbedderError, StoreError
from memspan.remember.transfer.import_lines import header_of, readable
from memspan.remember.transfer.loading import kept_by

__all__ = ["load"]


@click.command(
    short_help="Read what `export` wrote.",
    epilog=options.examples(
        "memspan load demo.jsonl --store other.memspan",
        "zcat demo.jsonl.gz | memspan load - --store other.memspan",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@options.new_store
@options.embedder
@options.as_json
@pass_environment
def load(env: Environment, file: Path, store: Path, embedder: str | None, as_json: bool) -> None:
    """Add what `memspan export` wrote to FILE (`-`: stdin).

    A record replaces the one that was stored under its id. Records without vectors are embedded on the way
    in, which needs the model. A broken line ends the work with its file, line and reason; the records before it
    stay.
    """
    with readable(env.stdin if str(file) == "-" else file) as (lines, name):
        # The first one comes before there is a store: a file that is no export makes none.
        first = next(lines, "")
        header_of(first, name)
        with open_memory(store, embedder) as memory, as_input(), _telling():
            records = memory.load(cast("IO[str]", _Begun(first, lines, name)), progress=env.err.is_terminal)
    if as_json:
        env.write_json({"store": str(store), "records": records})
    else:
        env.note(f"{counted(records, 'record')} loaded")


@contextmanager
def _telling() -> Iterator[None]:
    """Say what is kept where something else than the file ended the work."""
    try:
        yield
    except (EmbedderError, StoreError, KeyboardInterrupt) as error:
        if not (kept := kept_by(error)):
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
        message = "interrupted" if interrupted else str(error)
        status = ExitStatus.INTERRUPTED if interrupted else ExitStatus.ERROR
        raise CommandError(f"{message} (kept: {counted(kept, 'record')} before it)", status) from error


class _Begun(TextIOBase):
    """A text file whose first line was read, and comes again: what is no file on a disk cannot be read twice."""

    def __init__(self, first: str, rest: Iterator[str], name: str) -> None:
        self._first = first
        self._rest = rest
        self.name = name

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line, self._first = self._first, ""
        return line or next(self._rest, "")
