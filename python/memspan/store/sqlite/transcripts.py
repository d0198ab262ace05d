"""Read the transcripts of agents from a SQLite store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Final

from memspan.records import Record
from memspan.store.transcripts import TranscriptTurn
from memspan.times import now_micros

from .json_texts import each_text, text_at
from .rows import SqliteRows

__all__ = ["SqliteTranscriptReader"]

# Metadata is written without spaces. Other members of these names do no harm: they are read as no action.
_TURNS: Final = (
    "FROM records r LEFT JOIN record_states x ON x.record_pk = r.pk "
    "WHERE r.user_pk = (SELECT pk FROM users WHERE name = :user) AND r.kind = 'episodic' AND r.sources = '[]' "
    'AND (x.retired_at IS NULL OR instr(r.metadata, \'"ended":{"action":"merge"\') > 0) '
    "AND (x.expires_at IS NULL OR x.expires_at > :now) "
)
_CALLS: Final = "instr(r.metadata, '\"actions\":') > 0"
_ACTS: Final = f"({_CALLS} OR instr(r.metadata, '\"outcomes\":') > 0)"


class SqliteTranscriptReader(SqliteRows):
    """`TranscriptReader` on an open transaction.

    Args:
        fetch: gives records of a user by id, as `StoreReader.fetch`.
    """

    def __init__(self, connection: sqlite3.Connection, fetch: Callable[..., dict[str, Record]]) -> None:
        super().__init__(connection)
        self._fetch = fetch

    def turns(self, user: str, chars: int) -> list[TranscriptTurn]:
        """See `TranscriptReader.turns`."""
        named = {"user": user, "now": now_micros(), "chars": chars}
        sessions = [
            session for (session,) in self._all(f"SELECT DISTINCT r.session {_TURNS} AND {_CALLS}", named)
        ]
        if not sessions:
            return []
        rows = self._all(
            "SELECT r.id, r.session, r.at, r.speaker, substr(r.text, 1, :chars), "  # noqa: S608
            f"CASE WHEN {_ACTS} THEN r.metadata END {_TURNS} "
            f"AND (r.session IN (SELECT {each_text(':sessions')} FROM json_each(:sessions) j) "
            "OR (:some AND r.session IS NULL)) "
            "ORDER BY r.at, length(CAST(r.id AS BLOB)), r.id",
            {
                **named,
                "sessions": json.dumps([session for session in sessions if session is not None]),
                "some": None in sessions,
            },
        )
        return [
            TranscriptTurn(id_, session, at, speaker, text, {} if metadata is None else json.loads(metadata))
            for id_, session, at, speaker, text, metadata in rows
        ]

    def procedures(self, user: str) -> list[Record]:
        """See `TranscriptReader.procedures`."""
        rows = self._all(
            "SELECT id FROM records WHERE user_pk = (SELECT pk FROM users WHERE name = :user) "  # noqa: S608
            f"AND kind = 'procedural' AND instr(id, ({text_at('metadata', '$.version_of')}) || '@') IS NOT 1 "
            "ORDER BY id",
            {"user": user},
        )
        return list(self._fetch(user, [id_ for (id_,) in rows]).values())
