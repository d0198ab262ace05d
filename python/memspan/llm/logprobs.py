"""How likely a language model finds a text, token by token (extra `llm`)."""

from __future__ import annotations

from importlib.util import find_spec
from math import isfinite
from typing import Any, NamedTuple, Protocol

from memspan.arguments import as_number, as_text
from memspan.embed.access import is_without_access
from memspan.embed.openai_url import find_url
from memspan.embed.redirects import pointed_elsewhere
from memspan.errors import LLMError, ModelAccessError, missing_extra

from .address import find_key, is_of_environment

__all__ = ["EndpointLogProbs", "LogProbs", "TokenLogProb"]


class TokenLogProb(NamedTuple):
    """One token of a text."""

    start: int
    """Where it stands in the text; `end` is exclusive."""
    end: int
    logprob: float | None
    """log P(x_i | x_<i), natural; `None` for the first token, which nothing comes before."""


class LogProbs(Protocol):
    """Gives the log-probabilities of the tokens of a text under some model."""

    async def alogprobs(self, text: str) -> list[TokenLogProb]:
        """The tokens of a text that is not empty, in order.

        Raises:
            LLMError: the model cannot be reached, refuses, or does not give log-probabilities.
            ModelAccessError: its server refuses the key, or the account has no credit.
        """


class EndpointLogProbs:
    """The completions endpoint of an OpenAI-compatible server that echoes the prompt with log-probabilities, as vLLM
    does. Nothing is generated but one token, which is thrown away. Chat endpoints cannot do this.

    Args:
        model: as the server names it.
        base_url: such as `http://localhost:8000/v1`; `None`: the environment's `OPENAI_BASE_URL`, else OpenAI's own.
        api_key_variable: the environment variable that holds the key, read at each call; `None` sends none.
        timeout: seconds for a call; its reply may have 16 MiB.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key_variable: str | None = "OPENAI_API_KEY",
        timeout: float = 60.0,
    ) -> None:
        for package in ("openai", "httpx", "anyio"):
            if find_spec(package) is None:
                raise missing_extra(package, "EndpointLogProbs", "llm")
        self.model = as_text(model, "model")
        self._base_url = find_url(base_url)
        self._key_variable = api_key_variable
        self._timeout = as_number(timeout, "timeout", 0.001, 3600)

    def __repr__(self) -> str:
        return f"EndpointLogProbs(model={self.model!r}, base_url={self._base_url!r})"

    async def alogprobs(self, text: str) -> list[TokenLogProb]:
        """See `LogProbs.alogprobs`."""
        import anyio
        from openai import APIStatusError, AsyncOpenAI, OpenAIError

        from .http_client import CautiousClient, broke_off
        from .whole_reply import parse_reply, read_bytes

        key = find_key(self._key_variable, self._base_url) or "none"
        elsewhere = not is_of_environment(self._base_url)
        kind: type[LLMError] = LLMError
        # A client of this call only: the next one may come from another event loop.
        async with AsyncOpenAI(
            base_url=self._base_url,
            api_key=key,
            timeout=self._timeout,
            default_headers={"Authorization": f"Bearer {key}"} if elsewhere else None,
            http_client=CautiousClient(own_headers=elsewhere),
        ) as client:
            try:
                with anyio.fail_after(self._timeout):
                    create: Any = client.completions.with_streaming_response.create
                    async with create(
                        model=self.model, prompt=text, echo=True, logprobs=1, max_tokens=1, temperature=0
                    ) as response:
                        received = await read_bytes(response, self._base_url)
                    answer = await parse_reply(received, self._base_url)
            except OpenAIError as error:
                what = type(error).__name__
                if isinstance(error, APIStatusError):
                    if is_without_access(error.status_code, str(error.code or "")):
                        kind = ModelAccessError
                    location = error.response.headers.get("location")
                    pointed = pointed_elsewhere(self._base_url, error.status_code, location)
                    what = f"status {error.status_code}" + (f": {pointed}" if pointed else "")
            except TimeoutError:
                what = f"no answer within {self._timeout:g} s"
            except (ValueError, RecursionError):
                what = "the reply is not JSON"
            except Exception as error:
                if not broke_off(error):
                    raise
                what = f"the connection broke off, {type(error).__name__}"
            else:
                return self._tokens(answer, text)
        raise self._unusable(what, kind)

    def _tokens(self, answer: Any, text: str) -> list[TokenLogProb]:
        try:
            given = answer["choices"][0]["logprobs"]
            starts = [int(start) for start in given["text_offset"]]
            values = [None if value is None else float(value) for value in given["token_logprobs"]]
            if not all(value is None or isfinite(value) for value in values):
                raise ValueError
        except (LookupError, OverflowError, TypeError, ValueError):
            raise self._unusable("the reply has none") from None
        if len(starts) != len(values) or starts != sorted(starts) or not starts or starts[0] != 0:
            raise self._unusable("the reply does not echo the prompt")
        ends = [*starts[1:], len(text)]
        return [
            TokenLogProb(start, min(end, len(text)), value)
            for start, end, value in zip(starts, ends, values, strict=True)
            if start < len(text)
        ]

    def _unusable(self, reason: str, kind: type[LLMError] = LLMError) -> LLMError:
        return kind(f"{self._base_url}: no log-probabilities of {self.model!r} ({reason})")
