"""The language models of `memspan eval`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from memspan.llm import LLM
from memspan.recipes import recipe

if TYPE_CHECKING:
    from memspan.evaluate.reading.asking import Reading

__all__ = ["Models", "check_models", "models_of"]


@dataclass(frozen=True, kw_only=True)
class Models:
    """Those that were named."""

    llm: LLM | None
    judge: LLM | None
    address: str
    judge_address: str = ""

    def reading(self, **more: Any) -> Reading:
        """The reader and its judge."""
        from memspan.evaluate.reading.asking import Reading

        assert self.llm is not None
        return Reading(
            llm=self.llm,
            judge=self.judge,
            address=self.address,
            judge_address=self.judge_address,
            **more,
        )


def check_models(
    name: str,
    llm: str | None,
    answer: bool,
    reader: str,
    judge: str | None,
    judge_base_url: str | None,
    tokens: int,
) -> None:
    """Refuse options that do not go together, before any work."""
    if answer and not llm:
        raise click.UsageError("--answer needs --llm MODEL (or MEMSPAN_LLM), the model that answers")
    if answer and reader == "read" and not tokens:
        raise click.UsageError("--reader read needs --tokens above 0, for the contexts that are read")
    if recipe(name).write and not llm:
        raise click.UsageError(f"--recipe {name} needs --llm MODEL (or MEMSPAN_LLM), the model that it asks")
    if judge and not answer:
        raise click.UsageError("--judge needs --answer")
    if judge_base_url and not judge:
        raise click.UsageError("--judge-base-url says where --judge is served; name the model, too")


@contextmanager
def models_of(
    llm: str | None, judge: str | None, base_url: str | None, judge_base_url: str | None
) -> Iterator[Models]:
    """The models, closed at the end."""
    if llm is None:
        yield Models(llm=None, judge=None, address="")
        return
    from memspan.embed.openai_url import find_url
    from memspan.llm import OpenAIModel

    judged_at = base_url if judge_base_url is None else judge_base_url
    with ExitStack() as opened:
        model = opened.enter_context(OpenAIModel(llm, base_url=base_url))
        judging = None if judge is None else opened.enter_context(OpenAIModel(judge, base_url=judged_at))
        yield Models(llm=model, judge=judging, address=find_url(base_url), judge_address=find_url(judged_at))
