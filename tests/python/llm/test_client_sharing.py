"""One model for many threads, event loops and processes; limits; cancellation."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from llm_faults import slow, status
from pydantic import BaseModel
from scripted_llm import ScriptedLLM

from memspan.errors import ForgottenError, LLMError
from memspan.llm import OpenAIModel, Prompt, client
from memspan.llm.protocol import Ready


class Items(BaseModel):
    items: list[str]


def test_threads_and_loops_share_one_model(
    model: OpenAIModel, server: ScriptedLLM, prompt_of: Callable[[list[str]], Prompt]
) -> None:
    async def several(name: str) -> list[list[str]]:
        asked = (model.acomplete(prompt_of([f"{name}{n}"]), Items, stage="test") for n in range(4))
        return [reply.value.items for reply in await asyncio.gather(*asked)]

    def blocking(name: str) -> list[list[str]]:
        return [model.complete(prompt_of([f"{name}{n}"]), Items, stage="test").value.items for n in range(4)]

    with ThreadPoolExecutor(6) as pool:
        waiting = {name: pool.submit(blocking, name) for name in "abc"}
        waiting |= {name: pool.submit(asyncio.run, several(name)) for name in "def"}
        for name, future in waiting.items():
            assert future.result() == [[f"{name}{n}".upper()] for n in range(4)]
    assert len(server.asked) == 24


def test_no_more_requests_at_once_than_allowed(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server, concurrency=3)
    everybody = threading.Barrier(3, timeout=30)
    server.rules["shout"] = lambda asked: (everybody.wait(), {"items": []})[1]

    async def run() -> None:
        await asyncio.gather(*(model.acomplete(prompt, Items, stage="test") for _ in range(12)))

    asyncio.run(run())
    assert server.most_at_once == 3


def test_no_more_tokens_a_minute_than_allowed(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, clock: Any
) -> None:
    one = model_of(server).complete(prompt, Items, stage="test").usage
    tokens = one.prompt_tokens + one.completion_tokens
    model = model_of(server, tokens_per_minute=3 * tokens + 10)

    times = []
    for _ in range(7):
        model.complete(prompt, Items, stage="test")
        times.append(clock.now - 1000.0)

    assert times == [0, 0, 0, 60, 60, 60, 120]


def test_a_pause_that_the_server_asks_for_holds_up_the_others(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, clock: Any
) -> None:
    model = model_of(server, concurrency=1)
    server.misbehave(status(429, retry_after="30"))

    async def run() -> None:
        await asyncio.gather(*(model.acomplete(prompt, Items, stage="test") for _ in range(3)))

    asyncio.run(run())
    assert sum(clock.slept) == pytest.approx(30)


def test_cancelling_frees_the_place(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server, concurrency=1)
    server.misbehave(slow(60))

    async def run() -> list[str]:
        stuck = asyncio.ensure_future(model.acomplete(prompt, Items, stage="test"))
        while not server.asked:
            await asyncio.sleep(0.01)
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck
        return (await model.acomplete(prompt, Items, stage="test")).value.items

    assert asyncio.run(run()) == ["A", "B"]


@pytest.mark.parametrize("closed_before", [True, False])
def test_a_loop_that_ends_leaves_no_look_behind(closed_before: bool) -> None:
    """The caller's loop is closed when its client wants to know whether a request may go out, or before it looks."""
    looked: list[int] = []

    async def ready() -> None:
        looked.append(1)

    async def made() -> Ready:
        return client._in_this_loop(ready)

    async def ask(look: Ready) -> None:
        await asyncio.wait_for(look(), 0.1)

    callers = asyncio.new_event_loop()
    look = callers.run_until_complete(made())
    if closed_before:
        callers.close()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError if closed_before else asyncio.TimeoutError):
            asyncio.run(ask(look))
        callers.close()
        gc.collect()
    assert [str(one.message) for one in said if "never awaited" in str(one.message)] == []
    assert not looked


def test_a_look_that_is_cancelled_or_fails_ends_the_request(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    async def refused() -> None:
        raise ForgottenError("gone")

    async def ask(ready: Ready) -> None:
        await model.acomplete(prompt, Items, stage="test", ready=ready)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ask(cancelled))
    with pytest.raises(ForgottenError):
        asyncio.run(ask(refused))
    assert not server.asked


