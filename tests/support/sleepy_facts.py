"""Derived memories of which some say the same, some were overtaken and one ended: what an update in sleep is shown."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memspan import Record

START = datetime(2023, 5, 1, tzinfo=timezone.utc)
FACTS = (
    "Ana drinks green tea in the morning.",
    "ana drinks green tea in the morning",
    "Ana's exam in Porto is on 14 June.",
    "Ana's exam in Porto was moved to 21 June.",
    "Ana lives with her sister Ines.",
    "Ana lives with her sister Ines no longer.",
    "Ana bought a saw.",
)
LEFT = {FACTS[1], FACTS[3], FACTS[5], FACTS[6]}
"""What is true after the update."""


def fact(id: str, text: str, day: int = 0, user: str = "ana") -> Record:
    """A semantic record that recipe `lightmem` made, `day` days after `START`."""
    return Record(
        id=id,
        user=user,
        text=text,
        at=START + timedelta(days=day),
        kind="semantic",
        sources=(f"turn-{id}",),
        metadata={"recipe": "lightmem"},
    )


def facts(user: str = "ana", texts: tuple[str, ...] = FACTS) -> list[Record]:
    """One a day."""
    return [fact(f"f{place}", text, place, user) for place, text in enumerate(texts)]
