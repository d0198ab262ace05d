"""What the replies of models are made of: fields that forgive what does no harm, so that one odd value in a list does
not cost the rest of the reply. What is empty in the end, stages drop and note.
"""

from __future__ import annotations

from typing import Annotated, Any

from memspan.errors import missing_extra
from memspan.half_emoji import without_half_emoji

try:
    from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
except ImportError as error:
    raise missing_extra("pydantic", "a stage that asks a language model", "llm") from error

from .written_numbers import written_numbers

__all__ = ["Field", "Number", "Numbers", "ReplyModel", "Text", "Texts"]


class ReplyModel(BaseModel):
    """Base of the replies; fields that nobody asked for are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return without_half_emoji(value)
    return "" if value is None else str(value) if isinstance(value, (int, float)) else value


def _texts(value: Any) -> Any:
    if value is None:
        return []
    if isinstance(value, str):
        return [without_half_emoji(value)]
    return (
        [without_half_emoji(item) for item in value if isinstance(item, str)]
        if isinstance(value, list)
        else value
    )


def _numbers(value: Any) -> list[int]:
    items = value if isinstance(value, list) else [value]
    return [number for item in items for number in _numbers_in(item)]


def _numbers_in(item: Any) -> list[int]:
    if isinstance(item, bool) or not isinstance(item, (str, int, float)):
        return []
    if isinstance(item, str):
        return written_numbers(item)
    return [int(item)] if abs(item) < 1e9 else []


Text = Annotated[str, BeforeValidator(_text)]
"""Text; nothing is empty text."""
Texts = Annotated[list[str], BeforeValidator(_texts)]
"""A list of texts; what is no text is left out."""
Number = Annotated[int, BeforeValidator(lambda value: next(iter(_numbers(value)), 0))]
"""The first number; 0, which nothing has, when there is none."""
Numbers = Annotated[list[int], BeforeValidator(_numbers)]
"""A list of numbers, also where they are written as text ("turn 3", "1-4"); what holds none is left out."""
