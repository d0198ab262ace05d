"""A ranker learned from one's own questions, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memspan.ranking import Ranker

from .cross_validation import Quality, mean_of
from .labelled_store import OwnQuestion
from .question_parts import Together, parts_of
from .tuning import Way, tune, tune_left_out
from .verdict import Difference, compared, figures_found

if TYPE_CHECKING:
    from memspan.memory import Memory

__all__ = ["OwnRanker", "fit_own"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRanker:
    """What `fit_own` learned and found."""

    ranker: Ranker
    way: Way
    together: Together
    """What was left out as a whole."""
    quality: dict[str, Quality]
    """Of `package` and `rrf`, and `left_out`: of rankers like this one that have not seen the question."""
    differences: dict[str, Difference]
    """`left_out` after `package`, and after `rrf`; empty where nothing could be left out."""


def fit_own(
    memory: Memory,
    questions: Sequence[OwnQuestion],
    start: Ranker,
    advance: Callable[[int], object] = lambda _: None,
    *,
    penalty: float | None = None,
    special_penalty: float | None = None,
    net: bool = True,
    validated: bool = True,
    trained_on: Sequence[str] = (),
) -> OwnRanker:
    """Move the weights of `start` towards what these questions say (`tune`), and judge it on questions left out.

    Five rankers are learned, each without a part of the questions (`parts_of`) and with its own choice of how far to
    move. Some 160 fits: seconds for tens of questions, minutes for a thousand. Judged are whole searches
    (`figures_found`): where the store has token vectors, the package's weights have others beside them for what tokens
    say, and a ranker of one's own goes by their rank, in the verdict as later.

    Args:
        memory: that the questions are about.
        questions: as `collect_own` gives them.
        start: the package's ranker for the store's embedder.
        advance: is called with the steps done, of six.
        penalty, special_penalty, net, trained_on: see `tune`.
        validated: whether questions are left out to judge by; never of one that teaches something alone.

    Raises:
        InvalidArgumentError, MissingExtraError: see `fit`.
    """
    examples = [each.example for each in questions]
    dealt = parts_of([each.conversation for each in examples], [each.session for each in questions])
    figures = {
        "package": figures_found(memory, questions, [{}] * len(questions)),
        "rrf": figures_found(memory, questions, [{"fusion": "rrf"}] * len(questions)),
    }
    teaching = {part for part, each in zip(dealt.parts, examples, strict=True) if each.relevant.any()}
    if validated and len(teaching) > 1:
        rankers = tune_left_out(
            examples,
            dealt.parts,
            start,
            advance,
            penalty=penalty,
            special_penalty=special_penalty,
            net=net,
        )
        figures["left_out"] = figures_found(memory, questions, [{"ranker": each} for each in rankers])
    tuned = tune(
        examples,
        dealt.parts,
        start,
        penalty=penalty,
        special_penalty=special_penalty,
        net=net,
        trained_on=trained_on,
    )
    advance(1)
    left_out = figures.get("left_out")
    return OwnRanker(
        ranker=tuned.ranker,
        way=tuned.way,
        together=dealt.together,
        quality={name: mean_of(rows) for name, rows in figures.items()},
        differences={}
        if left_out is None
        else {name: compared(figures[name], left_out) for name in ("package", "rrf")},
    )
