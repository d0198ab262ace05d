"""Models whose context is small: what does not fit is asked about in less, until it does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from conversations import turn, turns, work
from scripted_llm import Asked, Rule
from tools import MemoryTools, run_stages

from memspan.encode.buffer import Buffer
from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.stage import Stage
from memspan.encode.values import Turn, Window, Work
from memspan.encode.windows import Windows
from memspan.errors import TruncatedReplyError

LONG = " ".join(f"w{number}" for number in range(5000))


def quoting(asked: Asked) -> list[dict[str, Any]]:
    """Each numbered turn as a statement."""
    return [{"content": line["text"], "turns": [line["n"]]} for line in asked.data["turns"] if "n" in line]


RULES: dict[str, Rule] = {
    "extract": lambda asked: {"statements": quoting(asked)},
    "complete": lambda asked: {"statements": quoting(asked)},
    "summarise": lambda asked: {"segments": [{"segment": 1, "topic": "a", "entries": quoting(asked)}]},
}


def small(rule: Rule, chars: int) -> Callable[[Asked], Any]:
    """The rule of a model that takes so many characters of turns."""

    def answer(asked: Asked) -> Any:
        if sum(len(line["text"]) for line in asked.data["turns"]) > chars:
            raise TruncatedReplyError("the prompt does not fit")
        return rule(asked)

    return answer


def run(stages: Sequence[Stage], given: Work, chars: int) -> tuple[Work, MemoryTools]:
    tools = MemoryTools({name: small(rule, chars) for name, rule in RULES.items()})
    return asyncio.run(run_stages(stages, given, tools)), tools


@pytest.mark.parametrize("chars", [100, 300, 900, 2000])
@pytest.mark.parametrize("stages", [(Windows(), Extract()), (Extract(),), (Complete(),)], ids=len)
def test_every_turn_is_read_once_with_less_around_it(stages: Sequence[Stage], chars: int) -> None:
    texts = [f"Turn {number} {'x' * 90}"[:100] for number in range(20)]
    given = work(turns(*texts), history=[turn(50 + n, "y" * 100) for n in range(5)])

    done, tools = run(stages, given, chars)

    assert [one.text for one in done.statements] == texts
    assert len(tools.asked) <= 60, "three times as many as there are turns"


@pytest.mark.parametrize("stage", [Extract(), Complete(), Buffer()], ids=lambda stage: stage.name)
def test_a_turn_that_is_too_long_is_read_in_pieces(stage: Stage) -> None:
    given = work([turn(0, "Before."), turn(1, LONG), turn(2, "Behind.")])

    done, _ = run([stage], given, 8000)

    before, *pieces, behind = done.statements
    assert (before.text, behind.text) == ("Before.", "Behind.")
    assert " ".join(piece.text for piece in pieces) == LONG, "cut between words"
    assert {piece.sources for piece in pieces} == {("t1",)}


def test_short_turns_are_no_pieces() -> None:
    with pytest.raises(TruncatedReplyError):
        run([Extract()], work([turn(0, "x" * 1999)]), 1000)
    assert turn(0, "x" * 1999).halves() is None
    assert [len(half.text) for half in turn(0, "x" * 2001).halves() or ()] == [1000, 1001]


def test_halves_have_no_more_history_than_turns() -> None:
    def parts(window: Window) -> list[tuple[str, str]]:
        found = window.halves()
        return [(said(part.history), said(part.turns)) for part in found or ()]

    def said(given: Sequence[Turn]) -> str:
        return "".join(each.text for each in given)

    window = Window(turns=turns(*"cdefg"), history=turns(*"ab"))
    assert parts(window) == [("ab", "cd"), ("bcd", "efg")]
    assert parts(replace(window, history=turns(*"abc"), turns=turns("d"))) == [("", "d")]
    assert parts(Window(turns=turns("d"))) == []
