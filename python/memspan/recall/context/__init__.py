"""From what a search found to a text for a prompt, within a number of tokens.

`build_context` puts it together; the other modules are its steps: cleaning, counting, shortening, finding what says the
same, laying out, selecting.
"""

from __future__ import annotations

from .budget import MAX_TOKENS, Budget, checked_budget
from .build import build_context
from .result import Context, Source
from .tokens import TokenCounter, estimate_tokens

__all__ = [
    "MAX_TOKENS",
    "Budget",
    "Context",
    "Source",
    "TokenCounter",
    "build_context",
    "checked_budget",
    "estimate_tokens",
]
