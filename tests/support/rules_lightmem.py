"""Rules for `summarise` and `update`: no model, but they read what they are shown."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "rewrite", "summarise", "update"]

_LEAST_WORDS = 4
_MOVED = re.compile(r"\b(moved|postponed|instead)\b")
_OVER = re.compile(r"\b(no longer|any more|anymore)\b")
_WORD = re.compile(r"\w+")


def summarise(asked: Asked) -> dict[str, Any]:
    """For each segment its turns of four words or more, two to an entry; the topic is its longest word."""
    segments = []
    for number in dict.fromkeys(line["segment"] for line in asked.data["turns"]):
        lines = [line for line in asked.data["turns"] if line["segment"] == number]
        told = [line for line in lines if len(line["text"].split()) >= _LEAST_WORDS]
        words = [word.strip(".,!?").lower() for line in lines for word in line["text"].split()]
        pairs = [told[start : start + 2] for start in range(0, len(told), 2)]
        entries = [
            {
                "content": " ".join(_told(line) for line in pair),
                "turns": [line["n"] for line in pair],
                "entities": sorted({line["speaker"] for line in pair if line.get("speaker")}),
                "timestamp": "",
            }
            for pair in pairs
        ]
        segments.append({"segment": number, "topic": max(words, key=len, default=""), "entries": entries})
    return {"segments": segments}


def update(asked: Asked) -> dict[str, Any]:
    """Merge what has the same words, retire or update what a later memory says has ended or moved, else keep."""
    (memory,) = asked.data["memory"]
    own = _words(memory["text"])
    for line in asked.data["later"]:
        text = line["text"]
        if _words(text) == own:
            return {"action": "merge", "later": [line["n"]], "content": text}
        if _OVER.search(text):
            return {"action": "retire", "later": [line["n"]], "content": ""}
        if _MOVED.search(text):
            return {"action": "update", "later": [line["n"]], "content": text}
    return {"action": "keep", "later": [], "content": ""}


def rewrite(asked: Asked) -> dict[str, Any]:
    """As `update`, but with words of its own for what has moved."""
    reply = update(asked)
    if reply["action"] != "update":
        return reply
    if _OWN in asked.data["memory"][0]["text"]:
        return {"action": "keep", "later": [], "content": ""}
    said = asked.data["later"][reply["later"][0] - 1]["text"]
    return {**reply, "content": said if _OWN in said else f"{said} {_OWN}"}


def _told(line: dict[str, Any]) -> str:
    return f"{line.get('speaker') or 'Somebody'} said: {line['text']}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


_OWN = "That is how it is now."
RULES = {"summarise": summarise, "update": update}
