"""What servers with OpenAI's protocol say when no request of the account would be answered."""

from __future__ import annotations

from typing import Final

__all__ = ["is_without_access"]

_NO_CREDIT: Final = frozenset({"billing_hard_limit_reached", "insufficient_quota"})


def is_without_access(status: int, code: str) -> bool:
    """Whether the key is not accepted, or the account has no credit. Not 403: some servers forbid a text by it.

    Args:
        status: of HTTP.
        code: the server's own name for the reason; empty when it gave none.
    """
    return status in (401, 402) or code in _NO_CREDIT
