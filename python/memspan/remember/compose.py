"""The texts made of a record: what is embedded, what is indexed by words, what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from memspan.records import Record

__all__ = [
    "COMPOSE_VERSION",
    "captions_of",
    "embedded_text",
    "lexical_text",
    "reranked_text",
    "shown_text",
]

COMPOSE_VERSION: Final = 1
"""Changes with the rules below; an index made by other rules is rebuilt.

The rules for the embedded text can change only together with a migration that embeds again."""

# Of the turn before, and of all that a reranker reads of a turn.
_CONTEXT_CHARS: Final = 100
_RERANKED_CHARS: Final = 600

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def captions_of(metadata: Mapping[str, Any]) -> list[str]:
    """Captions of the images that belong to a record: the list of texts under `images` in its metadata.

    Anything else under that name is the caller's own and has no captions.
    """
    captions = metadata.get("images")
    if not isinstance(captions, list) or not all(isinstance(caption, str) for caption in captions):
        return []
    return captions


def shown_text(record: Record) -> str:
    """`text [image: caption]`: the text with what its images show."""
    if "images" not in record.metadata:
        return record.text
    images = [f"[image: {caption}]" for caption in captions_of(record.metadata)]
    return " ".join([record.text, *images] if record.text else images)


def embedded_text(record: Record) -> str:
    """`speaker: text [image: caption]`: questions name people, and turns rarely name their own speaker."""
    shown = shown_text(record)
    return f"{record.speaker}: {shown}" if record.speaker else shown


def lexical_text(record: Record) -> str:
    """`8 May 2023 speaker: text [image: caption]`: a question about a date finds what was said on it.

    The date goes in as words, not through `strftime`, whose month names depend on the process's locale.
    """
    return f"{_date(record)} {embedded_text(record)}"


def reranked_text(record: Record, before: Record | None) -> str:
    """`[8 May 2023] …end of the turn before⏎speaker: text [image: caption]`, cut where it gets long.

    The turn before says what an answer is about; its last words do as well as all of it and cost less, and what follows
    the turn does harm.
    """
    context = f"{embedded_text(before)[-_CONTEXT_CHARS:]}\n" if before is not None else ""
    return f"[{_date(record)}] {context}{embedded_text(record)}"[:_RERANKED_CHARS]


def _date(record: Record) -> str:
    at = record.at
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"
