"""`Compress`: turns without the words that say little, before a model reads them (LightMem 3.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_integer, as_share
from memspan.encode.fingerprint import fingerprint
from memspan.encode.stage import Tools
from memspan.encode.values import Turn, Work
from memspan.errors import MemspanError
from memspan.recall.context.tokens import estimate_tokens

from .pieces import Piece, join_pieces, split_pieces
from .protected import name_words, protected_pieces
from .scorers import Scorer, SelfInformation

__all__ = ["Compress", "retained"]

_AGAIN: Final = 0.5
"""The rate of passes after the first (LightMem C.1)."""
_MOST_PASSES: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Compress:
    """Keeps the share `rate` of each turn's words, those with the highest scores.

    x^ = {x_i | P(retain x_i | x) > tau}, tau the percentile of the scores at which `rate` of the pieces remain; a turn
    that is still longer than `limit` is compressed again at .5 until it is not, or nothing more can go. Names,
    numbers, dates and negations are never cut and count into the rate, and no turn becomes empty, so that short turns
    and turns full of facts keep more than `rate`. Only the job's copy of a turn changes: the store keeps what was
    said, under the same id. Texts of one job are compressed once; O(words) beside what the scorer costs.
    """

    rate: float = 0.6
    """r: the share of words that remains. .6 is the best on average in the paper (5.3)."""
    limit: int = 512
    """Tokens that a turn may have, as `estimate_tokens` counts; the input of the paper's compression model."""
    scorer: Scorer = field(default_factory=SelfInformation)
    """The paper uses LLMLingua-2, or a model's cross-entropy: `Lingua`, `CrossEntropy`."""

    def __post_init__(self) -> None:
        as_share(self.rate, "rate")
        as_integer(self.limit, "limit", 16, 1 << 20)

    @property
    def name(self) -> str:
        return "compress"

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with shorter texts of the same turns; see `Stage.run`."""

        async def make() -> list[str]:
            return await self._compressed(work, tools)

        texts = await tools.once(f"texts.{fingerprint(work.turns)}", make)
        shorter = {turn.id: replace(turn, text=text) for turn, text in zip(work.turns, texts, strict=True)}
        turns = tuple(shorter[turn.id] for turn in work.turns)
        windows = tuple(
            replace(window, turns=tuple(shorter.get(turn.id, turn) for turn in window.turns))
            for window in work.windows
        )
        tools.note(
            "compressed",
            before=sum(estimate_tokens(turn.text) for turn in work.turns),
            after=sum(map(estimate_tokens, texts)),
        )
        return replace(work, turns=turns, windows=windows)

    async def _compressed(self, work: Work, tools: Tools) -> list[str]:
        names = name_words(turn.speaker for turn in (*work.history, *work.turns))
        texts = [turn.text for turn in work.turns]
        open_ = list(range(len(texts)))
        for number in range(_MOST_PASSES):
            rate = _AGAIN if number else self.rate
            pieces = [split_pieces(texts[position]) for position in open_]
            scores = await self._scores([texts[position] for position in open_], pieces, tools)
            changed = []
            for position, of_text, values in zip(open_, pieces, scores, strict=True):
                shorter = retained(work.turns[position], texts[position], of_text, values, rate, names)
                if shorter != texts[position]:
                    texts[position] = shorter
                    changed.append(position)
            open_ = [position for position in changed if estimate_tokens(texts[position]) > self.limit]
            if not open_:
                break
        return texts

    async def _scores(
        self, texts: Sequence[str], pieces: Sequence[Sequence[Piece]], tools: Tools
    ) -> list[NDArray[np.float64]]:
        try:
            return await self.scorer.score(texts, pieces, tools)
        except MemspanError as error:
            # Without its model the stage still does its work: a job never waits for a compressor.
            tools.note("scorer failed", scorer=self.scorer.name, reason=str(error))
            return await SelfInformation().score(texts, pieces, tools)


def retained(
    turn: Turn,
    text: str,
    pieces: Sequence[Piece],
    scores: NDArray[np.float64],
    rate: float,
    names: frozenset[str] = frozenset(),
) -> str:
    """The text of the best `ceil(rate * n)` pieces and of all protected ones; of equal ones the earlier remain."""
    if not pieces:
        return text
    protected = protected_pieces(text, pieces, turn.at, names)
    room = math.ceil(rate * len(pieces)) - len(protected)
    order: Any = np.lexsort((np.arange(len(pieces)), -np.asarray(scores)))
    best = [int(position) for position in order if int(position) not in protected][: max(0, room)]
    kept = protected.union(best)
    return join_pieces(text, pieces, kept) if len(kept) < len(pieces) else text
