"""The HTTP client under OpenAI's: it stays with the server that it was given, and reads little of an error."""

from __future__ import annotations

from typing import Any, Final

import openai

from memspan.errors import LLMError, unread_certificates, unusable_proxy

__all__ = ["CautiousClient", "broke_off"]

_MAX_ERROR: Final = 1 << 16
_OWN: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    }
)
"""Headers of a request that come from this program, besides those of OpenAI's client about itself, which it reads."""
_CLIENT: Final = "x-stainless-"
_NETWORK: Final = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "anyio", "h11", "h2", "ssl", "zlib"})


class CautiousClient(openai.DefaultAsyncHttpxClient):
    """OpenAI's own defaults, but redirects are not followed: whoever they point to would get the prompts, or answer
    in place of the model. Of a reply that is no success the first 64 KiB are read, since OpenAI's client holds such
    a body whole.

    Args:
        own_headers: send no headers that OpenAI's client found in the environment: its organisation, its project, and
            others with whatever secrets.

    Raises:
        MissingExtraError: the environment names a proxy of a kind that is not supported.
        LLMError: it names certificates that cannot be read.
    """

    def __init__(self, *, own_headers: bool = False) -> None:
        try:
            super().__init__(follow_redirects=False)
        except (ImportError, ValueError):
            raise unusable_proxy() from None
        except OSError as error:
            raise LLMError(unread_certificates(error)) from None
        self._own_headers = own_headers

    async def send(self, request: Any, *, stream: bool = False, **how: Any) -> Any:
        """See `httpx.AsyncClient.send`."""
        if self._own_headers:
            for name in set(request.headers).difference(_OWN):
                if not name.startswith(_CLIENT):
                    del request.headers[name]
        response = await super().send(request, stream=True, **how)
        try:
            if response.is_success:
                if not stream:
                    await response.aread()
                return response
            body = bytearray()
            async for block in response.aiter_bytes():
                body += block
                if len(body) >= _MAX_ERROR:
                    break
        except BaseException:
            await response.aclose()
            raise
        await response.aclose()
        headers = response.headers.copy()
        for name in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(name, None)
        return type(response)(
            response.status_code, headers=headers, content=bytes(body[:_MAX_ERROR]), request=request
        )


def broke_off(error: Exception) -> bool:
    """Whether an error says that a reply ended before it was complete, or cannot be unpacked."""
    return isinstance(error, OSError) or type(error).__module__.split(".")[0] in _NETWORK
