"""`find_patterns`: sequences that come back with few other things between, more often than by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from memspan.arguments import as_integer, as_number

from .significance import binomial_tail, chance_within

__all__ = ["Mining", "Occurrence", "Pattern", "find_patterns"]

_Actions: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mining:
    """What makes a sequence of actions a procedure."""

    least: int = 3
    """Runs, without overlap, in all sessions together."""
    gap: int = 1
    """Other actions that may come between two steps."""
    longest: int = 12
    """Most steps; the fewest are two."""
    certain: float = 0.75
    """A step belongs to the ones before it when it follows them in this share of the cases, or else when all of the
    next three hold."""
    share: float = 0.15
    """It follows them in this share of the cases ..."""
    lift: float = 3.0
    """... and so many times as often as a step of its frequency would by chance, or, where that does so often anyway,
    at least halfway from there to always ..."""
    chance: float = 0.001
    """... and so often as it would in one of a thousand random transcripts."""
    effort: int = 20_000
    """Sequences that are looked at, so that no transcript takes for ever."""

    def __post_init__(self) -> None:
        as_integer(self.least, "least", 2, 1_000_000)
        as_integer(self.gap, "gap", 0, 10)
        as_integer(self.longest, "longest", 2, 50)
        as_number(self.certain, "certain", 0, 1)
        as_number(self.share, "share", 0, 1)
        as_number(self.lift, "lift", 1, 1_000)
        as_number(self.chance, "chance", 0, 1)
        as_integer(self.effort, "effort", 1, 10_000_000)


class Occurrence(NamedTuple):
    """One run of a pattern."""

    sequence: int
    places: tuple[int, ...]
    """Of its steps, ascending."""


class Pattern(NamedTuple):
    """A sequence of actions with its runs, none of which shares a step with another one or with one of another
    pattern."""

    actions: _Actions
    runs: tuple[Occurrence, ...]
    broken: tuple[Occurrence, ...]
    """Beginnings of two steps at least whose last one failed, and that went no further."""


def find_patterns(
    sequences: Sequence[Sequence[str]],
    settings: Mining | None = None,
    *,
    failed: Sequence[Sequence[bool]] | None = None,
) -> list[Pattern]:
    """Closed frequent n-grams with gaps, each step of which is tied to the others.

    Sequences grow to the right, as in PrefixSpan (Pei et al. 2001), within the gap. A step is taken on when it
    follows what is before it nearly always, or significantly more often than its frequency in those sequences lets
    expect (binomial); so is the first step, seen from those after it. What grows without losing a run is not closed
    and only seen through; from the longest pattern to the shortest, each takes the runs that no longer one has, and
    one with too few of them left is dropped. The same action comes twice at most, and the first one once, so that
    what goes on in circles is one round of it.

    Args:
        sequences: the actions of each session.
        failed: whether each of these actions failed; nothing did, if it is not given.

    Returns:
        Longest first. O(effort x occurrences) at most; in practice linear in the events.
    """
    chosen = settings or Mining()
    search = _Search(sequences, chosen)
    closed = sorted(search.closed(), key=lambda pair: (-len(pair[0]), -search.support(pair[1]), pair[0]))
    taken: list[set[int]] = [set() for _ in sequences]
    found = []
    for actions, occurrences in closed:
        runs = _disjoint(one for one in occurrences if taken[one.sequence].isdisjoint(one.places))
        if len(runs) < max(chosen.least, _REST * search.support(occurrences)):
            continue
        _take(taken, runs)
        broken: list[Occurrence] = []
        if failed is not None:
            for length in range(len(actions) - 1, 1, -1):
                stopped = _disjoint(
                    one
                    for one in search.occurrences(actions[:length])
                    if failed[one.sequence][one.places[-1]] and taken[one.sequence].isdisjoint(one.places)
                )
                _take(taken, stopped)
                broken += stopped
        found.append(Pattern(actions, tuple(runs), tuple(broken)))
    return found


def _take(taken: list[set[int]], runs: Iterable[Occurrence]) -> None:
    for run in runs:
        taken[run.sequence].update(run.places)


def _disjoint(occurrences: Iterable[Occurrence]) -> list[Occurrence]:
    """As many as can be without overlap: always the next one that ends first."""
    chosen: list[Occurrence] = []
    for one in sorted(occurrences, key=lambda one: (one.sequence, one.places[-1], -one.places[0])):
        if not chosen or chosen[-1].sequence != one.sequence or chosen[-1].places[-1] < one.places[0]:
            chosen.append(one)
    return chosen


_MOST_OF_ONE: Final = 2
_REST: Final = 0.25
"""Of the runs of a pattern: with fewer left by longer ones, it is only what these are when something is missing."""


class _Search:
    """Pattern growth over some sequences; keeps what it found of each pattern."""

    def __init__(self, sequences: Sequence[Sequence[str]], settings: Mining) -> None:
        self._sequences = sequences
        self._settings = settings
        self._counts = [Counter(sequence) for sequence in sequences]
        self._known: dict[_Actions, list[Occurrence]] = {}
        for number, sequence in enumerate(sequences):
            for place, action in enumerate(sequence):
                self._known.setdefault((action,), []).append(Occurrence(number, (place,)))
        self._left = settings.effort

    def occurrences(self, actions: _Actions) -> list[Occurrence]:
        """One for each pair of a first and a last place."""
        if actions not in self._known:
            if len(actions) == 1:
                return []
            before = self.occurrences(actions[:-1])
            self._known[actions] = self._extended(before).get(actions[-1], [])
        return self._known[actions]

    @staticmethod
    def support(occurrences: Iterable[Occurrence]) -> int:
        """How many there are without overlap."""
        return len(_disjoint(occurrences))

    def closed(self) -> Iterator[tuple[_Actions, list[Occurrence]]]:
        """Patterns of two steps or more that no further step continues in all of their runs."""
        single: list[_Actions] = [actions for actions in self._known if len(actions) == 1]
        supports = {actions: self.support(self._known[actions]) for actions in single}
        stack = sorted(
            (actions for actions in single if supports[actions] >= self._settings.least),
            key=lambda actions: (supports[actions], actions),
        )
        while stack and self._left > 0:
            self._left -= 1
            actions = stack.pop()
            occurrences = self._known[actions]
            support = self.support(occurrences)
            grown = self._grown(actions, occurrences, support)
            always = [(one, found) for one, found in grown if self.support(found) == support]
            if always:
                # Whatever else may follow comes before or after this step: growing by the nearest one loses nothing.
                nearest = min(always, key=lambda pair: (_distance(pair[1]), pair[0]))
                stack.append(nearest[0])
                continue
            stack += [one for one, _ in grown]
            if len(actions) > 1 and self._begins(actions, support):
                yield actions, occurrences

    def _grown(
        self, actions: _Actions, occurrences: list[Occurrence], support: int
    ) -> list[tuple[_Actions, list[Occurrence]]]:
        if len(actions) == self._settings.longest:
            return []
        found = []
        within = {one.sequence for one in occurrences}
        for action, longer in sorted(self._extended(occurrences).items()):
            if action == actions[0] or actions.count(action) == _MOST_OF_ONE:
                continue
            grown = (*actions, action)
            if self._belongs(action, self.support(longer), support, within):
                self._known[grown] = longer
                found.append((grown, longer))
        return found

    def _begins(self, actions: _Actions, support: int) -> bool:
        """Whether the first step belongs to the rest."""
        rest = self.occurrences(actions[1:])
        return self._belongs(actions[0], support, self.support(rest), {one.sequence for one in rest})

    def _belongs(self, action: str, together: int, alone: int, within: set[int]) -> bool:
        if together < self._settings.least:
            return False
        if together >= self._settings.certain * alone:
            return True
        if together < self._settings.share * alone:
            return False
        count = sum(self._counts[number][action] for number in within)
        total = sum(len(self._sequences[number]) for number in within)
        chance = chance_within(count, total, self._settings.gap + 1)
        if together < min(self._settings.lift * chance, (1.0 + chance) / 2.0) * alone:
            return False
        return binomial_tail(together, alone, chance) <= self._settings.chance

    def _extended(self, occurrences: Iterable[Occurrence]) -> dict[str, list[Occurrence]]:
        """By the next action; of occurrences with the same ends the first."""
        found: dict[str, dict[tuple[int, int, int], Occurrence]] = {}
        for number, places in occurrences:
            sequence = self._sequences[number]
            last = places[-1]
            for place in range(last + 1, min(last + 2 + self._settings.gap, len(sequence))):
                ends = (number, places[0], place)
                found.setdefault(sequence[place], {}).setdefault(ends, Occurrence(number, (*places, place)))
        return {action: list(by_ends.values()) for action, by_ends in found.items()}


def _distance(occurrences: Sequence[Occurrence]) -> float:
    return sum(one.places[-1] - one.places[-2] for one in occurrences) / len(occurrences)
