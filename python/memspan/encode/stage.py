"""`Stage`: one step from turns to derived records, and what a job lends it (`Tools`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memspan.llm import Prompt
from memspan.llm.protocol import Ready

from .values import Work

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Stage", "Tools", "Watching"]

M = TypeVar("M", bound="BaseModel")


class Tools(Protocol):
    """What a job lends to its stages. Everything asked through it is committed under its key before it is returned, and
    read back instead of asked again when the job runs once more after a crash: a stage must ask with the same keys in
    every run, and may compute everything else anew."""

    async def ask(self, key: str, prompt: Prompt, schema: type[M], *, ready: Ready | None = None) -> M:
        """The model's answer; the stage's name is put before the key. `ready` is awaited before each request, beside
        what the tools look at themselves.

        Raises:
            TruncatedReplyError: the answer did not fit; ask for less under other keys.
            BadReplyError, LLMError: the job stops here and is tried again later; stages let these pass unless they
                have an answer of their own.
        """

    async def once(self, key: str, make: Callable[[], Awaitable[Any]]) -> Any:
        """A JSON-able value that is made only once for this job."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts as documents, shape (texts, dim); not kept."""

    async def tags(self) -> Sequence[str]:
        """The user's tags, the most used first."""

    def note(self, event: str, **details: Any) -> None:
        """Write into the job's log, such as a statement that was dropped, and why. JSON-able values."""


@runtime_checkable
class Watching(Protocol):
    """`Tools` that know when what they are about is forgotten; whoever sends texts elsewhere by itself asks them
    before each request."""

    async def require_wanted(self) -> None:
        """Refuse to send anything on after that.

        Raises:
            MemspanError: it is not wanted any more.
        """


class Stage(Protocol):
    """One step of a recipe; a frozen dataclass whose fields are its parameters, usable alone with any `Tools`."""

    @property
    def name(self) -> str:
        """In recipes, usage and logs, such as `extract`."""

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with what this stage adds. Never loses a source: what it drops it notes."""
