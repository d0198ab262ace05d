"""Evidence recall against policies of staleness, over the conversation's own time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.evaluate.metrics import reciprocal_rank
from memspan.formats.questions import LabelledQuestion
from memspan.lifecycle.reordering import bounded_order
from memspan.lifecycle.staleness import StalenessPolicy
from memspan.memory import Memory
from memspan.records import Record
from memspan.remember.searching.aging import provenance_quality, staleness_of
from memspan.remember.searching.recall import Recalls

from ..condition import Condition
from ..world import World
from .asking import K, recall, remembering
from .conversations import Conversation, Embedding
from .outcome import RealOutcome
from .salience import ASSISTANT

__all__ = ["POLICIES", "staleness"]

POLICIES: Final = ("decay", "refresh", "provenance", "validity")
_STEPS: Final = Condition(name="usual").steps
"""A conversation's span is taken for the paper's horizon of 300 steps, so that lambda = .05 means the same."""
_DEPTH: Final = 50
_PRUNE: Final = World().prune_above
_UPDATES: Final = ("stands", "outdated", "stands first")
_WAYS: Final = ("bounded", "multiplied", "pruned")


@dataclass(frozen=True, slots=True)
class _Asking:
    """A question at the moment when it is asked."""

    place: int
    """Among all questions."""
    question: LabelledQuestion
    at: datetime
    age: float
    """Of its newest evidence then, in steps."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What came back, by condition."""

    recall: Mapping[str, NDArray[np.float64]]
    """Of each question."""
    ranks: Mapping[str, NDArray[np.float64]]
    """Reciprocal, of the first evidence."""
    moved: dict[str, int]
    """Places of the first K whose record is another one than without a policy."""
    updates: Mapping[str, list[tuple[float, float, float]]]
    """Of questions whose evidence is in part outdated, what `_of_update` gives."""

    def take(self, asking: _Asking, name: str, ids: Sequence[str], seen: dict[str, datetime]) -> None:
        """Score an answer, and note that its records were accessed."""
        evidence = asking.question.evidence
        self.recall[name][asking.place] = recall(asking.question, ids)
        self.ranks[name][asking.place] = reciprocal_rank(evidence, list(ids[:K]))
        if asking.question.outdated:
            self.updates[name].append(_of_update(asking.question, ids[:K]))
        seen.update(dict.fromkeys(ids[:K], asking.at))


def staleness(
    conversations: Sequence[Conversation],
    embedding: Embedding,
    advance: Callable[[int], object],
    seed: int = 1,
) -> Iterator[RealOutcome]:
    """Each question is asked at a moment drawn evenly between its last evidence and the end of the conversation; what
    came later is not there yet. Records are accessed when an earlier question brought them back.

    A policy may reorder the answer within its bounds (`bounded`, what a search does when it is asked to), multiply the
    scores of the best 50 by 1 - s (`multiplied`, as age multipliers are deployed), or take away what is staler than .85
    (`pruned`, the paper's use).

    `validity` is asked only of conversations whose labels say what was replaced: a turn has ended as soon as the turn
    that replaces it is there, as if somebody noticed every time. Of the questions about such updates `stands` and
    `outdated` are the shares of what stands and of what is outdated among the first ten, `stands first` how often the
    best of the first is before all of the second.
    """
    total = sum(len(one.questions) for one in conversations)
    names = ["off", *(f"{policy}, {way}" for policy in POLICIES for way in _WAYS)]
    values = {name: np.full(total, np.nan) for name in names}
    ages = np.full(total, np.nan)
    moved = dict.fromkeys(names, 0)
    ranks = {name: np.full(total, np.nan) for name in names}
    updates: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    first = 0
    with remembering([record for one in conversations for record in one.records], embedding) as memory:
        for one in conversations:
            for asking in _askings(one, first, seed):
                ages[asking.place] = asking.age
            _ask_conversation(memory, one, first, seed, _Found(values, ranks, moved, updates))
            first += len(one.questions)
            advance(1)
    old = ages > np.nanmedian(ages)
    for name in names:
        asked = np.isfinite(values[name])
        if not asked.any():
            continue
        measured = {
            "evidence young": _mean(values[name][~old]),
            "evidence old": _mean(values[name][old]),
            "mrr": _mean(ranks[name]),
            "moved": moved[name] / int(asked.sum()),
        }
        if updates[name]:
            measured |= dict(zip(_UPDATES, np.mean(updates[name], axis=0).tolist(), strict=True))
        there = {what: value for what, value in measured.items() if value is not None}
        yield RealOutcome("staleness", name, values[name], name == "off", there)


