"""`Prompt`: what a model is asked, with the version that its answers are kept under."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Prompt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One request: instructions of ours, and data that is quoted and never instructs."""

    name: str
    """Of the template, such as `extract`."""
    version: int
    """Grows with every change of the template; derived records say which one made them."""
    system: str
    """Instructions; no word of a memory."""
    user: str
    """The data, between delimiters that it cannot contain."""
