"""What may be passed as `llm`, and that nothing optional is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from scripted_llm import ScriptedLLM

import memspan.llm
from memspan.errors import InvalidArgumentError
from memspan.llm import OpenAIModel, resolve_llm

OPTIONAL = ("openai", "httpx", "httpx2", "pydantic", "json_repair", "tenacity")


class Mine:
    model = "mine"

    async def acomplete(self, prompt: Any, schema: Any, *, stage: str) -> Any:
        raise NotImplementedError


def test_names_objects_and_nothing(monkeypatch: pytest.MonkeyPatch, server: ScriptedLLM) -> None:
    mine = Mine()
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)

    assert resolve_llm(None) is None
    assert resolve_llm(mine) is mine
    named = resolve_llm("small")
    assert isinstance(named, OpenAIModel)
    assert named.model == "small"


@pytest.mark.parametrize("spec", [3, object(), Mine, lambda text: text])
def test_anything_else_is_refused(spec: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="llm"):
        resolve_llm(spec)


def test_a_name_without_a_key_says_which_variable() -> None:
    with pytest.raises(InvalidArgumentError, match="OPENAI_API_KEY"):
        resolve_llm("small")


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_loads_no_optional_dependency() -> None:
    program = (
        "import sys, memspan, memspan.llm as l\n"
        "from memspan.llm.prompts import prompt_names; prompt_names(); l.resolve_llm(None)\n"
        f"print([name for name in {OPTIONAL!r} if name in sys.modules])"
    )
    assert run(program) == "[]"


def test_every_exported_name_exists() -> None:
    for name in memspan.llm.__all__:
        assert getattr(memspan.llm, name) is not None
    assert set(memspan.llm.__all__) <= set(dir(memspan.llm))
    with pytest.raises(AttributeError, match="NoSuchModel"):
        memspan.llm.NoSuchModel  # noqa: B018


@pytest.mark.parametrize("package", ["openai", "pydantic", "json_repair", "tenacity", "httpx"])
def test_a_missing_package_names_the_extra(package: str) -> None:
    said = run(
        f"import sys; sys.modules[{package!r}] = None\n"
        "import memspan.llm, memspan.errors\n"
        "try: memspan.llm.OpenAIModel\n"
        "except memspan.errors.MissingExtraError as error: print(error)"
    )
    assert package in said
    assert 'pip install "memspan[llm]"' in said
