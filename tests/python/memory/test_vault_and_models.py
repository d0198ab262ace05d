"""No model is told the names and tags of the vault by whoever does not ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
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
        result = {"id": "v", "text": "test result", "speaker": "Dr. House", "tags": ["clinic", "health"]}
        memory.add([result, {"text": "a code", "speaker": "Ana"}], user="ana", kind="vault")
        memory.add({"text": "I ran today.", "speaker": "Ana", "tags": ["health"]}, user="ana")
        yield memory


def known_tags(server: ScriptedLLM) -> Any:
    return server.asked[-2].data["known"][0]["tags"]


def known_people(server: ScriptedLLM) -> Any:
    return server.asked[-2].data["known"][0]["people"]


def test_a_plan_is_made_without_the_tags_of_the_vault(asking: Memory, server: ScriptedLLM) -> None:
    asking.ask("Did I run to the clinic?", user="ana", plan="model")

    assert known_tags(server) == ["health"]
    assert server.asked[-2].data["rules"][0]["tags"] == []

    asking.ask("Did I run?", user="ana", plan="model", kinds=["vault", "episodic"])

    assert known_tags(server) == ["clinic", "health"]


def test_a_plan_is_made_without_who_speaks_in_the_vault_alone(asking: Memory, server: ScriptedLLM) -> None:
    asking.ask("Did Dr. House see me run?", user="ana", plan="model")

    assert known_people(server) == ["Ana"]
    assert server.asked[-2].data["rules"][0]["names"] == []

    asking.ask("Did Dr. House see me run?", user="ana", plan="model", kinds=["vault", "episodic"])

    assert known_people(server) == ["Ana", "Dr. House"]
    assert server.asked[-2].data["rules"][0]["names"] == ["Dr. House"]


def test_what_the_vault_had_stays_in_it(asking: Memory, server: ScriptedLLM) -> None:
    then = datetime.now(timezone.utc)
    asking.retire(user="ana", ids=["v"])
    asking.ask("Did I run?", user="ana", plan="model", as_of=then)

    assert (known_people(server), known_tags(server)) == (["Ana"], ["health"])

    # Taken out of a plan at once when its life is over, though it is still there.
    old = {"text": "old", "speaker": "Bo", "tags": ["pills"], "expires_at": then - timedelta(days=1)}
    asking.add(old, user="ana", kind="vault", at=then - timedelta(days=9))
    asking.ask("Did I run?", user="ana", plan="model")

    assert (known_people(server), known_tags(server)) == (["Ana"], ["health"])


@pytest.mark.parametrize("kinds", [None, ["vault", "episodic"]])
def test_what_has_run_out_is_told_by_no_name(
    asking: Memory, server: ScriptedLLM, kinds: list[str] | None
) -> None:
    now = datetime.now(timezone.utc)
    over = {
        "text": "old",
        "speaker": "Bo",
        "tags": ["pills", "health"],
        "expires_at": now - timedelta(days=1),
    }
    asking.add([over, {**over, "speaker": "Ana"}], user="ana", at=now - timedelta(days=9))
    asking.ask("Did I run?", user="ana", plan="model", kinds=kinds)

    vault = kinds is not None
    assert known_people(server) == ["Ana", *(["Dr. House"] if vault else [])]
    assert known_tags(server) == [*(["clinic"] if vault else []), "health"]


@pytest.mark.parametrize("keep", ["pin", "hold"])
def test_what_has_run_out_is_told_by_no_name_though_it_is_kept(
    asking: Memory, server: ScriptedLLM, keep: str
) -> None:
    now = datetime.now(timezone.utc)
    over = {"id": "o", "text": "old", "speaker": "Bo", "tags": ["pills"]}
    asking.add({**over, "expires_at": now - timedelta(days=1)}, user="ana", at=now - timedelta(days=9))
    if keep == "pin":
        asking.pin(user="ana", ids=["o"])
    else:
        asking.hold(user="ana", id="o")
    asking.ask("Did I run?", user="ana", plan="model")

    assert (known_people(server), known_tags(server)) == (["Ana"], ["health"])


def test_what_kinds_must_be_is_said_before_anything_is_asked(asking: Memory, server: ScriptedLLM) -> None:
    with pytest.raises(InvalidArgumentError, match="kinds"):
        asking.ask("Did I run?", user="ana", plan="model", kinds=5)  # type: ignore[arg-type]
    assert server.asked == []


def test_tags_of_the_vault_are_not_offered_for_turns(asking: Memory, server: ScriptedLLM) -> None:
    asking.process()

    assert [asked.data["vocabulary"] for asked in server.asked] == [["health"]]
    assert [tag.name for tag in asking.tags(user="ana") if tag.name == "clinic"] == ["clinic"]
