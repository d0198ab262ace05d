"""Where a file may be put."""

from __future__ import annotations

import os
import stat
from typing import Any

from memspan.arguments import as_path
from memspan.errors import invalid

__all__ = ["as_target"]


def as_target(value: Any, argument: str) -> bytes:
    """A path under which a file may be put: a pipe or a device, even one that a link leads to, is no file to replace. A
    folder passes: the system's own error tells of it."""
    path = as_path(value, argument)
    try:
        mode = os.stat(path).st_mode
    except OSError:  # nothing is there; what else is the matter shows when the file is written
        return path
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise invalid(argument, value, "a path where a regular file is, or nothing")
    return path
