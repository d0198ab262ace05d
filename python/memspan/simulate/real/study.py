"""The study on real conversations: its experiments by name, and its tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from memspan.arguments import as_share
from memspan.errors import invalid
from memspan.remember.embedding import EmbedderSpec

from ..tables import Table
from .capacity import allocation, capacity, kind_shares
from .compression import RATIOS, compression
from .conversations import Conversation, Embedding, read_conversations
from .outcome import RealOutcome, data_set_of
from .staleness import staleness

__all__ = ["REAL_EXPERIMENTS", "RealStudy", "real_study"]

Run: TypeAlias = Callable[[Sequence[Conversation], Embedding, Callable[[int], object]], Iterator[RealOutcome]]

REAL_EXPERIMENTS: Final[Mapping[str, Run]] = {
    "capacity": capacity,
    "allocation": allocation,
    "compression": compression,
    "staleness": staleness,
}
"""Evidence recall against what the paper's experiments vary."""

_TITLES: Final = {
    "capacity": "Capacity: recall@10 after the conversation, by the share of turns kept and the order of eviction",
    "allocation": "Allocation: half of the turns kept, shared out among kinds as in table 1",
    "compression": "Compression: recall@10 by strategy and target ratio, all turns kept",
    "staleness": "Staleness: recall@10 over the conversation's own time",
}


@dataclass(frozen=True, slots=True, eq=False)
class RealStudy:
    """What was found on real conversations."""

    conversations: tuple[Conversation, ...]
    outcomes: Mapping[str, tuple[RealOutcome, ...]]
    """By experiment."""

    def tables(self) -> list[Table]:
        """One for what was asked, one for each experiment."""
        return [self._asked(), *(self._of(name, found) for name, found in self.outcomes.items())]

    def to_dict(self) -> dict[str, Any]:
        """Shares 0-1, by experiment, condition and data set, with their differences from the reference."""
        sets = data_set_of(self.conversations)
        experiments = {}
        for name, found in self.outcomes.items():
            reference = next(outcome for outcome in found if outcome.reference)
            experiments[name] = [
                {
                    "condition": outcome.name,
                    "measured": dict(outcome.measured),
                    "recall@10": {each: outcome.mean(sets == each) for each in outcome.asked(sets)},
                    "difference": {
                        each: asdict(outcome.against(reference, sets == each)) for each in outcome.asked(sets)
                    },
                }
                for outcome in found
            ]
        return {"kinds": kind_shares(self.conversations), "experiments": experiments}

    def _asked(self) -> Table:
        shares = kind_shares(self.conversations)
        rows = []
        for data_set, kinds in shares.items():
            own = [one for one in self.conversations if one.data_set == data_set]
            rows.append(
                (
                    data_set,
                    f"{len(own)}",
                    f"{sum(len(one.records) for one in own):,}",
                    f"{sum(len(one.questions) for one in own):,}",
                    *(f"{100 * value:.0f}" for value in kinds.values()),
                )
            )
        columns = ("data set", "conversations", "turns", "questions", *next(iter(shares.values())))
        return Table("What was asked", columns, tuple(rows), "Kinds by rule, in percent.")

    def _of(self, name: str, found: Sequence[RealOutcome]) -> Table:
        sets = data_set_of(self.conversations)
        names = list(dict.fromkeys(sets.tolist()))
        reference = next(outcome for outcome in found if outcome.reference)
        extra = list(dict.fromkeys(what for outcome in found for what in outcome.measured))
        rows = []
        for outcome in found:
            cells = []
            for data_set in names:
                if data_set not in outcome.asked(sets):
                    cells.append("")
                    continue
                chosen = sets == data_set
                cells.append(f"{100 * outcome.mean(chosen):.1f}" + _difference(outcome, reference, chosen))
            measured = [f"{outcome.measured[what]:.3f}" if what in outcome.measured else "" for what in extra]
            rows.append((outcome.name, *cells, *measured))
        note = (
            f"Percent; in brackets the difference from '{reference.name}' on the same questions with its 95 % interval "
            "(paired bootstrap)."
        )
        return Table(_TITLES[name], ("condition", *names, *extra), tuple(rows), note)


def _difference(outcome: RealOutcome, reference: RealOutcome, chosen: np.ndarray) -> str:
    if outcome is reference:
        return ""
    found = outcome.against(reference, chosen)
    return f" ({100 * found.mean:+.1f}; {100 * found.low:+.1f}, {100 * found.high:+.1f})"


def real_study(
    files: Iterable[tuple[str, str | os.PathLike[str]]],
    *,
    names: Sequence[str] | None = None,
    embedder: EmbedderSpec = None,
    store_dir: str | os.PathLike[str] | None = None,
    ratios: Sequence[float] = RATIOS,
    advance: Callable[[str, int], object] = lambda what, count: None,
) -> RealStudy:
    """Ask real conversations the paper's questions.

    No language model is used: memories are turns, their importance is how much they say (`estimated_importance`), their
    kind comes by a rule (`kind_by_rule`). The order of the questions, their moments and what is left at random come
    from fixed seeds.

    Args:
        files: pairs of a data set (`memspan.evaluate.DATA_SETS`) and a file of it.
        names: of `REAL_EXPERIMENTS`; all by default.
        embedder: as for `Memory`; it needs a checksum.
        store_dir: where vectors of turns are kept for the next time; by default as for `memspan eval`.
        ratios: target ratios of `compression`; each means embedding all turns once for each strategy.
        advance: is told what is under way, and each condition (or conversation) that is done.

    Raises:
        InvalidArgumentError: no experiment has that name, no file has questions with evidence, or a conversation comes
            twice.
        FormatError: a file cannot be read.
    """
    chosen = tuple(REAL_EXPERIMENTS) if names is None else tuple(names)
    for name in chosen:
        if name not in REAL_EXPERIMENTS:
            raise invalid("names", name, ", ".join(REAL_EXPERIMENTS))
    targets = tuple(as_share(ratio, "ratios") for ratio in ratios)
    embedding = Embedding(embedder, None if store_dir is None else Path(store_dir))

    def told(what: str) -> Callable[[int], object]:
        return lambda count: advance(what, count)

    conversations = read_conversations(list(files), embedding, told("embedding"))
    runs: dict[str, Run] = {**REAL_EXPERIMENTS, "compression": partial(compression, targets=targets)}
    outcomes = {name: tuple(runs[name](conversations, embedding, told(name))) for name in chosen}
    return RealStudy(tuple(conversations), outcomes)
