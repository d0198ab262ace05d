"""Cut a text to what a model of unknown tokens takes."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["cut"]

_FROM: Final = np.array([0x0530, 0x0800, 0x10000], dtype=np.uint32)
"""The first signs of Armenian, Hebrew and Arabic; of India, Thailand, China, Japan and Korea; of emoji."""
_WORTH: Final = np.array([1, 2, 3, 6])
"""What a sign before the first of these counts for, and from each of them on: in characters of a text in English, of
which a token has four. A tokenizer makes a token or more of a sign that is rare, as many as it has bytes at most."""


def cut(text: str, most: int) -> str:
    """The beginning of a text: at most so many characters, where those of scripts that take a token or more for each
    count for several. O(most)."""
    text = text[:most]
    if text.isascii() or len(text) * int(_WORTH[-1]) <= most:
        return text
    signs = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    worth = np.cumsum(_WORTH[np.searchsorted(_FROM, signs, side="right")])
    return text[: int(np.searchsorted(worth, most, side="right"))]
