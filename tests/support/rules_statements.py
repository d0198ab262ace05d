"""Rules for `extract`, `extract_personal`, `complete` and `synthesise`: no model, but they read what they are shown."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "complete", "extract", "statement_of", "synthesise"]

_FIRST_PERSON = {
    "i": "{0}",
    "i'm": "{0} is",
    "i've": "{0} has",
    "i'll": "{0} will",
    "my": "{0}'s",
    "me": "{0}",
}
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_LEAST_WORDS = 6


def statement_of(line: dict[str, Any]) -> str:
    """A turn in the third person."""
    speaker = line.get("speaker") or "Somebody"
    words = [_FIRST_PERSON.get(word.lower(), word).replace("{0}", speaker) for word in line["text"].split()]
    text = " ".join(words)
    return text if speaker in text else f"{speaker} said: {text}"


def _statements(asked: Asked, least: int) -> dict[str, Any]:
    start = asked.data["scene"][0]["start"]
    found = []
    now = start
    for line in asked.data["turns"]:
        now = line.get("at", now)
        if "n" not in line or len(line["text"].split()) < least:
            continue
        text = statement_of(line)
        date = _DATE.search(text)
        found.append(
            {
                "content": text,
                "turns": [line["n"]],
                "entities": sorted(set(_NAME.findall(text))),
                "topic": max(text.split(), key=len).strip(".,!?").lower(),
                "timestamp": date[0] if date else now,
                "salience": "high" if date else "medium",
            }
        )
    return {"statements": found}


def extract(asked: Asked) -> dict[str, Any]:
    """One statement for each numbered turn of six words or more."""
    return _statements(asked, _LEAST_WORDS)


def complete(asked: Asked) -> dict[str, Any]:
    """One statement for each numbered turn of three words or more."""
    return _statements(asked, 3)


def synthesise(asked: Asked) -> dict[str, Any]:
    """Statements with the same topic, joined by semicolons."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for line in asked.data["statements"]:
        if line.get("topic"):
            groups.setdefault(line["topic"], []).append(line)
    units = [
        {
            "content": "; ".join(line["statement"].rstrip(".") for line in group) + ".",
            "members": [line["n"] for line in group],
            "topic": topic,
        }
        for topic, group in groups.items()
        if len(group) > 1
    ]
    return {"units": units}


RULES = {"extract": extract, "extract_personal": extract, "complete": complete, "synthesise": synthesise}
