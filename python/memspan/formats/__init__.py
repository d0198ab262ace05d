"""Readers of conversation files: known data sets, chats, and plain records."""

from .detect import FORMATS, detect
from .format import Format
from .read import read_turns
from .turns import Turn

__all__ = ["FORMATS", "Format", "Turn", "detect", "read_turns"]
