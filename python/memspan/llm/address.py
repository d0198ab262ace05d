"""What the environment holds for a server: its key, and whether that is meant for it."""

from __future__ import annotations

import os

from memspan.embed.openai_url import OPENAI_URL, URL_VARIABLE
from memspan.errors import InvalidArgumentError, invalid

__all__ = ["find_key", "is_of_environment"]


def is_of_environment(url: str) -> bool:
    """Whether what the environment holds for OpenAI's own client is meant for that server: it is OpenAI's, or the one
    that the environment names."""
    return url in (OPENAI_URL, os.environ.get(URL_VARIABLE, "").strip().rstrip("/"))


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
            f"a server of your own needs none, and is named by base_url or {URL_VARIABLE}",
        )
    return key or None
