"""`MemoryTools`: what a job lends to stages, in memory, with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from scripted_llm import Asked, Rule, read_data

from memspan.embed.hashing import HashEmbedder
from memspan.encode.stage import Stage
from memspan.encode.values import Work
from memspan.llm import LLM, Prompt
from memspan.llm.protocol import Ready

M = TypeVar("M", bound=BaseModel)

__all__ = ["MemoryTools", "run_stages"]


class MemoryTools:
    """Tools that record everything. Replies are kept by key, as a job's are: the same key is asked about once.

    Args:
        answers: for each prompt's name a rule, as `ScriptedLLM` takes it and which may raise what the model's client
            would, or a list of replies and errors, used up in order.
        embed: from texts to unit vectors; a hashing embedder by default.
        tags: the user's tags.
        llm: answers in place of `answers`.
    """

    def __init__(
        self,
        answers: Mapping[str, Rule | Sequence[Any]] | None = None,
        *,
        embed: Callable[[Sequence[str]], NDArray[np.float32]] | None = None,
        tags: Sequence[str] = (),
        llm: LLM | None = None,
    ) -> None:
        self._llm = llm
        self._answers = {
            name: given if callable(given) else list(given) for name, given in (answers or {}).items()
        }
        self._embed = embed or HashEmbedder(dim=256).embed_documents
        self._tags = list(tags)
        self.stage = ""
        self.kept: dict[str, str] = {}
        """JSON texts of the replies, by stage and key."""
        self.asked: list[tuple[str, Prompt]] = []
        """What the model was asked, with the key, in order; also what failed."""
        self.notes: list[dict[str, Any]] = []

    async def ask(self, key: str, prompt: Prompt, schema: type[M], *, ready: Ready | None = None) -> M:
        """See `Tools.ask`."""
        whole = f"{self.stage}/{key}"
        if whole not in self.kept:
            if ready is not None:
                await ready()
            self.asked.append((whole, prompt))
            if self._llm is not None:
                reply = await self._llm.acomplete(prompt, schema, stage=self.stage)
                self.kept[whole] = reply.value.model_dump_json()
            else:
                self.kept[whole] = json.dumps(self._answer(prompt))
        return schema.model_validate(json.loads(self.kept[whole]))

    def _answer(self, prompt: Prompt) -> Any:
        answer = self._answers[prompt.name]
        if callable(answer):
            return answer(_asked(prompt))
        given = answer.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    async def once(self, key: str, make: Callable[[], Awaitable[Any]]) -> Any:
        """See `Tools.once`."""
        whole = f"{self.stage}/{key}"
        if whole not in self.kept:
            self.kept[whole] = json.dumps(await make())
        return json.loads(self.kept[whole])

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Tools.embed`."""
        return self._embed(list(texts))

    async def tags(self) -> Sequence[str]:
        """See `Tools.tags`."""
        return list(self._tags)

    def note(self, event: str, **details: Any) -> None:
        """See `Tools.note`."""
        self.notes.append({"event": event, **json.loads(json.dumps(details))})

    def noted(self, event: str) -> list[dict[str, Any]]:
        """The notes of that event."""
        return [note for note in self.notes if note["event"] == event]

    def keys(self) -> list[str]:
        """The keys of what the model was asked, in order, without their fingerprints."""
        return [key.split("~", 1)[0] for key, _ in self.asked]

    def calls(self) -> dict[str, int]:
        """How often the model was asked, by stage."""
        stages = [key.split("/", 1)[0] for key, _ in self.asked]
        return {stage: stages.count(stage) for stage in dict.fromkeys(stages)}


def _asked(prompt: Prompt) -> Asked:
    return Asked(
        task=prompt.name,
        system=prompt.system,
        user=prompt.user,
        data=read_data(prompt.user),
        mode="text",
        schema=None,
        corrections=0,
        stream=False,
        body={},
        headers={},
    )


async def run_stages(stages: Sequence[Stage], work: Work, tools: MemoryTools) -> Work:
    """The work after all stages, as a job runs them."""
    for stage in stages:
        tools.stage = stage.name
        work = await stage.run(work, tools)
    return work
