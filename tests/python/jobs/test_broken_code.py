"""What is wrong in the code of a client, an embedder or a stage is not tried again as a server's fault is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import Custom, ScriptedModel, derived, one_job, recipe_of

from memspan import Memory
from memspan.encode.values import Work
from memspan.errors import EmbedderError
from memspan.remember.jobs.broken_code import is_broken_code
from memspan.remember.jobs.pace import Pace

Open = Callable[..., Memory]
AN_HOUR = Pace(first_pause=3600.0)
REPLY = json.loads('{"choices": null, "text": "busy", "all": []}')


def raised(do: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        do()
    return caught.value  # type: ignore[return-value]


class Client:
    def ask(self, text: str) -> str:
        raise NotImplementedError


@pytest.mark.parametrize(
    "do",
    [
        lambda: Client().ask(),  # type: ignore[call-arg]
        lambda: Client().ask(prompt="a"),  # type: ignore[call-arg]
        lambda: Client().ask("a"),
        lambda: Client().answer("a"),  # type: ignore[attr-defined]
        lambda: json.load_text("a"),  # type: ignore[attr-defined]
        lambda: undefined,  # type: ignore[name-defined]  # noqa: F821
        lambda: __import__("memspan_no_such_module"),
        lambda: json.dumps(Client()),
    ],
)
def test_code(do: Callable[[], Any]) -> None:
    error = raised(do)
    assert is_broken_code(error)
    wrapped = EmbedderError("the function raised it")
    wrapped.__cause__ = error
    assert is_broken_code(wrapped)


@pytest.mark.parametrize(
    "do",
    [
        lambda: REPLY["choices"][0],
        lambda: REPLY["choices"].message,
        lambda: len(REPLY["choices"]),
        lambda: REPLY["message"],
        lambda: REPLY["all"][0],
        lambda: REPLY["text"]["content"],
        lambda: REPLY["text"].content,
        lambda: REPLY["text"] + REPLY["choices"],
        lambda: int(REPLY["text"]),
        lambda: json.loads(REPLY["text"]),
        lambda: Path("/nowhere/at/all").read_text(),
    ],
)
def test_what_a_server_did(do: Callable[[], Any]) -> None:
    assert not is_broken_code(raised(do))


@pytest.mark.parametrize(
    "error",
    [
        ImportError("sys.meta_path is None, Python is likely shutting down"),
        AttributeError("partially initialized module 'json' has no attribute 'loads'"),
    ],
)
def test_a_module_that_is_about_to_come_or_go(error: Exception) -> None:
    assert not is_broken_code(error)


def test_a_job_is_parked_at_once_and_can_be_retried(open_memory: Open, model: ScriptedModel) -> None:
    model.misbehave = lambda prompt: Client().ask()  # type: ignore[call-arg]
    memory = open_memory(AN_HOUR)
    memory.add("one", user="ana")
    report = memory.process()
    assert (report.failed, report.parked, report.waiting) == (1, 1, 0)
    job = one_job(memory)
    assert (job.state, job.attempts) == ("parked", 1)
    assert (job.reason or "").startswith("TypeError: Client.ask() missing 1 required positional argument")
    model.misbehave = None
    assert memory.retry() == 1
    assert memory.process().done == 1
    assert len(derived(memory)) == 2


def test_a_client_that_returns_no_reply(open_memory: Open) -> None:
    class Plain:
        model = "plain"

        async def acomplete(self, prompt: Any, schema: Any, *, stage: str) -> str:
            return "It was said"

    memory = open_memory(AN_HOUR, llm=Plain())
    memory.add("one", user="ana")
    assert memory.process().parked == 1
    assert "returned str; expected a memspan.llm.Reply" in (one_job(memory).reason or "")


def test_an_embedder_that_is_a_function(path: Path, model: ScriptedModel) -> None:
    broken: list[Callable[[], Any]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        for do in broken:
            do()
        return [[1.0, float(len(text))] for text in texts]

    with Memory(path, embed, llm=model, recipe=recipe_of()) as memory:
        memory._processing.pace = AN_HOUR
        memory.add("one", user="ana")
        broken.append(lambda: undefined)  # type: ignore[name-defined]  # noqa: F821
        assert memory.process().parked == 1
        assert "NameError" in (one_job(memory).reason or "")
        broken[:] = [lambda: REPLY["choices"][0]]
        memory.retry()
        assert memory.process(limit=1).parked == 0
        assert one_job(memory).state == "pending"


def test_a_stage(open_memory: Open) -> None:
    async def stage(work: Work, tools: Any) -> Work:
        return tools.answer(work)  # type: ignore[no-any-return]

    memory = open_memory(AN_HOUR, recipe=recipe_of(Custom(do=stage)))
    memory.add("one", user="ana")
    assert memory.process().parked == 1
    assert (one_job(memory).reason or "").startswith("AttributeError: ")
