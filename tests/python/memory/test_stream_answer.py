"""Answers in pieces, over real HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_faults import FAULTS, Fault, slow
from pydantic import BaseModel
from scripted_llm import ScriptedLLM, no_pause

from memspan.errors import InvalidArgumentError, LLMError
from memspan.llm import OpenAIModel, Prompt, Reply, Usage
from memspan.llm.background import start_in_background
from memspan.memory import Memory
from memspan.recall.answer import NOT_ENOUGH, AnswerStream

LONG = " ".join(f"word{number}" for number in range(300))


@pytest.fixture
def asking(open_memory: Callable[..., Memory], server: ScriptedLLM) -> Iterator[Memory]:
    with OpenAIModel("scripted", base_url=server.url, sleep=no_pause, retries=1) as model:
        memory = open_memory(llm=model)
        memory.add(
            [{"id": "t1", "text": "Ana moved to Porto."}, {"id": "t2", "text": LONG}],
            user="ana",
            at="2023-05-08",
        )
        yield memory


def both(asking: Memory, question: str, **more: Any) -> list[tuple[list[str], AnswerStream]]:
    """Read with `for` and with `async for`."""

    async def read() -> tuple[list[str], AnswerStream]:
        stream = await asking.user("ana").astream_answer(question, **more)
        return [piece async for piece in stream], stream

    stream = asking.stream_answer(question, user="ana", **more)
    return [(list(stream), stream), asyncio.run(read())]


def test_pieces_are_the_text_and_the_answer_has_the_sources(asking: Memory) -> None:
    for pieces, stream in both(asking, "Where has Ana moved?"):
        answer = stream.answer
        assert "".join(pieces) == answer.text == "Ana moved to Porto."
        assert (answer.sources, answer.enough, answer.model) == (("t1",), True, "scripted-1")
        assert answer.usage.calls == 1
        assert stream.plan is answer.plan
        assert stream.context is answer.context
        assert answer.timings.answering > 0
    assert asking.usage(by=("stage",))[0].usage.calls == 2


def test_nothing_enough_comes_as_one_piece(asking: Memory) -> None:
    for pieces, stream in both(asking, "Quux?"):
        assert pieces == [NOT_ENOUGH]
        assert not stream.answer.enough
        assert stream.answer.sources == ()


def test_a_model_that_says_why_there_is_no_answer_is_heard(asking: Memory, server: ScriptedLLM) -> None:
    server.reply("answer_text", "They do not say.\nSources: none")
    stream = asking.stream_answer("Where?", user="ana")
    assert "".join(stream) == "They do not say." == stream.answer.text
    assert not stream.answer.enough


@pytest.mark.parametrize(
    ("said", "text", "sources", "remark"),
    [
        ("Yes.\nSources: 1, 77", "Yes.", ("t1",), "77"),
        ("Yes.", "Yes.", (), "no source"),
        ("\n", NOT_ENOUGH, (), ""),
        ("Sources: 1", NOT_ENOUGH, ("t1",), ""),
    ],
)
def test_replies_of_other_forms(
    asking: Memory, server: ScriptedLLM, said: str, text: str, sources: tuple[str, ...], remark: str
) -> None:
    server.reply("answer_text", said)
    stream = asking.stream_answer("Where?", user="ana")

    assert "".join(stream) == text == stream.answer.text
    assert stream.answer.enough == (text != NOT_ENOUGH)
    assert stream.answer.sources == (sources if stream.answer.enough else ())
    assert remark in " ".join(stream.answer.remarks)


def test_a_server_that_hangs_up_in_the_middle_ends_the_stream_with_an_error(
    asking: Memory, server: ScriptedLLM
) -> None:
    server.reply("answer_text", LONG)
    server.misbehave(Fault(name="half", sent=0.5))
    stream = asking.stream_answer("Where?", user="ana")

    got: list[str] = []
    with pytest.raises(LLMError):
        got.extend(stream)
    assert LONG.startswith("".join(got)[:1000])
    with pytest.raises(InvalidArgumentError, match="read to its end"):
        _ = stream.answer


def test_what_fails_before_the_first_piece_is_tried_again(asking: Memory, server: ScriptedLLM) -> None:
    server.misbehave(FAULTS["status 500"])
    assert "".join(asking.stream_answer("Where has Ana moved?", user="ana")) == "Ana moved to Porto."

    server.misbehave(FAULTS["status 500"], FAULTS["status 500"])
    with pytest.raises(LLMError):
        list(asking.stream_answer("Where has Ana moved?", user="ana"))


def test_an_answer_that_was_cut_off_says_so(asking: Memory, server: ScriptedLLM) -> None:
    server.misbehave(Fault(name="long", finish="length"))
    stream = asking.stream_answer("Where has Ana moved?", user="ana")
    list(stream)
    assert "the answer was cut off because it grew too long" in stream.answer.remarks


def test_what_a_filter_stopped_is_no_lack_of_memories(asking: Memory, server: ScriptedLLM) -> None:
    server.reply("answer_text", "")
    server.misbehave(FAULTS["filtered"])
    with pytest.raises(LLMError, match="content filter"):
        list(asking.stream_answer("Where has Ana moved?", user="ana"))
    (entry,) = asking.usage()
    assert (entry.usage.calls, entry.usage.uncounted) == (1, 0)


def test_a_stream_is_read_once_and_can_be_left(asking: Memory, server: ScriptedLLM) -> None:
    server.reply("answer_text", LONG)
    stream = asking.stream_answer("Where?", user="ana")
    for _ in stream:
        break
    with pytest.raises(InvalidArgumentError, match="read once"):
        list(stream)
    assert "not complete" in repr(stream)
    assert "".join(asking.stream_answer("Where has Ana moved?", user="ana")) == "Ana moved to Porto."


def test_nothing_is_asked_before_the_stream_is_read(asking: Memory, server: ScriptedLLM) -> None:
    stream = asking.stream_answer("Where has Ana moved?", user="ana", plan="model")
    assert [asked.task for asked in server.asked] == ["plan"]
    assert "".join(stream)
    assert stream.answer.usage.calls == 2


def test_a_model_that_cannot_stream_gives_one_piece(open_memory: Callable[..., Memory]) -> None:
    class Plain:
        model = "plain"

        async def acomplete(self, prompt: Prompt, schema: type[BaseModel], *, stage: str) -> Reply[Any]:
            value = schema.model_validate({"answer": "Porto.", "sources": [1], "enough": True})
            return Reply(value=value, model="plain", usage=Usage(calls=1))

    memory = open_memory(llm=Plain())
    memory.add("Ana moved to Porto.", user="ana")
    stream = memory.stream_answer("Where?", user="ana")

    assert list(stream) == ["Porto."]
    assert stream.answer.enough


def test_an_interrupt_while_waiting_ends_the_request(
    asking: Memory, server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memspan.recall.answer import stream as module

    calls = 0
    run = module.run_in_background

    def interrupted(work: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            module_future = start_in_background(work)
            time.sleep(0.2)
            module_future.cancel()
            raise KeyboardInterrupt
        return run(work)

    monkeypatch.setattr(module, "run_in_background", interrupted)
    server.misbehave(slow(5.0))
    with pytest.raises(KeyboardInterrupt):
        list(asking.stream_answer("Where has Ana moved?", user="ana"))
    monkeypatch.undo()
    assert "".join(asking.stream_answer("Where has Ana moved?", user="ana")) == "Ana moved to Porto."


def test_a_stream_that_is_left_early_counts_as_a_call(asking: Memory) -> None:
    async def first() -> None:
        stream = await asking.astream_answer("Where has Ana moved?", user="ana")
        pieces = aiter(stream)
        await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]

    for _ in asking.stream_answer("Where has Ana moved?", user="ana"):
        break
    asyncio.run(first())
    (entry,) = asking.usage()
    assert (entry.stage, entry.usage.calls, entry.usage.uncounted) == ("answer", 2, 2)


LEFT_OPEN = """
import gc, sys, threading
sys.path.insert(0, sys.argv[2])
from scripted_llm import ScriptedLLM, all_rules
from memspan.llm import OpenAIModel
from memspan.llm.background import start_in_background
from memspan.memory import Memory

