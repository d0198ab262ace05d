"""Every recipe over one conversation, with a scripted model behind real HTTP: what it makes, and what it asks for.

    python benches/recipes_end_to_end.py locomo5.json --user conv-26 --question "..." [--out benches/results/recipes.md]

The model is the one of the tests (tests/support/scripted_llm.py), which answers by rules from what a prompt shows it:
calls and tokens are real, what the statements say is not a language model's. Tokens are the server's count of words.
Then `ask` is given the question under each recipe; the page tells what it rests on and not what it says.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from scripted_llm import ScriptedLLM, all_rules

from machine import describe_machine
from memspan import Memory
from memspan.formats import read_turns
from memspan.llm import OpenAIModel
from memspan.recipes import recipe_names


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--user", default="conv-26", show_default=True)
@click.option("--question", required=True, help="Asked under every recipe.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path))
def main(file: Path, user: str, question: str, out: Path | None) -> None:
    turns = [turn for turn in read_turns(file) if turn.user == user]
    rows, answers = [], []
    with ScriptedLLM(all_rules()) as server, tempfile.TemporaryDirectory() as directory:
        for name in recipe_names():
            with OpenAIModel("scripted", base_url=server.url, api_key_variable=None, concurrency=64) as llm:
                path = Path(directory) / f"{name}.memspan"
                with Memory(path, llm=llm, recipe=name) as memory:
                    row, answer = run(memory, name, user, turns, question)
            rows.append(row)
            answers.append(answer)
    page = "\n".join([*head(file, user, len(turns)), *rows, "", *CALLS, *ASK_HEAD, *answers, ""])
    click.echo(page)
    if out is not None:
        out.write_text(page, encoding="utf-8")


def run(memory: Memory, name: str, user: str, turns: list[Any], question: str) -> tuple[str, str]:
    """One recipe: a row of what it made, and one of what `ask` says."""
    started = time.perf_counter()
    add(memory, user, turns)
    stored = time.perf_counter() - started
    report = memory.process()
    assert report.failed == report.parked == 0, report
    records = [found.record for found in memory.latest(user=user, k=10_000)]
    made = [record for record in records if record.sources]
    known = {record.id for record in records}
    assert all(source in known for record in made for source in record.sources)
    covered = {source for record in made for source in record.sources} & {turn.id for turn in turns}
    tags = {tag for record in records for tag in record.tags}
    usage = report.usage
    row = (
        f"| {name} | {stored:.1f} | {report.done} | {len(made)} | {len(covered)} | {len(tags)} | {usage.calls} | "
        f"{usage.calls / len(turns):.2f} | {usage.prompt_tokens:,} | {usage.completion_tokens:,} | "
        f"{report.seconds:.1f} |"
    )
    answer = memory.ask(question, user=user)
    shown = len(answer.context.sources)
    spent = f"{answer.usage.prompt_tokens:,} | {answer.usage.completion_tokens:,}"
    by = answer.plan.reasons[0] if answer.plan and answer.plan.reasons else ""
    return row, f"| {name} | {shown} | {len(answer.sources)} | {answer.usage.calls} | {spent} | {by} |"


def add(memory: Memory, user: str, turns: list[Any]) -> None:
    """The turns of each session in one call."""
    sessions: dict[str | None, list[dict[str, Any]]] = {}
    for turn in turns:
        message = {
            "id": turn.id,
            "text": turn.text,
            "at": turn.at,
            "speaker": turn.speaker,
            "images": turn.images,
        }
        sessions.setdefault(turn.session, []).append(message)
    for session, messages in sessions.items():
        memory.add(messages, user=user, session=session)


def head(file: Path, user: str, count: int) -> list[str]:
    machine = describe_machine()
    return [
        "# Every recipe over one conversation",
        "",
        f'    python benches/recipes_end_to_end.py {file.name} --user {user} --question "When ...?"',
        "",
        f"{count} turns. The model is scripted: calls are real, tokens are counted as words, replies follow rules.",
        f"Seconds include embedding; {machine['cpu']}, {machine['cores']} cores, memspan {machine['memspan']}, "
        "with other work on the machine.",
        "",
        "| recipe | seconds to store | jobs | records made | turns among their sources | tags | calls | calls a turn | "
        "prompt tokens | completion tokens | seconds to process |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]


CALLS = [
    "Calls are what the papers' analysis of their cost says, which tests hold every recipe to "
    "(tests/python/recipes/test_calls.py, test_tokens.py): SimpleMem one for each window of 20 turns with a step of 15 "
    "and one to synthesise a session; ProMem two for each memory beside extracting and completing; SwiftMem one for "
    "each pair of turns; LightMem at most one whenever its buffer of 512 tokens is full or a session ends "
    "(table 1: N r^x T / th, against N of a turn-by-turn system); `best` one for each window, at most one to complete, "
    "and two for every eight statements in doubt.",
    "",
]
ASK_HEAD = [
    "One question to `ask`, by each recipe's own way of reading:",
    "",
    "| recipe | memories shown | sources of the answer | calls | prompt tokens | completion tokens | plan |",
    "|---|---|---|---|---|---|---|",
]


if __name__ == "__main__":
    main()
