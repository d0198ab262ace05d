"""Where a server with OpenAI's protocol is, unless its caller says."""

from __future__ import annotations

import os
from typing import Final

from memspan.errors import InvalidArgumentError

from .endpoint import check_url

__all__ = ["OPENAI_URL", "URL_VARIABLE", "find_url"]

OPENAI_URL: Final = "https://api.openai.com/v1"
URL_VARIABLE: Final = "OPENAI_BASE_URL"
_CALLS: Final = ("/chat/completions", "/completions", "/embeddings")


def find_url(base_url: str | None) -> str:
    """`base_url`, else the environment's `OPENAI_BASE_URL`, else OpenAI's own.

    Raises:
        InvalidArgumentError: not a plain http or https URL, or one of a call instead of what comes before it.
    """
    if base_url is None:
        base_url = os.environ.get(URL_VARIABLE, "").strip() or OPENAI_URL
    url = check_url(base_url, "base_url")
    for call in _CALLS:
        if url.endswith(call):
            raise InvalidArgumentError(
                f"base_url: got an address that ends with {call}; accepted: one without that, which is appended"
            )
    return url