def _askings(one: Conversation, first: int, seed: int) -> list[_Asking]:
    """In the order of time."""
    random = np.random.default_rng([seed, 4, one.checksum])
    places = {record.id: place for place, record in enumerate(one.records)}
    step = _step(one)
    found = []
    for number, question in enumerate(one.questions):
        newest = max(places[id_] for id_ in question.evidence if id_ in places)
        # At the turn that is drawn, just after it was said.
        drawn = int(random.integers(newest, len(one.records)))
        at = one.records[drawn].at + timedelta(microseconds=1)
        found.append(_Asking(first + number, question, at, (at - one.records[newest].at) / step))
    return sorted(found, key=lambda asking: (asking.at, asking.place))


def _step(one: Conversation) -> timedelta:
    span = one.records[-1].at - one.records[0].at
    return max(span / _STEPS, timedelta(microseconds=1))


def _ask_conversation(
    memory: Memory,
    one: Conversation,
    first: int,
    seed: int,
    noted: _Found,
) -> None:
    step = _step(one)
    ends = _ends(one)
    told = [replace(record, until=ends.get(record.id)) for record in one.records]
    records = {record.id: record for record in told}
    policies = [name for name in POLICIES if name != "validity" or ends]
    accessed: dict[str, dict[str, datetime]] = {name: {} for name in noted.recall}
    for asking in _askings(one, first, seed):

        def search(k: int, without: Sequence[str] = (), asking: _Asking = asking) -> Recalls:
            return memory.search(
                asking.question.text,
                user=one.user,
                k=k,
                now=asking.at,
                between=(None, asking.at),
                exclude=without,
            )

        plain, deep = search(K), search(_DEPTH)
        noted.take(asking, "off", [each.id for each in plain], accessed["off"])
        for name in policies:
            policy = StalenessPolicy(name=name, unit=step, prune_above=_PRUNE)
            for way in _WAYS:
                label = f"{name}, {way}"
                seen = accessed[label]
                if way == "pruned":
                    there = [record for record in told if record.at < asking.at]
                    stale = policy.prunable(
                        staleness_of(there, policy, asking.at, used=seen, quality=_provenance)
                    )
                    gone = [record.id for record, is_stale in zip(there, stale, strict=True) if is_stale]
                    ids = [each.id for each in search(K, gone)]
                else:
                    found = plain if way == "bounded" else deep
                    these = [records[each.id] for each in found]
                    values_of = staleness_of(these, policy, asking.at, used=seen, quality=_provenance)
                    if way == "bounded":
                        order = bounded_order(values_of, policy.places)
                    else:
                        order = _multiplied(found, values_of)
                    ids = [found[place].id for place in order][:K]
                noted.moved[label] += sum(a != b.id for a, b in zip(ids, plain, strict=False))
                noted.take(asking, label, ids, seen)


def _provenance(record: Record) -> float:
    """Of an assistant's replies half is believed, of what people say themselves all."""
    return provenance_quality(record) * (0.5 if record.speaker == ASSISTANT else 1)


def _ends(one: Conversation) -> dict[str, datetime]:
    """When turns were replaced, by the labels: at the first turn of what stands, if that is later."""
    at = {record.id: record.at for record in one.records}
    ends: dict[str, datetime] = {}
    for question in one.questions:
        standing = [at[id_] for id_ in question.evidence - question.outdated if id_ in at]
        for id_ in question.outdated & at.keys():
            later = [moment for moment in standing if moment > at[id_]]
            if later:
                ends[id_] = min(later + ([ends[id_]] if id_ in ends else []))
    return ends


def _of_update(question: LabelledQuestion, ids: Sequence[str]) -> tuple[float, float, float]:
    """Of `_UPDATES`."""
    standing = question.evidence - question.outdated
    first = next((id_ for id_ in ids if id_ in question.evidence), None)
    return (
        len(standing.intersection(ids)) / len(standing),
        len(question.outdated.intersection(ids)) / len(question.outdated),
        float(first in standing),
    )


def _mean(values: NDArray[np.float64]) -> float | None:
    """Of those asked; `None` without any."""
    asked = values[np.isfinite(values)]
    return float(asked.mean()) if len(asked) else None


def _multiplied(found: Recalls, staleness: NDArray[np.float64]) -> list[int]:
    """Learned scores are logarithms of odds: a factor of 1 - s is a term of its logarithm."""
    scores = np.array([each.score for each in found]) + np.log(np.maximum(1e-12, 1 - staleness))
    return [int(place) for place in np.argsort(-scores, kind="stable")]
