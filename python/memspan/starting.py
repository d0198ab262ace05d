"""Ctrl-C while the modules of the `memspan` command are read, which takes some tenths of a second.

Nothing has been begun then, so that the process may end on the spot: an exception would show where in which module the
reading was, and in a native one become an `ImportError`. Reading this module begins it, as most of that time goes
into reading the package, which comes before everything else of the command.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Final

__all__ = ["end_at_ctrl_c", "raise_at_ctrl_c"]

_INTERRUPTED: Final = 130
"""`memspan.cli.status.ExitStatus.INTERRUPTED`, without reading what that needs."""


def end_at_ctrl_c() -> None:
    """From now on Ctrl-C ends the process, if it is the command's and has no handler of its own."""
    if _is_the_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_at_ctrl_c() -> None:
    """From now on Ctrl-C raises `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_the_command() -> bool:
    started = sys.argv[0] if sys.argv else ""
    if started == "-m":  # which module it is stands there when this package has been read
        return "memspan" in sys.orig_argv
    return os.path.basename(started) == "memspan" or started.endswith(os.path.join("memspan", "__main__.py"))


def _end(number: int, frame: FrameType | None) -> None:
    os.write(2, b"Error: interrupted\n")
    os._exit(_INTERRUPTED)


end_at_ctrl_c()
