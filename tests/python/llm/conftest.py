"""Fixtures of the language model tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import Asked, ScriptedLLM

from memspan.llm import OpenAIModel, Prompt
from memspan.llm.prompts.template import Template

SHOUT = "version: 1\n--- system\nTask: shout\nWrite the items in capitals.\n--- user\n{{items}}\n"


@pytest.fixture
def here() -> Path:
    """The folder of these tests, with templates and golden files."""
    return Path(__file__).parent


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys, addresses and proxies of whoever runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def prompt() -> Prompt:
    """Asks to write `a` and `b` in capitals."""
    return make_prompt(["a", "b"])


@pytest.fixture
def prompt_of() -> Callable[[list[str]], Prompt]:
    """Asks to write these items in capitals."""
    return make_prompt


def make_prompt(items: list[str]) -> Prompt:
    return Template.parse("shout", SHOUT).render({}, {"items": items})


def shout(asked: Asked) -> Any:
    return {"items": [item.upper() for item in asked.data["items"]]}


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    """A server that knows the task of `prompt`; what was queued must have been asked for at the end."""
    with ScriptedLLM({"shout": shout}) as running:
        yield running
        running.check()


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model_of(clock: Clock) -> Iterator[Callable[..., OpenAIModel]]:
    """Makes models that do not really sleep or measure time, and closes them."""
    made: list[OpenAIModel] = []

    def make(server: ScriptedLLM, **options: Any) -> OpenAIModel:
        made.append(
            OpenAIModel("small", base_url=server.url, **{"sleep": clock.sleep, "clock": clock, **options})
        )
        return made[-1]

    yield make
    for model in made:
        model.close()


@pytest.fixture
def model(model_of: Callable[..., OpenAIModel], server: ScriptedLLM) -> OpenAIModel:
    return model_of(server)
