"""Models whose context is small: what does not fit is asked about in less, until it does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from conversations import statement, turn, turns, work
from scripted_llm import Asked, Rule
from tools import MemoryTools, run_stages

from memspan.encode.buffer import Buffer
from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.stage import Stage
from memspan.encode.synthesise import Synthesise
from memspan.encode.values import Turn, Window, Work
from memspan.encode.verify import Verify
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
            error = TruncatedReplyError("the prompt does not fit")
            error.too_long = True
            raise error
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


def verified(given: Work, chars: int, **parameters: Any) -> tuple[list[tuple[str, bool]], MemoryTools]:
    """The statements and whether they were looked for, by a model that finds what a turn says word by word."""

    def evidence(asked: Asked) -> Any:
        said = {line["text"]: line["n"] for line in asked.data["turns"] if "n" in line}
        found = [
            {"n": line["n"], "found": True, "statement": line["question"], "turns": [said[line["question"]]]}
            for line in asked.data["questions"]
            if line["question"] in said
        ]
        return {"answers": found}

    def question(asked: Asked) -> Any:
        return {
            "questions": [
                {"n": line["n"], "question": line["statement"]} for line in asked.data["statements"]
            ]
        }

    tools = MemoryTools({"question": question, "evidence": small(evidence, chars)})
    done = asyncio.run(run_stages([Verify(**parameters)], given, tools))
    return [(one.text, one.metadata.get("verified", True)) for one in done.statements], tools


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("chars", [400, 2000, 10_000])
def test_answers_are_looked_for_near_the_sources_when_the_dialogue_does_not_fit(
    chars: int, batch: int
) -> None:
    texts = [f"Turn {number} {'xy ' * 60}end." for number in range(200)]
    statements = [statement(texts[number], f"t{number}") for number in range(0, 200, 4)]
    given = work(turns(*texts), history=[turn(900 + n, "y" * 100) for n in range(5)], statements=statements)

    kept, tools = verified(given, chars, batch=batch)

    assert kept == [(one.text, True) for one in statements]
    assert tools.noted("split")
    assert {one.sources for one in statements} == {(f"t{number}",) for number in range(0, 200, 4)}
    batches = -(-len(statements) // batch)
    if batch == 1:
        assert len(tools.asked) <= 2 * batches + 10, "what was too long for one is not sent for another"
    assert len(tools.asked) < 2 * batches + 4 * len(statements), "requests grow with the statements alone"


def test_a_statement_from_a_turn_that_does_not_fit_stays() -> None:
    statements = [statement("Too long.", "t1"), statement("Short.", "t2")]
    given = work(turns("Hm.", LONG, "Short."), statements=statements)

    kept, tools = verified(given, 1000, batch=2)

    assert kept == [("Too long.", False), ("Short.", True)]
    assert [note["statement"] for note in tools.noted("not verified")] == ["Too long."]


@pytest.mark.parametrize("fits", [5, 2, 1, 0])
def test_statements_that_do_not_fit_stay(fits: int) -> None:
    asked: list[tuple[bool, int]] = []

    def synthesise(given: Asked) -> Any:
        statements = given.data["statements"]
        asked.append((bool(given.data["context"]), len(statements)))
        if given.data["context"] or len(statements) > fits:
            raise TruncatedReplyError("the prompt does not fit")
        return {"units": [{"content": statements[0]["statement"], "members": [1, 2]}]}

    statements = [statement(f"Ana has bee {number}.", "t0") for number in range(5)]
    given = work(turns("Hm."), history=[turn(9, LONG)], statements=statements)
    tools = MemoryTools({"synthesise": synthesise})

    done = asyncio.run(run_stages([Synthesise()], given, tools)).statements

    assert [one.text for one in done if one.stage != "synthesise"] == [one.text for one in statements]
    assert asked[:2] == [(True, 5), (False, 5)]
    assert min(count for _, count in asked) >= 2


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
