"""Transcripts of an agent that follows planted procedures, with other things in between, failures and retries."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

__all__ = ["Plant", "Planted", "planted"]

_VERBS = (
    "find",
    "open",
    "check",
    "update",
    "send",
    "create",
    "cancel",
    "list",
    "fetch",
    "merge",
    "verify",
    "close",
)
_NOUNS = ("order", "ticket", "invoice", "branch", "report", "room", "flight", "account", "server", "form")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """What is planted, and what hides it."""

    procedures: int = 8
    shortest: int = 3
    longest: int = 6
    sessions: int = 60
    most_in_session: int = 3
    """Runs in a session, one at least."""
    shared: float = 0.25
    """Share of steps whose action several procedures have."""
    noise: float = 0.2
    """Chance of an unrelated action before each step; outside of runs three times as much."""
    failures: float = 0.1
    """Chance that a run stops at a step that failed, from the second one on."""
    retries: float = 0.1
    """Chance that a step is tried twice."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Planted:
    """Transcripts, and what is hidden in them."""

    procedures: tuple[tuple[str, ...], ...]
    sessions: tuple[list[dict[str, Any]], ...]
    """Messages as OpenAI's interface has them."""
    worked: tuple[int, ...]
    """Runs of each procedure that were completed."""
    failed: tuple[int, ...]


def planted(plant: Plant) -> Planted:
    """The transcripts of a plant; the same ones for the same plant."""
    dice = random.Random(plant.seed)
    names = [f"{verb}_{noun}" for verb in _VERBS for noun in _NOUNS]
    dice.shuffle(names)
    shared, own, other = names[:6], names[6:60], names[60:90]
    # Some things are done often and most rarely, as it is everywhere.
    weights = [1 / (rank + 1) for rank in range(len(other))]
    procedures: list[tuple[str, ...]] = []
    while len(procedures) < plant.procedures:
        length = dice.randint(plant.shortest, plant.longest)
        steps = [dice.choice(shared) if dice.random() < plant.shared else own.pop() for _ in range(length)]
        if len(set(steps)) == length and tuple(steps) not in procedures:
            procedures.append(tuple(steps))
    worked, failed = [0] * len(procedures), [0] * len(procedures)
    sessions = []
    for number in range(plant.sessions):
        session = _Session(dice, number)

        def chatter(times: int, session: _Session = session) -> None:
            for _ in range(times):
                if dice.random() < plant.noise:
                    session.call(dice.choices(other, weights)[0])

        for _ in range(dice.randint(1, plant.most_in_session)):
            chatter(6)
            which = dice.randrange(len(procedures))
            steps = procedures[which]
            session.say(f"Please do the {steps[-1].replace('_', ' ')} for customer {dice.randint(100, 999)}.")
            stop = dice.randrange(1, len(steps)) if dice.random() < plant.failures else None
            for place, step in enumerate(steps):
                if place:
                    chatter(1)
                if dice.random() < plant.retries:
                    session.call(step, works=False)
                session.call(step, works=place != stop)
                if place == stop:
                    break
            worked[which] += stop is None
            failed[which] += stop is not None
        chatter(6)
        sessions.append(session.messages)
    return Planted(tuple(procedures), tuple(sessions), tuple(worked), tuple(failed))


class _Session:
    def __init__(self, dice: random.Random, number: int) -> None:
        self._dice = dice
        self._number = number
        self.messages: list[dict[str, Any]] = []
        self._calls = 0

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def call(self, name: str, *, works: bool = True) -> None:
        self._calls += 1
        call = f"c{self._number}-{self._calls}"
        arguments = f'{{"id": {self._dice.randint(1, 10_000)}, "region": "eu"}}'
        function = {"name": name, "arguments": arguments}
        self.messages.append(
            {"role": "assistant", "content": None, "tool_calls": [{"id": call, "function": function}]}
        )
        content = '{"ok": true}' if works else "Error: it did not work"
        self.messages.append({"role": "tool", "tool_call_id": call, "content": content})
