"""The user's own folders, such as those for data and for what can be made again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

__all__ = ["user_folder"]


def user_folder(find: Callable[..., str]) -> Path | None:
    """What a function of `platformdirs` names for memspan; `None` where no home directory is known, as in a container
    that runs under a number alone."""
    try:
        folder = Path(find("memspan", appauthor=False))
    except RuntimeError:
        return None
    # Versions of platformdirs that do not raise leave the `~` as it is.
    return None if folder.parts[:1] == ("~",) else folder