def test_closing_while_somebody_asks_ends_in_an_error(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server)
    server.schedule = lambda asked, number: slow(60)

    with ThreadPoolExecutor(1) as pool:
        stuck = pool.submit(model.complete, prompt, Items, stage="test")
        while not server.asked:
            time.sleep(0.01)
        model.close()
        server.closing.set()
        with pytest.raises(LLMError, match="closed"):
            stuck.result()


def test_a_forgotten_model_leaves_nothing_open(server: ScriptedLLM, prompt: Prompt) -> None:
    model = OpenAIModel("small", base_url=server.url)
    model.complete(prompt, Items, stage="test")

    del model
    gc.collect()  # warnings about open sockets would be errors here


FORK = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from pydantic import BaseModel
from memspan.llm import OpenAIModel, Prompt
class Items(BaseModel):
    items: list[str]
prompt = Prompt(name="shout", version=1, system="Task: shout", user='<items>\\n"a"\\n</items>')
model = OpenAIModel("small", base_url=sys.argv[1], cache=sys.argv[2])
def ask(text):
    return model.complete(prompt, Items, stage="test").value.items
assert ask("a") == ["A"]
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if ask("b") == ["A"] and ask("c") == ["A"] else 1)
        finally:
            os._exit(2)
    children.append(child)
assert ask("d") == ["A"]
assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
model.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("cached", [False, True])
def test_forked_children_make_their_own_connections(server: ScriptedLLM, tmp_path: Any, cached: bool) -> None:
    program = FORK if cached else FORK.replace(", cache=sys.argv[2]", "")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, server.url, str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert len(server.asked) == (1 if cached else 8)


FORK_MEANWHILE = """
import faulthandler, os, sys, threading, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from pydantic import BaseModel
from memspan.llm import OpenAIModel, Prompt, client
from memspan.llm.protocol import Ready
class Items(BaseModel):
    items: list[str]
prompt = Prompt(name="shout", version=1, system="Task: shout", user='<items>\\n"a"\\n</items>')
model = OpenAIModel("small", base_url=sys.argv[1])
real, begun = client.ChatEndpoint, threading.Event()
def slow(*given, **named):
    begun.set()
    time.sleep(0.5)
    return real(*given, **named)
client.ChatEndpoint = slow
def ask():
    return model.complete(prompt, Items, stage="test").value.items
asking = threading.Thread(target=ask)
asking.start()
begun.wait()
child = os.fork()
if child == 0:
    faulthandler.dump_traceback_later(20, exit=True)
    os._exit(0 if ask() == ["A"] else 2)
asking.join()
model.close()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_waits_while_connections_are_made(server: ScriptedLLM) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK_MEANWHILE, server.url],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert len(server.asked) == 2


def test_a_model_that_is_closed_while_it_connects_leaves_nothing_open(
    server: ScriptedLLM, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = OpenAIModel("small", base_url=server.url)
    real = client.ChatEndpoint

    def closing(*given: Any, **named: Any) -> Any:
        model.close()
        return real(*given, **named)

    monkeypatch.setattr(client, "ChatEndpoint", closing)
    with pytest.raises(LLMError, match="the model is closed"):
        model.complete(prompt, Items, stage="test")
    assert server.asked == []


LATE = """
import sys, threading
from pydantic import BaseModel
from memspan.llm import OpenAIModel, Prompt
class Items(BaseModel):
    items: list[str]
prompt = Prompt(name="shout", version=1, system="Task: shout", user='<items>\\n"a"\\n</items>')
model = OpenAIModel("small", base_url=sys.argv[1], api_key_variable=None, retries=0)
def work():
    threading.main_thread().join()
    print(model.complete(prompt, Items, stage="test").value.items)
    model.close()
threading.Thread(target=work).start()
"""


def test_a_server_is_found_by_name_when_the_main_thread_has_ended(server: ScriptedLLM) -> None:
    """Names are looked up on threads of an executor, and Python's take nothing more then."""
    done = subprocess.run(
        [sys.executable, "-c", LATE, server.url.replace("127.0.0.1", "localhost")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("['A']\n", "")
