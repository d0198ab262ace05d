"""A conversation between two invented friends and six questions about it, for `memspan demo` and tests."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

__all__ = ["USER", "Question", "conversation", "questions"]

USER = "demo"
"""The user whose memory the conversation is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question whose answer stands in known turns."""

    kind: str
    """What makes it hard: a single fact, a date, a plan that changed, ..."""
    question: str
    evidence: tuple[str, ...]
    """Ids of the turns that together hold the answer."""
    answer: str
    """The answer, written by hand; nothing here is generated."""
    superseded: tuple[str, ...] = ()
    """Ids of turns that hold an earlier state of the answer."""


def conversation() -> AbstractContextManager[Path]:
    """The conversation as a JSON Lines file, which is there while the context is open."""
    return as_file(files(__name__) / "conversation.jsonl")


def questions() -> list[Question]:
    """The questions, in the order in which they are asked."""
    documents = json.loads((files(__name__) / "questions.json").read_text(encoding="utf-8"))
    return [
        Question(
            kind=document["kind"],
            question=document["question"],
            evidence=tuple(document["evidence"]),
            answer=document["answer"],
            superseded=tuple(document.get("superseded", ())),
        )
        for document in documents
    ]
