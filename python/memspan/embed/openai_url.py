"""Where a server with OpenAI's protocol is, unless its caller says."""

from __future__ import annotations

import os
from typing import Final

from .endpoint import check_url

__all__ = ["OPENAI_URL", "URL_VARIABLE", "find_url"]

OPENAI_URL: Final = "https://api.openai.com/v1"
URL_VARIABLE: Final = "OPENAI_BASE_URL"


def find_url(base_url: str | None) -> str:
    """`base_url`, else the environment's `OPENAI_BASE_URL`, else OpenAI's own.

    Raises:
        InvalidArgumentError: not a plain http or https URL.
    """
    if base_url is None:
        base_url = os.environ.get(URL_VARIABLE, "").strip() or OPENAI_URL
    return check_url(base_url, "base_url")
