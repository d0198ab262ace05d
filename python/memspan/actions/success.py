"""Whether the result of a tool says that the call worked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["succeeded"]

_LONGEST: Final = 100_000
"""Characters of a result that are read as JSON; a longer one is judged by its first words."""
_FAILED_TEXT: Final = re.compile(
    r"\s*(?:\W*(?:fatal\s+|internal\s+)?(?:error|exception|failure|failed|traceback)\b(?!\s*[=:]\s*(?:0|none)\b)|"
    r"fatal:|exit(?:ed with)? (?:code|status):? *[1-9]|"
    r"(?:\w+\.)*\w+(?:Error|Exception)\b\s*[:(])",
    re.IGNORECASE,
)
_WHOLE: Final = re.compile(r"-?\d{1,9}", re.ASCII)
_BAD_WORDS: Final = frozenset({"error", "failed", "failure", "fail", "denied", "timeout", "exception"})
_FALSE_KEYS: Final = ("success", "ok", "succeeded")
_CODE_KEYS: Final = ("exit_code", "exitcode", "returncode", "return_code")
_TRUE_KEYS: Final = ("is_error", "isError")
_HTTP_KEYS: Final = ("status_code", "statusCode", "http_status")


def succeeded(text: str, flag: Any = None) -> bool:
    """Whether a call worked, by what its result says: protocols have a flag for it (`is_error`) or none at all.

    Without a flag, a JSON object fails that has an `error` which is not empty, a false `success` or `ok`, a `status`
    such as `error`, a `type` that ends in `_error`, an exit code other than 0, or an HTTP status from 400 on; a text
    fails that begins with an error's name. Anything else worked.
    """
    if isinstance(flag, bool):
        return not flag
    stripped = text.strip()
    if stripped.startswith("{") and len(stripped) <= _LONGEST:
        try:
            value = json.loads(stripped)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, Mapping):
            return not _tells_failure(value)
    return _FAILED_TEXT.match(stripped[:200]) is None


def _tells_failure(value: Mapping[str, Any]) -> bool:
    status = value.get("status")
    return (
        bool(value.get("error"))
        or bool(value.get("errors"))
        or any(_flag(value.get(key)) is True for key in _TRUE_KEYS)
        or any(_flag(value.get(key)) is False for key in _FALSE_KEYS)
        or any(_number(value.get(key)) not in (None, 0) for key in _CODE_KEYS)
        or any((_number(value.get(key)) or 0) >= 400 for key in _HTTP_KEYS)
        or str(value.get("type")).endswith("_error")  # of a tool that Anthropic's server runs
        or (isinstance(status, str) and status.lower() in _BAD_WORDS)
        or (_number(status) or 0) >= 400
    )


def _number(value: Any) -> float | None:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _flag(value: Any) -> bool | None:
    """Also one that is written as text."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None
