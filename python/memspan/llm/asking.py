"""From a prompt to a checked object: structured output as far as the server has it, one correction, then an error."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memspan.base.half_emoji import without_half_emoji
from memspan.base.worker_threads import in_worker
from memspan.errors import BadReplyError, LLMError, MemspanError, ModelAccessError, TruncatedReplyError
from memspan.recall.context import estimate_tokens

from .chat_endpoint import ChatEndpoint, StreamEnd
from .completion import Completion
from .deadline import SPENT
from .dialect import Dialect, Mode, Refusal, instructions, response_format
from .json_schema import schema_name, strict_schema
from .prices import Prices
from .prompt import Prompt
from .protocol import Ready, Reply
from .reading import UnusableReply, read_object
from .reply_cache import ReplyCache, reply_key
from .streaming import Finished
from .usage import Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Asker", "Tally"]

M = TypeVar("M", bound="BaseModel")

_logger = logging.getLogger("memspan")

_CORRECTIONS: Final = 1
_QUOTED_ANSWER: Final = 20_000
_AT_ONCE: Final = 1 << 12
"""Characters of an answer that are read where it comes, in at most some 20 ms. A longer one would hold up the requests
of all models, which share a loop."""
_CORRECTION: Final = (
    "That answer cannot be used: {reason}.\nAnswer the same task again, with one complete JSON object and nothing "
    "else. It must fit this JSON schema:\n{schema}"
)


class Asker:
    """One model on one server. Belongs to one event loop."""

    def __init__(
        self,
        model: str,
        endpoint: ChatEndpoint,
        dialect: Dialect,
        *,
        cache: ReplyCache | None,
        prices: Prices | None,
        extra: Mapping[str, Any],
    ) -> None:
        self._model = model
        self._endpoint = endpoint
        self._dialect = dialect
        self._cache = cache
        self._prices = prices
        self._extra = extra
        self._answer_tokens = 0.0  # of a usual answer, for the pace

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def ask(
        self,
        prompt: Prompt,
        schema: type[M],
        stage: str,
        tally: Tally | None = None,
        ready: Ready | None = None,
    ) -> Reply[M]:
        """See `LLM.acomplete`; `tally` tells what it cost also when it is cancelled."""
        wanted = strict_schema(schema)
        key = self._key(prompt, wanted)
        # Before `ready` says that nothing was forgotten: what is forgotten later makes the cache refuse the answer.
        age = None if self._cache is None else self._cache.age()
        unusable: str | None = None
        if self._cache is not None and (kept := self._cache.get(key)) is not None:
            try:
                value, _ = await _read(kept[1], schema)
            except UnusableReply:  # by another version of memspan: ask again
                unusable = kept[1]
            else:
                return Reply(value=value, model=kept[0], usage=Usage(reused=1))
        tally = Tally() if tally is None else tally
        try:
            reply, text = await self._converse(prompt, schema, wanted, stage, tally, ready)
        except MemspanError as error:  # `ready` raises errors of the caller's
            setattr(error, SPENT, tally.usage if tally.usage.calls else None)
            raise
        if self._cache is not None:
            self._cache.put(key, reply.model, text, age, instead_of=unusable)
        return reply

    async def _converse(
        self,
        prompt: Prompt,
        schema: type[M],
        wanted: dict[str, Any],
        stage: str,
        tally: Tally,
        ready: Ready | None,
    ) -> tuple[Reply[M], str]:
        messages = [_message("system", prompt.system), _message("user", prompt.user)]
        remarks: list[str] = []
        for _ in range(_CORRECTIONS + 1):
            completion = await self._complete(messages, schema_name(schema), wanted, stage, tally, ready)
            tally.add(self._priced(completion.usage))
            self._check_finish(completion.finish, completion.refusal is not None, stage)
            try:
                value, remark = await _read(completion.text, schema)
            except UnusableReply as problem:
                failure = problem
            else:
                remarks += [remark] if remark else []
                reply = Reply(value=value, model=completion.model, usage=tally.usage, remarks=tuple(remarks))
                return reply, completion.text
            remarks.append(f"corrected: {failure}")
            correction = _CORRECTION.format(reason=failure, schema=json.dumps(wanted, ensure_ascii=False))
            messages = [
                *messages[:2],
                _message("assistant", completion.text[:_QUOTED_ANSWER] or "(nothing)"),
                _message("user", correction),
            ]
        error = TruncatedReplyError if failure.cut else BadReplyError
        raise error(f"{stage}: model {self._model!r}: {failure}, also after a correction")

    async def _complete(
        self,
        messages: list[dict[str, str]],
        name: str,
        wanted: dict[str, Any],
        stage: str,
        tally: Tally,
        ready: Ready | None,
    ) -> Completion:
        """One answer, in the best form that the server takes."""
        mode: Mode = self._dialect.mode(name)
        first: Refusal | None = None
        limited = True
        while True:
            system = _message("system", messages[0]["content"] + instructions(mode, wanted))
            parameters = self._dialect.parameters(limited=limited)
            body = {
                "model": self._model,
                "messages": [system, *messages[1:]],
                **parameters,
                **response_format(mode, name, wanted),
            }
            try:
                expected = self._expected(body["messages"])
                completion = await self._endpoint.ask(body, expected, tally.sent, ready)
            except Refusal as refusal:
                if self._dialect.lifts(refusal, parameters):
                    limited = False
                    continue
                lower = self._yield(refusal, parameters, mode, name, stage)
                if lower is None:
                    raise self._refused(first or refusal, stage) from None
                if lower != mode:
                    first = first or refusal
                mode = lower
                continue
            usage = completion.usage
            self._learn(usage)
            if first is not None:
                self._dialect.settle(mode, name)
            _logger.debug(
                "%s: %s answered by %s: %d + %d tokens, %.2f s",
                *(stage, completion.model, mode, usage.prompt_tokens, usage.completion_tokens, usage.seconds),
            )
            return completion

    def _yield(
        self, refusal: Refusal, parameters: Mapping[str, Any], mode: Mode, name: str, stage: str
    ) -> Mode | None:
        """How to ask after a refusal; `None`: not at all."""
        if refusal.too_long:
            raise self._too_long(refusal, stage) from None
        if self._dialect.drop(refusal, parameters):
            return mode
        return self._dialect.lower(refusal, mode, name)

    async def stream(
        self, prompt: Prompt, stage: str, ready: Ready | None = None
    ) -> AsyncGenerator[str | Finished, None]:
        """The pieces of a free text, then how it ended."""
        messages = [_message("system", prompt.system), _message("user", prompt.user)]
        said, limited = False, True
        while True:
            parameters = self._dialect.parameters(stream=True, limited=limited)
            body = {"model": self._model, "messages": messages, **parameters}
            pieces = self._endpoint.stream(body, self._expected(messages), ready)
            try:
                async for piece in pieces:
                    if isinstance(piece, StreamEnd):
                        yield self._finished(piece, stage, said=said)
                    else:
                        said = True
                        yield piece
                return
            except Refusal as refusal:
                if self._dialect.lifts(refusal, parameters):
                    limited = False
                    continue
                if refusal.too_long:
                    raise self._too_long(refusal, stage) from None
                if not self._dialect.drop(refusal, parameters):
                    raise self._refused(refusal, stage) from None
            finally:
                await pieces.aclose()

    def _finished(self, end: StreamEnd, stage: str, *, said: bool) -> Finished:
        """How a stream ended; one that was cut off after some of the answer is no failure."""
        self._learn(end.usage)
        usage = self._priced(end.usage)
        try:
            self._check_finish("" if said and end.finish == "length" else end.finish, end.refused, stage)
        except LLMError as error:
            error.usage = usage
            raise
        return Finished(model=end.model, finish=end.finish, usage=usage)

    def _too_long(self, refusal: Refusal, stage: str) -> TruncatedReplyError:
        error = TruncatedReplyError(f"{stage}: model {self._model!r}: the prompt does not fit: {refusal}")
        error.too_long = True
        return error

    def _refused(self, refusal: Refusal, stage: str) -> LLMError:
        kind: type[LLMError] = LLMError
        if refusal.no_access:
            kind = ModelAccessError
        elif refusal.code == "content_filter":
            kind = BadReplyError
        return kind(f"{stage}: model {self._model!r} at {self._endpoint.url}: {refusal}")

    def _check_finish(self, finish: str, refused: bool, stage: str) -> None:
        place = f"{stage}: model {self._model!r}"
        if finish == "length":
            raise TruncatedReplyError(f"{place}: the answer was cut off (finish_reason 'length')")
        if finish == "content_filter":
            raise BadReplyError(f"{place}: the answer was stopped by the server's content filter")
        if refused:
            raise BadReplyError(f"{place}: the model refused to answer")

    def _key(self, prompt: Prompt, wanted: dict[str, Any]) -> bytes:
        parameters = {"temperature": self._dialect.temperature, "max_tokens": self._dialect.max_tokens}
        return reply_key(self._model, prompt.system, prompt.user, wanted, {**parameters, **self._extra})

    def _expected(self, messages: list[dict[str, str]]) -> int:
        """Tokens of a request: those of its prompt, and of an answer as usual."""
        return sum(estimate_tokens(one["content"]) for one in messages) + round(self._answer_tokens)

    def _learn(self, usage: Usage) -> None:
        if not usage.uncounted:
            self._answer_tokens += (usage.completion_tokens - self._answer_tokens) / 8

    def _priced(self, usage: Usage) -> Usage:
        if self._prices is None or usage.uncounted:
            return usage
        return replace(usage, price=self._prices.of(usage))


class Tally:
    """What the calls for one answer cost together. Written by one event loop, read from anywhere."""

    def __init__(self) -> None:
        self.usage = Usage()
        """Of those that were answered."""
        self.under_way = False
        """Whether a request is with the server."""

    def add(self, usage: Usage) -> None:
        """Count an answered call."""
        self.usage += usage

    def sent(self, under_way: bool) -> None:
        """A request went out, or came back."""
        self.under_way = under_way

    @property
    def spent(self) -> Usage:
        """What a cancelled conversation cost; of a request that was under way the server will not say."""
        return self.usage + Usage(calls=1, uncounted=1) if self.under_way else self.usage


async def _read(text: str, schema: type[M]) -> tuple[M, str | None]:
    """See `read_object`."""
    if len(text) <= _AT_ONCE:
        return read_object(text, schema)
    return await in_worker(read_object, text, schema)


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": without_half_emoji(content)}
