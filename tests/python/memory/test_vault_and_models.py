"""No model is told the tags of the vault by whoever does not ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from scripted_llm import ScriptedLLM, no_pause

from memspan.errors import InvalidArgumentError
from memspan.llm import OpenAIModel
from memspan.memory import Memory

Open = Callable[..., Memory]


@pytest.fixture
def asking(open_memory: Open, server: ScriptedLLM) -> Iterator[Memory]:
    with OpenAIModel("scripted", base_url=server.url, sleep=no_pause) as model:
        memory = open_memory(llm=model, recipe="swiftmem")
        memory.add({"text": "test result", "tags": ["clinic", "health"]}, user="ana", kind="vault")
        memory.add({"text": "I ran today.", "tags": ["health"]}, user="ana")
        yield memory


def known_tags(server: ScriptedLLM) -> Any:
    return server.asked[-2].data["known"][0]["tags"]


def test_a_plan_is_made_without_the_tags_of_the_vault(asking: Memory, server: ScriptedLLM) -> None:
    asking.ask("Did I run to the clinic?", user="ana", plan="model")

    assert known_tags(server) == ["health"]
    assert server.asked[-2].data["rules"][0]["tags"] == []

    asking.ask("Did I run?", user="ana", plan="model", kinds=["vault", "episodic"])

    assert known_tags(server) == ["clinic", "health"]


def test_what_kinds_must_be_is_said_before_anything_is_asked(asking: Memory, server: ScriptedLLM) -> None:
    with pytest.raises(InvalidArgumentError, match="kinds"):
        asking.ask("Did I run?", user="ana", plan="model", kinds=5)  # type: ignore[arg-type]
    assert server.asked == []


def test_tags_of_the_vault_are_not_offered_for_turns(asking: Memory, server: ScriptedLLM) -> None:
    asking.process()

    assert [asked.data["vocabulary"] for asked in server.asked] == [["health"]]
    assert [tag.name for tag in asking.tags(user="ana") if tag.name == "clinic"] == ["clinic"]
