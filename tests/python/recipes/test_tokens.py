"""How many tokens a recipe costs: the instructions once a call, and each turn as often as the papers say that it is
read."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest
from conversations import conversation, work
from scripted_llm import all_rules, count_tokens, read_data
from tools import MemoryTools, run_stages

from memspan.encode.segment import Segment
from memspan.encode.values import Work
from memspan.llm import Prompt
from memspan.recipes import recipe

TURNS = 90


def run(name: str, count: int = TURNS) -> tuple[list[Prompt], Work]:
    """What a recipe asks about a conversation."""
    tools = MemoryTools(all_rules())
    stages = [
        replace(stage, method="similarity") if isinstance(stage, Segment) else stage
        for stage in recipe(name).write
    ]
    done = asyncio.run(run_stages(stages, work(conversation(count)), tools))
    return [prompt for _, prompt in tools.asked], done


def cost(prompt: Prompt) -> int:
    return count_tokens(prompt.system) + count_tokens(prompt.user)


def of_data(prompt: Prompt, *names: str) -> int:
    """Tokens of the lines between delimiters."""
    data = read_data(prompt.user)
    lines = prompt.user.splitlines()
    kept = [
        line
        for line in lines
        if line.startswith("{") and any(json.loads(line) in data[name] for name in names)
    ]
    assert len(kept) == sum(len(data[name]) for name in names)
    return sum(count_tokens(line) for line in kept)


def test_lightmem_costs_what_its_table_1_says() -> None:
    """N r^x T / th calls, each of L_sum-in + th tokens: every compressed turn is read once."""
    asked, done = run("lightmem")

    shown = Counter(turn["text"] for prompt in asked for turn in read_data(prompt.user)["turns"])
    assert shown == Counter(turn.text for turn in done.turns)
    overheads = {cost(prompt) - of_data(prompt, "turns", "scene") for prompt in asked}
    assert len(asked) == 2
    assert len(overheads) == 1
    (instructions,) = overheads
    lines = sum(of_data(prompt, "turns", "scene") for prompt in asked)
    assert sum(map(cost, asked)) == len(asked) * instructions + lines
    # What a call for every turn would cost: N (L_sum-in + T).
    assert sum(map(cost, asked)) < (TURNS * instructions + lines) / 4


@pytest.mark.parametrize(("count", "twice"), [(20, 0), (35, 5), (90, 25)])
def test_simplemem_reads_what_its_windows_share_again(count: int, twice: int) -> None:
    """Five turns of every window but the first are the last of the one before; five more are its history."""
    asked, _ = run("simplemem", count)
    extracting = [prompt for prompt in asked if prompt.name == "extract"]
    shown = [turn for prompt in extracting for turn in read_data(prompt.user)["turns"]]

    numbered = sum("n" in turn for turn in shown)
    (instructions,) = {cost(prompt) - of_data(prompt, "turns", "scene") for prompt in extracting}
    lines = sum(of_data(prompt, "turns", "scene") for prompt in extracting)
    assert sum(map(cost, extracting)) == len(extracting) * instructions + lines
    assert numbered == count + twice
    assert len(shown) == numbered + 5 * (len(extracting) - 1)


def test_promem_reads_everything_for_every_memory() -> None:
    """Two calls a memory, one of which shows the whole dialogue: M (L + N T)."""
    asked, done = run("promem")
    by_name = Counter(prompt.name for prompt in asked)
    assert by_name["question"] == by_name["evidence"] == len(done.statements)
    evidence = [prompt for prompt in asked if prompt.name == "evidence"]
    assert {len(read_data(prompt.user)["turns"]) for prompt in evidence} == {TURNS}
    (lines,) = {of_data(prompt, "turns") for prompt in evidence}
    assert sum(map(cost, evidence)) > len(evidence) * lines
    assert not any("turns" in read_data(prompt.user) for prompt in asked if prompt.name == "question")


def test_swiftmem_reads_each_turn_once() -> None:
    asked, _ = run("swiftmem")
    shown = [
        turn["text"] for prompt in asked for item in read_data(prompt.user)["items"] for turn in item["turns"]
    ]
    assert Counter(shown) == Counter(turn.text for turn in conversation(TURNS))
