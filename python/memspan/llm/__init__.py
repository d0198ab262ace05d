"""Language models behind one small protocol: what is asked, what comes back, and what it cost.

Importing this package loads no optional dependency; `OpenAIModel` is loaded when it is first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memspan.base.lazy_names import lazy_names

from .prices import Prices
from .prompt import Prompt
from .protocol import LLM, Reply
from .resolve import LLMSpec, resolve_llm
from .usage import Usage

if TYPE_CHECKING:
    from .client import OpenAIModel

__all__ = ["LLM", "LLMSpec", "OpenAIModel", "Prices", "Prompt", "Reply", "Usage", "resolve_llm"]

_LAZY = {"OpenAIModel": "memspan.llm.client"}

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
