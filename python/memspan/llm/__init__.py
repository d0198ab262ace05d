"""Language models behind one small protocol: what is asked, what comes back, and what it cost.

Importing this package loads no optional dependency; `OpenAIModel` is loaded when it is first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .prices import Prices
from .prompt import Prompt
from .protocol import LLM, Reply
from .resolve import LLMSpec, resolve_llm
from .usage import Usage

if TYPE_CHECKING:
    from .client import OpenAIModel

__all__ = ["LLM", "LLMSpec", "OpenAIModel", "Prices", "Prompt", "Reply", "Usage", "resolve_llm"]

_LAZY = {"OpenAIModel": "memspan.llm.client"}


if not TYPE_CHECKING:  # for a checker, every name would be there

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            return getattr(import_module(_LAZY[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
