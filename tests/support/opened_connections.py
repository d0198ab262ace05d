"""All connections that stores open during a test."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from memspan.store.sqlite import pool


def prepare_each_connection(
    monkeypatch: pytest.MonkeyPatch, prepare: Callable[[sqlite3.Connection], object]
) -> None:
    """Have every connection that is opened from now on prepared, such as for being listened to."""
    connect = pool.connect

    def prepared(*arguments: Any) -> sqlite3.Connection:
        connection = connect(*arguments)
        prepare(connection)
        return connection

    monkeypatch.setattr(pool, "connect", prepared)
