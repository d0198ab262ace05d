"""`DirectTools`: a model for work that is no job, such as sleep."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid
from memspan.llm import LLM, Prompt, Usage
from memspan.llm.deadline import spent_by
from memspan.llm.patience import Patience
from memspan.llm.protocol import Ready
from memspan.llm.when_ready import complete

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["DirectTools"]

M = TypeVar("M", bound="BaseModel")


class DirectTools:
    """`Tools` that keep nothing: the model is asked anew each time, or its client's cache is. For stages that only ask.

    Used by one task at a time, or by tasks of one event loop.

    Args:
        stage: for usage.
        advance: is told every call that ends.
        patience: shared by tools that ask the same server.
    """

    def __init__(
        self,
        llm: LLM,
        stage: str,
        advance: Callable[[int], object] = lambda count: None,
        patience: Patience | None = None,
    ) -> None:
        self._llm = llm
        self._patience = patience or Patience()
        self._stage = stage
        self._advance = advance
        self.spent: dict[str, Usage] = {}
        """Of all calls, those that failed or were cancelled included, by the model's name."""
        self.notes: list[dict[str, Any]] = []
        """What was noted, in order: `event` and its details."""

    @property
    def usage(self) -> Usage:
        """Of all calls, those that failed included."""
        return sum(self.spent.values(), Usage())

    async def ask(self, key: str, prompt: Prompt, schema: type[M], *, ready: Ready | None = None) -> M:
        """See `Tools.ask`."""
        try:
            reply = await complete(
                self._llm, prompt, schema, stage=self._stage, ready=self._patience.before(ready)
            )
        except BaseException as error:  # also when it is cancelled
            self._patience.failed(error)
            if (spent := spent_by(error)) is not None:
                self._spend(self._llm.model, spent)
            raise
        finally:
            self._advance(1)
        self._patience.answered()
        self._spend(reply.model, reply.usage)
        return reply.value

    def _spend(self, model: str, usage: Usage) -> None:
        self.spent[model] = self.spent.get(model, Usage()) + usage

    async def once(self, key: str, make: Callable[[], Awaitable[Any]]) -> Any:
        """See `Tools.once`."""
        return json.loads(json.dumps(await make(), allow_nan=False))

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """There is no embedder here: `InvalidArgumentError`."""
        raise invalid("embed", len(texts), "no texts: these tools have a model only")

    async def tags(self) -> Sequence[str]:
        """None."""
        return []

    def note(self, event: str, **details: Any) -> None:
        """See `Tools.note`."""
        self.notes.append({"event": event, **json.loads(json.dumps(details, allow_nan=False))})
