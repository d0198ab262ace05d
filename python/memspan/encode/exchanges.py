"""Turns in the units that topics are made of: what a person said, with the assistant's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memspan.recall.words import word_set

from .values import Turn

__all__ = ["Exchange", "exchanges_of"]

_ASSISTANTS: Final = word_set("assistant ai bot model chatbot agent system tool")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Turns that stay together."""

    turns: tuple[Turn, ...]
    text: str
    """What the topic is told by: the words of the person."""


def exchanges_of(turns: Sequence[Turn]) -> list[Exchange]:
    """The turns of a dialogue in order, each assistant's turn with what it answers.

    Only what the user says tells the topic: it is shorter, and the answer keeps to it (LightMem C.1). Between people
    there is no such difference, and each turn is a unit of its own. So are turns of an assistant who speaks first.
    """
    found: list[list[Turn]] = []
    for turn in turns:
        if found and _is_assistant(turn) and not _is_assistant(found[-1][0]):
            found[-1].append(turn)
        else:
            found.append([turn])
    return [Exchange(tuple(group), group[0].text) for group in found]


def _is_assistant(turn: Turn) -> bool:
    return turn.speaker is not None and turn.speaker.strip().casefold() in _ASSISTANTS
