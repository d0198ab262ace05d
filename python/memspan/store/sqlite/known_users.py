"""Keys of users, kept from one transaction to the next."""

from __future__ import annotations

from typing import Final

from .rows import SqliteRows
from .writer_state import WriterState

__all__ = ["KnownUsers"]

_MANY_USERS: Final = 4096
"""Users whose keys are kept."""


class KnownUsers(SqliteRows):
    """Rows on an open exclusive transaction, which asks for the key of each user once."""

    _state: WriterState

    def _user_pk(self, user: str) -> int | None:
        pk = self._state.user_pks.get(user)
        if pk is None and (pk := super()._user_pk(user)) is not None:
            self._keep_user(user, pk)
        return pk

    def _keep_user(self, user: str, pk: int) -> None:
        if len(self._state.user_pks) >= _MANY_USERS:
            self._state.user_pks.clear()
        self._state.user_pks[user] = pk
