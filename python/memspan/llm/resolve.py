"""From what a user passes as `llm` to a language model."""

from __future__ import annotations

from typing import Final, TypeAlias

from memspan.base.members import has_members
from memspan.errors import invalid

from .protocol import LLM

__all__ = ["LLMSpec", "resolve_llm"]

LLMSpec: TypeAlias = LLM | str | None
"""A language model, the name of one, or none."""

_MEMBERS: Final = ("model", "acomplete")


def resolve_llm(spec: LLMSpec) -> LLM | None:
    """Turn `spec` into a language model; no network access.

    Args:
        spec: `None`; the name of a model, which is asked at the environment's `OPENAI_BASE_URL` (else OpenAI's) with
            its `OPENAI_API_KEY`; or anything that has what `LLM` has, returned as it is.

    Raises:
        InvalidArgumentError: something else, or there is no key where one is needed.
        MissingExtraError: a name, but the packages that ask servers are not installed.
    """
    if spec is None:
        return None
    if isinstance(spec, str):
        from .client import OpenAIModel

        return OpenAIModel(spec)
    if has_members(spec, _MEMBERS):
        return spec
    raise invalid("llm", spec, "the name of a model, an object with `model` and `acomplete`, or None")