server = ScriptedLLM(all_rules()).__enter__()
model = OpenAIModel("scripted", base_url=server.url, api_key_variable=None)
memory = Memory(sys.argv[1], "hash:32", llm=model)
memory.add("Ana moved to Porto.", user="ana")
"""
COLLECTED = """
gc.disable()
pieces = [iter(memory.stream_answer("Where has Ana moved?", user="ana"))]
next(pieces[0])
pieces.append(pieces)  # so that only the collector finds it
del pieces

async def collect():
    gc.collect()

start_in_background(collect())
answers = []
asking = threading.Thread(target=lambda: answers.append(memory.ask("Where?", user="ana")), daemon=True)
asking.start()
asking.join(20)
print("fine" if answers else "no answer")
"""
KEPT = """
pieces = iter(memory.stream_answer("Where has Ana moved?", user="ana"))
next(pieces)
print("fine")
"""


@pytest.mark.parametrize("script", [COLLECTED, KEPT], ids=["collected", "kept"])
def test_a_stream_that_nobody_ends_is_ended_wherever_that_may_be(tmp_path: Path, script: str) -> None:
    """By the collector, in the thread of the model itself; at the end of the interpreter, when there is no thread."""
    support = str(Path(__file__).parents[2] / "support")
    done = subprocess.run(
        [sys.executable, "-c", LEFT_OPEN + script, str(tmp_path / "agent.memspan"), support],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")
