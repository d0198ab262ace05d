"""`KeptModel`: a model whose replies are kept on disk, so that an interrupted run pays for nothing twice."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from memspan.errors import LLMError
from memspan.llm import LLM, Prompt, Reply, Usage

from .kept import Kept, key_of

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["KeptModel"]

M = TypeVar("M", bound="BaseModel")


class KeptModel:
    """An `LLM` for one question: what it was asked before, in these words, it is not asked again.

    Belongs to one event loop.

    Args:
        llm: is asked for what is not kept.
        address: of its server, where replies of models of the same name are told apart.
        kept: where replies are.
        about: a note beside each reply, for people: the question's id.
    """

    def __init__(self, llm: LLM, address: str, kept: Kept, about: str) -> None:
        self._llm = llm
        self._address = address
        self._kept = kept
        self._about = about
        self.spent = Usage()
        """What all replies cost when they were asked for, those of earlier runs included, and failed calls of this
        one."""

    @property
    def model(self) -> str:
        """The name that records are marked with."""
        return self._llm.model

    async def acomplete(self, prompt: Prompt, schema: type[M], *, stage: str) -> Reply[M]:
        """See `LLM.acomplete`; a kept reply costs nothing and says so (`Usage.reused`)."""
        key = key_of(self._llm.model, self._address, prompt)
        if (known := self._read(self._kept.get(key), schema)) is not None:
            return known
        try:
            reply = await self._llm.acomplete(prompt, schema, stage=stage)
        except LLMError as error:
            self.spent += error.usage or Usage()
            raise
        self.spent += reply.usage
        value = {
            "question": self._about,
            "model": reply.model,
            "reply": reply.value.model_dump_json(),
            "remarks": list(reply.remarks),
            "usage": asdict(reply.usage),
        }
        self._kept.put(key, value)
        return reply

    def _read(self, value: Any, schema: type[M]) -> Reply[M] | None:
        """`None` for what is not there, or is another version's: it is asked for anew."""
        try:
            found = schema.model_validate_json(value["reply"])
            model, remarks, usage = value["model"], tuple(value["remarks"]), Usage(**value["usage"])
        except (TypeError, KeyError, ValueError):
            return None
        self.spent += usage
        return Reply(value=found, model=model, usage=Usage(reused=1), remarks=remarks)
