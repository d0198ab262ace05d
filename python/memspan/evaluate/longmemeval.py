"""LongMemEval's retrieval metrics as its scripts compute them, and what they should be.

`run_retrieval.py` and `eval_utils.py` rank the *user* turns of a haystack and take as correct those that are
marked `has_answer`; `print_retrieval_metrics.py` averages recall_any@k (any correct turn within the first k),
recall_all@k (all of them) and ndcg_any@k over all questions but abstentions. What is wrong with that:

- An answer that only the assistant gave has no correct turn, and all of nothing is found: recall_all is 1 for
  such a question, while recall_any and ndcg_any are 0. Corrected: such questions are left out.
- Their DCG divides the gain at rank i by log2(i), from i = 2: ranks 1 and 2 weigh alike. Corrected: log2(1 + i).
- For sessions, the ranking of turns is widened until k sessions are in it, and the unmarked turns of an answer
  session count as another, wrong session, so that a session is not found through them; ndcg counts turns, not
  sessions. Corrected: the first k distinct sessions, each once, an answer session being right through any of
  its turns.

Both are computed over the ranking of all user turns that `Memory.search` gives among all turns, and the scripts'
form matches them to the letter on data in the original layout; where one session id comes twice in a haystack,
the scripts mix the two up, and here they stay apart. The package's own metrics count the assistant's turns too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from .metrics import all_at, hit_at, ndcg_at

__all__ = ["ScriptScores", "UserTurns", "corrected_scores", "mean_of_scores", "script_scores"]

NAMES = ("recall_any", "recall_all", "ndcg_any")


@dataclass(frozen=True, slots=True)
class UserTurns:
    """A question's ranking of user turns."""

    ranked: tuple[str, ...]
    """The user turns of the haystack that came back, best first, as `<session>:<index>`: all of them, unless the search
    was by a view that finds only some."""
    correct: frozenset[str]
    """Those that hold the answer; empty when only the assistant gave it."""
    sessions: frozenset[str]
    """The sessions that hold the answer."""


@dataclass(frozen=True, slots=True)
class ScriptScores:
    """The three metrics at one k, or their means."""

    recall_any: float
    recall_all: float
    ndcg_any: float


def script_scores(turns: UserTurns, k: int, *, sessions: bool = False) -> ScriptScores:
    """As `evaluate_retrieval`, and for `sessions` as `evaluate_retrieval_turn2session`, compute it."""
    ranked: Sequence[object] = turns.ranked
    correct: frozenset[object] = frozenset(turns.correct)
    if sessions:
        # The scripts rename the unmarked turns of an answer session, which makes them another session.
        ranked = [(_session(turn), turn in turns.correct) for turn in turns.ranked]
        correct = frozenset((_session(turn), True) for turn in turns.correct)
        wanted = k
        while k <= len(ranked) and len(set(ranked[:k])) < wanted:
            k += 1
    found = set(ranked[:k])
    gains = [document in correct for document in ranked]
    # Of all that is correct, whether it came back or not: a search by one view alone leaves turns out.
    ideal = _script_dcg([True] * min(k, len(turns.correct)))
    return ScriptScores(
        recall_any=float(any(document in found for document in correct)),
        recall_all=float(all(document in found for document in correct)),
        ndcg_any=_script_dcg(gains[:k]) / ideal if ideal else 0.0,
    )


def corrected_scores(turns: UserTurns, k: int, *, sessions: bool = False) -> ScriptScores | None:
    """What the metrics should be; `None` for a question that has nothing to find."""
    ranked: Sequence[str] = turns.ranked
    relevant = turns.correct
    if sessions:
        ranked = list(dict.fromkeys(map(_session, turns.ranked)))
        relevant = turns.sessions
    if not relevant:
        return None
    return ScriptScores(
        hit_at(relevant, ranked, k), all_at(relevant, ranked, k), ndcg_at(relevant, ranked, k)
    )


def mean_of_scores(scores: Iterable[ScriptScores | None]) -> tuple[int, Mapping[str, float]]:
    """How many there are, and the mean of each metric over those; empty when there are none."""
    there = [each for each in scores if each is not None]
    if not there:
        return 0, {}
    return len(there), {name: sum(getattr(each, name) for each in there) / len(there) for name in NAMES}


def _script_dcg(gains: Sequence[bool]) -> float:
    return sum(gain / (log2(rank) if rank > 1 else 1) for rank, gain in enumerate(gains, 1))


def _session(turn: str) -> str:
    return turn.rpartition(":")[0]
