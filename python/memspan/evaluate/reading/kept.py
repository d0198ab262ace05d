"""What models said, kept on disk as it comes, so that an interrupted evaluation pays for nothing twice."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from memspan.llm import Prompt

__all__ = ["Kept", "key_of"]


def key_of(model: str, address: str, prompt: Prompt) -> str:
    """Of a model's reply: another model, server or prompt, and with it other memories, are another reply."""
    parts = [model, address, prompt.name, prompt.version, prompt.system, prompt.user]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Kept:
    """A file of JSON lines, one a reply, readable by its owner only; the last line of a key counts.

    Every line is written at once. One which an interruption or a full disk cut off is passed over, and asked for again;
    what comes after it begins a line of its own. Not for several processes at once: each would ask for itself, which
    costs and harms nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, Any] = {}
        data = path.read_bytes() if path.exists() else b""
        self._torn = not data.endswith(b"\n") and data != b""
        for line in data.split(b"\n"):
            self._read(line)

    def _read(self, line: bytes) -> None:
        if not line:
            return
        try:
            entry = json.loads(line)
            self._found[entry["key"]] = entry["value"]
        except (ValueError, KeyError, TypeError):
            return

    def get(self, key: str) -> Any:
        """The JSON value kept under `key`, or `None`."""
        return self._found.get(key)

    def put(self, key: str, value: Any) -> None:
        """Keep a value; it is with the operating system when this returns."""
        line = json.dumps({"key": key, "value": value}).encode() + b"\n"
        rest = b"\n" + line if self._torn else line
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._torn = True
        try:
            while rest:  # a disk that is nearly full takes a part, and says how much
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)
        self._torn = False
        self._found[key] = value
