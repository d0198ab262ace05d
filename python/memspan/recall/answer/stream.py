"""`AnswerStream`: an answer that comes in pieces."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing

from memspan.errors import invalid
from memspan.llm.background import leave_in_background, run_in_background
from memspan.recall.context import Context
from memspan.recall.plan import Plan

from .result import Answer

__all__ = ["AnswerStream"]


class AnswerStream:
    """The text of one answer, by `for` or `async for`, once; then `answer` has all that is known of it.

    The pieces joined are the answer's text. The line in which the model names its sources is not among them. Leaving
    the loop early ends the request. What fails on the way ends the loop with an `LLMError`, after what had come.

    Attributes:
        plan: how the memories were looked for.
        context: the memories that the model is shown. When some are forgotten before it is asked, all begins anew
            without them, and both are the answer's in the end.
    """

    def __init__(
        self, pieces: Callable[[], AsyncGenerator[str | Answer, None]], *, plan: Plan, context: Context
    ) -> None:
        self.plan = plan
        self.context = context
        self._pieces = pieces
        self._begun = False
        self._answer: Answer | None = None

    def __repr__(self) -> str:
        return f"AnswerStream({self.plan.question!r}, {'complete' if self._answer else 'not complete'})"

    @property
    def answer(self) -> Answer:
        """The answer with its sources.

        Raises:
            InvalidArgumentError: the stream has not been read to its end.
        """
        if self._answer is None:
            raise invalid(
                "answer", "a stream that was not read to its end", "it is known when all pieces came"
            )
        return self._answer

    async def __aiter__(self) -> AsyncIterator[str]:
        async with aclosing(self._begin()) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    self._end(piece)
                else:
                    yield piece

    def __iter__(self) -> Iterator[str]:
        pieces = self._begin()

        async def following() -> str | Answer | None:
            return await anext(pieces, None)

        try:
            while (piece := run_in_background(following())) is not None:
                if isinstance(piece, Answer):
                    self._end(piece)
                else:
                    yield piece
        finally:
            # Where it was interrupted it is on its way to its end, which this would refuse to begin again.
            leave_in_background(pieces)

    def _end(self, answer: Answer) -> None:
        self._answer, self.plan, self.context = answer, answer.plan, answer.context

    def _begin(self) -> AsyncGenerator[str | Answer, None]:
        if self._begun:
            raise invalid("stream", "one that was read before", "a stream is read once; ask again")
        self._begun = True
        return self._pieces()
