"""`Segment`: turns in segments of one topic each (LightMem 3.1, C.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias, get_args

from memspan.arguments import as_choice, as_integer, as_number
from memspan.base.worker_threads import beside
from memspan.errors import MemspanError
from memspan.recall.context.tokens import estimate_tokens

from .attention import Attention, OnnxAttention
from .boundaries import adjacent_similarities, attention_boundaries, similarity_boundaries
from .exchanges import Exchange, exchanges_of
from .fingerprint import fingerprint
from .stage import Tools
from .values import Window, Work

__all__ = ["Extremum", "Method", "Segment"]

Method: TypeAlias = Literal["both", "attention", "similarity"]
_METHODS: Final = get_args(Method)
Extremum: TypeAlias = Literal["maximum", "minimum"]
_EXTREMA: Final = get_args(Extremum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Cuts the turns where the topic changes: B = B1 & B2, or one of them alone.

    Turns gather in a sensory buffer. When the next one would not fit, the buffer is cut at its boundaries; what comes
    after the last boundary stays and begins the next buffer, so that no topic is cut where a buffer happens to end. A
    buffer without a boundary is a segment. B1 are the local maxima of the attention of each sentence to the one
    before, B2 the places where two neighbours are less similar than `threshold`. Each segment becomes a window.
    """

    method: Method = "both"
    buffer: int = 512
    """Tokens of the sensory buffer, as `estimate_tokens` counts; the paper's size (5.1)."""
    threshold: float | None = None
    """tau of B2. The paper names no value, and cosines of different embedders do not compare: `None` takes the mean
    over the neighbours in the buffer."""
    extremum: Extremum = "maximum"
    """B1 as in the paper. `minimum`, where a sentence looks away from the one before, finds more of the boundaries on
    the data in benches/results/lightmem.md, with the default embedder's attention."""
    attention: Attention | None = None
    """`None`: of the default embedder's graph, where it is here; without it, similarity alone decides."""

    def __post_init__(self) -> None:
        as_choice(self.method, "method", _METHODS)
        as_choice(self.extremum, "extremum", _EXTREMA)
        as_integer(self.buffer, "buffer", 16, 1 << 20)
        if self.threshold is not None:
            as_number(self.threshold, "threshold", -1, 1)

    @property
    def name(self) -> str:
        return "segment"

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with its turns in windows; see `Stage.run`."""

        async def make() -> list[int]:
            return await self._sizes(work, tools)

        windows = []
        start = 0
        for size in await tools.once(f"sizes.{fingerprint(work.turns)}", make):
            windows.append(Window(turns=work.turns[start : start + size]))
            start += size
        if windows and work.history:
            windows[0] = replace(windows[0], history=work.history)
        return replace(work, windows=tuple(windows))

    async def _sizes(self, work: Work, tools: Tools) -> list[int]:
        """How many turns each segment has."""
        sizes = []
        waiting: list[Exchange] = []
        tokens: list[int] = []
        attending = _Attending(self.attention, self.extremum, tools)
        for exchange in exchanges_of(work.turns):
            needed = estimate_tokens(exchange.text)
            while waiting and sum(tokens) + needed > self.buffer:
                # The last boundary, or the whole: the buffer gets shorter in any case.
                cuts = await self._boundaries(waiting, tools, attending) or [len(waiting)]
                sizes += _lengths(waiting, [0, *cuts])
                waiting, tokens = waiting[cuts[-1] :], tokens[cuts[-1] :]
            waiting.append(exchange)
            tokens.append(needed)
        if waiting:
            cuts = await self._boundaries(waiting, tools, attending)
            sizes += _lengths(waiting, [0, *cuts, len(waiting)])
        return sizes

    async def _boundaries(
        self, exchanges: Sequence[Exchange], tools: Tools, attending: _Attending
    ) -> list[int]:
        """Positions of exchanges that begin a topic, ascending, without 0."""
        texts = [exchange.text for exchange in exchanges]
        if len(texts) < 2:
            return []
        by_attention = None
        if self.method != "similarity":
            by_attention = await attending.boundaries(texts)
            if self.method == "attention" and by_attention is not None:
                return by_attention
            if by_attention == []:
                return []  # B1 & B2 is empty whatever B2 is
        similarities = adjacent_similarities(await tools.embed(texts))
        threshold = float(similarities.mean()) if self.threshold is None else self.threshold
        alike = similarity_boundaries(similarities, threshold)
        return alike if by_attention is None else [k for k in by_attention if k in set(alike)]


class _Attending:
    """B1 of one buffer after the other, until there is no model to tell: said once, similarity then decides."""

    def __init__(self, source: Attention | None, extremum: Extremum, tools: Tools) -> None:
        self._source = source
        self._minima = extremum == "minimum"
        self._tools = tools
        self._failed = False

    async def boundaries(self, texts: Sequence[str]) -> list[int] | None:
        if self._failed:
            return None
        try:
            source = _default_attention() if self._source is None else self._source
            attention = await beside(source.between, texts)
            return attention_boundaries(attention, minima=self._minima)
        except MemspanError as error:
            self._failed = True
            self._tools.note("no attention", reason=str(error), instead="similarity")
            return None


def _lengths(exchanges: Sequence[Exchange], cuts: Sequence[int]) -> list[int]:
    """Turns between each two cuts."""
    return [sum(len(exchange.turns) for exchange in exchanges[start:end]) for start, end in pairwise(cuts)]


@cache
def _default_attention() -> Attention:
    return OnnxAttention.from_registry()
