"""From turns to what an agent did in each session, with what came of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import sleep
from typing import Final, NamedTuple

from memspan.actions import Action, Outcome, actions_in, outcomes_in
from memspan.actions.action import Scalar
from memspan.record_order import record_order
from memspan.store.transcripts import TranscriptTurn
from memspan.times import Micros

__all__ = ["Event", "Request", "Transcript", "transcripts_of"]

_PAUSE: Final = 3_600 * 1_000_000
"""Turns without a session that are further apart belong to different ones: an hour."""
_BREATH: Final = 64
_NOT_PEOPLE: Final = frozenset({"assistant", "tool", "function", "system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One step that was taken: a call, or several of one tool in a row, such as one that was tried again."""

    action: str
    arguments: Mapping[str, str]
    """Shape of the last call's arguments."""
    values: Mapping[str, Scalar]
    """Its short values."""
    success: bool | None
    """Whether the last call worked; `None`: nothing was said about it."""
    turns: tuple[str, ...]
    """Ids of the turns that hold calls and results."""
    at: Micros
    """Of the last call."""
    calls: int = 1
    results: str = ""
    """What the tool said to the last call."""


class Request(NamedTuple):
    """What somebody said between steps."""

    before: int
    """Index of the step that came next."""
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session."""

    events: tuple[Event, ...]
    requests: tuple[Request, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the steps, in order."""
        return tuple(event.action for event in self.events)

    def asked(self, place: int) -> Request | None:
        """The last request before a step. O(log requests)."""
        after = bisect_right(self.requests, place, key=lambda one: one.before)
        return self.requests[after - 1] if after else None


def transcripts_of(turns: Iterable[TranscriptTurn]) -> list[Transcript]:
    """The sessions in which something was done, in the order of their first turns; turns come in any order.

    A result belongs to the call whose id it names, else to the oldest call before it, of the same tool if it names one,
    that has none yet. A call of the same id with the same values is the same one, which was loaded twice. O(n log n).
    """
    sessions: dict[tuple[str | None, int], list[TranscriptTurn]] = {}
    part, before = 0, None
    for turn in sorted(turns, key=lambda turn: record_order(turn.at, turn.id)):
        if turn.session is None:
            part += before is not None and turn.at - before > _PAUSE
            before = turn.at
        sessions.setdefault((turn.session, part if turn.session is None else 0), []).append(turn)
    found = (_transcript(own) for own in sessions.values())
    return [transcript for transcript in found if transcript.events]


@dataclass(slots=True)
class _Call:
    """A call whose result may still come."""

    action: Action
    at: Micros
    turns: list[str]
    success: bool | None
    results: list[str] = field(default_factory=list)


class _Waiting:
    """The calls of a session that a result may belong to. O(1) for each, over all of a session."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Call] = {}
        self._nameless: defaultdict[str | None, deque[_Call]] = defaultdict(deque)
        """Without an id, by tool, and all of them: the oldest first, and some that have their result already."""

    def add(self, call: _Call) -> None:
        """A call was made."""
        if call.action.call is not None:
            # The latest: ids come back in other conversations of a session.
            self._by_id[call.action.call] = call
        elif call.success is None:
            for tool in (None, call.action.action):
                self._nameless[tool].append(call)

    def settle(self, outcome: Outcome, turn: TranscriptTurn) -> None:
        """Give a result to its call, if there is one."""
        if outcome.call is not None:
            call = self._by_id.get(outcome.call)
        else:
            calls = self._nameless[outcome.action]
            while calls and calls[0].success is not None:
                calls.popleft()
            call = calls.popleft() if calls else None
        if call is not None:
            call.success = outcome.success
            call.turns.append(turn.id)
            call.results.append(turn.text)


def _transcript(turns: Iterable[TranscriptTurn]) -> Transcript:
    calls: list[_Call] = []
    waiting = _Waiting()
    said: list[tuple[int, TranscriptTurn]] = []
    seen: set[tuple[object, ...]] = set()
    for number, turn in enumerate(turns):
        if number % _BREATH == 0:
            sleep(0)  # Searches of other threads wait for the interpreter no longer than some turns take.
        # Results come before calls: those of a turn answer what was called before it, but for tools that the server of
        # the model runs itself.
        outcomes = outcomes_in(turn.metadata)
        actions = actions_in(turn.metadata)
        own_calls = {action.call for action in actions if action.call is not None}
        for outcome in outcomes:
            if outcome.call not in own_calls:
                waiting.settle(outcome, turn)
        for action in actions:
            own = (action.call, action.action, *sorted(action.values.items()))
            if action.call is None or own not in seen:
                seen.add(own)
                calls.append(_Call(action, turn.at, [turn.id], action.success))
                waiting.add(calls[-1])
        for outcome in outcomes:
            if outcome.call in own_calls:
                waiting.settle(outcome, turn)
        if not actions and not outcomes and turn.text.strip() and turn.speaker not in _NOT_PEOPLE:
            said.append((len(calls), turn))
    spoken = {after for after, _ in said}
    steps: list[list[_Call]] = []
    place_of = [0]
    for call in calls:
        again = steps and steps[-1][0].action.action == call.action.action
        if again and len(place_of) - 1 not in spoken:
            steps[-1].append(call)
        else:
            steps.append([call])
        place_of.append(len(steps))
    requests = tuple(Request(place_of[after], turn.id, turn.text) for after, turn in said)
    return Transcript(tuple(map(_event, steps)), requests)


def _event(calls: Sequence[_Call]) -> Event:
    """One step of calls in a row. O(calls)."""
    last = calls[-1]
    return Event(
        action=last.action.action,
        arguments=next((one.action.arguments for one in reversed(calls) if one.action.arguments), {}),
        values=next((one.action.values for one in reversed(calls) if one.action.values), {}),
        success=last.success,
        turns=tuple(dict.fromkeys(id_ for one in calls for id_ in one.turns)),
        at=last.at,
        calls=len(calls),
        results="\n".join(last.results),
    )
