"""A few turns whose words make tags and relations."""

from __future__ import annotations

from typing import Any

SAID = [
    "I joined the pottery class near the harbour",
    "The pottery class has a kiln",
    "Our harbour festival was in Bergen",
    "We took the ferry to the harbour of Bergen",
    "My pottery came out of the kiln",
    "A bowl for the festival of pottery",
]


def talk(prefix: str = "m", session: str = "s", **fields: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"{prefix}{i}", "text": text, "speaker": "Ana", "session": session, **fields}
        for i, text in enumerate(SAID)
    ]
