"""`UnusableReply`: why a reply cannot be used."""

from __future__ import annotations

from typing import Final

__all__ = ["UnusableReply"]

_REASON: Final = 300


class UnusableReply(Exception):  # noqa: N818 - not an error yet: the model is asked to correct it
    """What a model wrote is not the object that was asked for.

    Attributes:
        cut: it ends in the middle of its JSON.
    """

    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason[:_REASON])
        self.cut = cut
