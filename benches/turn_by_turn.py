"""What a conversation costs that is added turn by turn, with and without jobs that wait for enough turns.

    python benches/turn_by_turn.py locomo5.json --user conv-26 [--out benches/results/turn_by_turn.md]

Each recipe processes the conversation three times: with every session in one call of `add`; turn by turn, processed
after each turn at once; and turn by turn with `gather=True`, what is left being begun at the end of each session, as
five minutes of silence would. The model is the one of the tests, which answers by rules: calls and tokens are real,
tokens are words. Vectors are hashes, for speed; so numbers differ a little from other pages.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from scripted_llm import ScriptedLLM, all_rules

from memspan import Memory
from memspan.formats import read_turns
from memspan.llm import OpenAIModel
from memspan.recipes import recipe, recipe_names

Session = list[dict[str, Any]]


def whole(memory: Memory, name: str, session: Session) -> None:
    """The session in one call."""
    memory.add(session, user="u", session=name)
    memory.process()


def at_once(memory: Memory, name: str, session: Session) -> None:
    """Each turn is processed when it comes."""
    for turn in session:
        memory.add([turn], user="u", session=name)
        memory.process()


def gathered(memory: Memory, name: str, session: Session) -> None:
    """Turns wait for each other, until the session is over."""
    for turn in session:
        memory.add([turn], user="u", session=name)
        memory.process(gather=True)
    memory.process()


WAYS: dict[str, Callable[[Memory, str, Session], None]] = {
    "sessions in one piece": whole,
    "turn by turn, at once": at_once,
    "turn by turn, gathered": gathered,
}


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--user", default="conv-26", show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path))
def main(file: Path, user: str, out: Path | None) -> None:
    """Print a row for each recipe and way."""
    turns = [turn for turn in read_turns(file) if turn.user == user]
    sessions: list[tuple[str, Session]] = [
        (name or "", [{"id": one.id, "text": one.text, "at": one.at, "speaker": one.speaker} for one in own])
        for name, own in groupby(turns, key=lambda turn: turn.session)
    ]
    lines = [
        "# A conversation that comes turn by turn",
        "",
        f"    python benches/turn_by_turn.py {file.name} --user {user}",
        "",
        f"{len(turns)} turns in {len(sessions)} sessions. The model is scripted: calls are real, tokens are counted as "
        "words.",
        "",
        "| recipe | waits for | added | jobs | calls | prompt tokens | completion tokens |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in recipe_names():
        if recipe(name).write:
            lines += [row(name, way, sessions) for way in WAYS]
    page = "\n".join([*lines, ""])
    click.echo(page)
    if out is not None:
        out.write_text(page, encoding="utf-8")


def row(name: str, way: str, sessions: list[tuple[str, Session]]) -> str:
    gather = recipe(name).gather
    assert gather is not None
    limit = f"{gather.tokens} tokens" if gather.tokens is not None else f"{gather.turns} turns"
    with (
        ScriptedLLM(all_rules()) as server,
        tempfile.TemporaryDirectory() as directory,
        OpenAIModel("scripted", base_url=server.url, api_key_variable=None) as llm,
        Memory(Path(directory) / "m.memspan", "hash", llm=llm, recipe=name) as memory,
    ):
        for session, messages in sessions:
            WAYS[way](memory, session, messages)
        jobs = memory.jobs()
        assert {job.state for job in jobs} == {"done"}
        (entry,) = memory.usage(by=())
    spent = entry.usage
    return (
        f"| {name} | {limit} | {way} | {len(jobs)} | {spent.calls:,} | {spent.prompt_tokens:,} | "
        f"{spent.completion_tokens:,} |"
    )


if __name__ == "__main__":
    main()
