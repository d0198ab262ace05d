"""Where a server is, and the key for it: from the environment only."""

from __future__ import annotations

import os
from typing import Final

from memspan.embed.endpoint import check_url
from memspan.errors import InvalidArgumentError, invalid

__all__ = ["find_key", "find_url", "is_of_environment"]

OPENAI_URL: Final = "https://api.openai.com/v1"
_URL_VARIABLE: Final = "OPENAI_BASE_URL"


def find_url(base_url: str | None) -> str:
    """`base_url`, else the environment's `OPENAI_BASE_URL`, else OpenAI's own.

    Raises:
        InvalidArgumentError: not a plain http or https URL.
    """
    if base_url is None:
        base_url = os.environ.get(_URL_VARIABLE, "").strip() or OPENAI_URL
    return check_url(base_url, "base_url")


def is_of_environment(url: str) -> bool:
    """Whether what the environment holds for OpenAI's own client is meant for that server: it is OpenAI's, or the one
    that the environment names."""
    return url in (OPENAI_URL, os.environ.get(_URL_VARIABLE, "").strip().rstrip("/"))


def find_key(variable: str | None, url: str) -> str | None:
    """The key that the environment holds under that name; `None` without one, which only OpenAI's own URL refuses.

    Raises:
        InvalidArgumentError: a value that a header cannot hold, or none where one is needed; never quotes it.
    """
    key = os.environ.get(variable, "").strip() if variable is not None else ""
    if not key.isascii() or not key.isprintable():
        raise InvalidArgumentError(
            f"the environment variable {variable}: got a value that a header cannot hold; accepted: printable ASCII"
        )
    if not key and url == OPENAI_URL:
        raise invalid(
            "api_key_variable",
            variable,
            f"the name of an environment variable that holds a key for {OPENAI_URL}; "
            f"a server of your own needs none, and is named by base_url or {_URL_VARIABLE}",
        )
    return key or None
