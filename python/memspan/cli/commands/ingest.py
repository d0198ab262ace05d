"""`memspan ingest`: conversations from a file into a store."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import open_memory
from memspan.cli.status import ExitStatus
from memspan.cli.tables import counted
from memspan.errors import EmbedderError, FormatError, InvalidArgumentError, StoreError
from memspan.formats import FORMATS, Turn, read_turns
from memspan.ingestion import IngestReport, ingest_turns
from memspan.memory import Memory
from memspan.recipes import recipe as get_recipe

__all__ = ["ingest", "store_bytes"]

_COUNTED_BYTES = 64 << 20
"""Files up to this size are read once more beforehand, so that the progress bar knows where it ends."""


@click.command(
    short_help="Read conversations from a file into a store.",
    epilog=options.examples(
        "memspan ingest conversation.jsonl --store chat.memspan",
        "memspan ingest export.json --store chat.memspan --user ana --format chat",
        "some-program | memspan ingest - --store chat.memspan --user ana",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@options.new_store
@click.option(
    "--user",
    metavar="USER",
    help="Whose memory it goes into, when the file does not say; or the one to take. MEMSPAN_USER does not stand in "
    "for it: it would leave out whoever else is in FILE.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(sorted(FORMATS)),
    help="What FILE holds. Default: found out from its first value.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 100_000),
    default=256,
    show_default=True,
    help="Turns in one transaction.",
)
@click.option(
    "--tags", "tag", is_flag=True, help="Afterwards make tags of what was said, without a language model."
)
@options.recipe
@options.embedder
@options.as_json
@pass_environment
def ingest(
    env: Environment,
    file: Path,
    store: Path,
    user: str | None,
    format_: str | None,
    batch: int,
    tag: bool,
    recipe: str,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Read the turns of FILE (`-`: stdin) into a store.

    FILE is an OpenAI-style chat (JSON or JSON Lines), the conversations.json that ChatGPT or Claude export, an export
    of Open WebUI or Telegram Desktop, a session file of Claude Code or Codex CLI, a file of a data set that --format
    names, or plain records, one a line, with a text and whatever else is known (session, speaker, id, tags):

    \b
      {"user": "ana", "at": "2024-05-19T16:55Z", "text": "It was 640 euros."}

    A turn replaces the one that was stored under its id, so ingesting a file with ids twice changes nothing. Turns
    without an id are new each time.
    A broken line ends the work with its file, line and reason; the turns before it stay.
    """
    report = IngestReport()
    lost: Counter[str] = Counter()
    error: Exception | None = None
    status = ExitStatus.OK
    waiting = 0
    first = not store.exists()
    try:
        # The first one comes before there is a store: a file that is no conversation makes none.
        turns = _begun(read_turns(env.stdin_bytes if _is_stdin(file) else file, format=format_, user=user))
        with open_memory(store, embedder, recipe=recipe) as memory:
            before = _room(memory)
            try:
                _run(env, memory, turns, partial(_count, file, user, format_), batch, report)
            except FormatError:
                raise
            except InvalidArgumentError as caught:  # of what the file holds, though no reader minds
                raise FormatError(str(caught)) from caught
            finally:
                lost = _room(memory) - before
            if get_recipe(recipe).write:
                waiting = len(memory.jobs(state="pending"))
            if tag:
                for name in report.turns:
                    memory.tag(name, progress=env.err.is_terminal)
    except FormatError as caught:
        error, status = caught, ExitStatus.BAD_INPUT
    except (EmbedderError, StoreError) as caught:
        if not report.total:
            raise
        error, status = caught, ExitStatus.ERROR
    except KeyboardInterrupt:
        status = ExitStatus.INTERRUPTED
    size = store_bytes(store)
    message = str(error) if error else "interrupted" if status is ExitStatus.INTERRUPTED else None
    if as_json:
        env.write_json(_as_json(store, report, lost, size, message))
    elif report.total or message is None:
        _print(env, store, report, lost, size)
        if first and report.total and message is None:
            user = next(iter(report.turns))
            env.say(
                f'Next: memspan search "..." --store {shlex.quote(str(store))} --user {shlex.quote(user)}'
            )
        if waiting:
            env.say(
                f"{counted(waiting, 'job')} waiting: memspan process --store {shlex.quote(str(store))} --llm MODEL"
            )
    if message is not None:
        raise CommandError(f"{message} (kept: {counted(report.total, 'turn')} before it)", status) from error


def _is_stdin(file: Path) -> bool:
    return str(file) == "-"


def _begun(turns: Iterator[Turn]) -> Iterator[Turn]:
    """The same turns, of which the first has been read."""
    return chain(list(islice(turns, 1)), turns)


def _room(memory: Memory) -> Counter[str]:
    """How many records are in the cold tier, and how many have no source outside it."""
    stats = memory.stats()
    return Counter(evicted=stats["cold"]["evicted"], unsourced=stats["unsourced"])


def _run(
    env: Environment,
    memory: Memory,
    turns: Iterator[Turn],
    count: Callable[[], int | None],
    batch: int,
    report: IngestReport,
) -> None:
    with env.progress() as progress:
        task = progress.add_task("reading", total=None)
        if not progress.disable:
            progress.update(task, total=count())
        progress.update(task, description="ingesting")
        ingest_turns(memory, turns, report, batch=batch, advance=lambda count: progress.advance(task, count))


def store_bytes(store: Path) -> int:
    """Bytes of the database, its log and the index's cache file."""
    paths = (Path(f"{store}{suffix}") for suffix in ("", "-wal", ".index"))
    return sum(path.stat().st_size for path in paths if path.is_file())


def _count(file: Path, user: str | None, format_: str | None) -> int | None:
    """How many turns a file has; `None` of one that is not read twice."""
    # A pipe (`<(zcat ...)`) holds nothing any more when it has been read.
    if _is_stdin(file) or not file.is_file() or file.stat().st_size > _COUNTED_BYTES:
        return None
    count = 0
    try:
        for _ in read_turns(file, format=format_, user=user):
            count += 1
    except FormatError:
        pass
    return count


def _as_json(
    store: Path, report: IngestReport, lost: Mapping[str, int], size: int, error: str | None
) -> dict[str, Any]:
    return {
        "store": str(store),
        "turns": report.total,
        "users": dict(report.turns),
        "seconds": round(report.seconds, 3),
        "turns_per_second": round(report.rate, 1),
        "bytes": size,
        "evicted": lost["evicted"],
        "unsourced": lost["unsourced"],
        "error": error,
    }


def _print(env: Environment, store: Path, report: IngestReport, lost: Mapping[str, int], size: int) -> None:
    for user, turns in report.turns.items():
        env.say(f"{user}: {counted(turns, 'turn')}")
    env.say(
        f"{counted(report.total, 'turn')} of {counted(len(report.turns), 'user')} in {report.seconds:.1f} s "
        f"({report.rate:,.0f} a second); "
        f"'{store}' takes {size / 1e6:.1f} MB"
    )
    if lost["evicted"]:
        text = f"{counted(lost['evicted'], 'record')} went to the cold tier"
        if lost["unsourced"]:
            text += f", and with them the last sources of {counted(lost['unsourced'], 'derived record')}"
        env.say(f"{text}: see `memspan evicted`")
