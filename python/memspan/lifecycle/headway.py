"""How far a consolidation with a limit of time got, kept in the store, so that the next one goes on."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

from memspan.remember.engine import Engine

__all__ = ["Headway"]

_WHOLE: Final = "whole"
"""The step that stands for all of a user's steps."""


class Headway:
    """The steps that were done. Erasing and quotas need nothing here: what they did is not there to be done again.

    It is kept until the consolidation came to its end, or one of other settings began. It names no record but the last
    one that was `looked` at, which the store keeps apart, and lets go with the record.

    Args:
        user: `None` for a consolidation of all users.
        settings: what decides which steps there are, as JSON gives it back.
        limited: whether to go on where another one ended; otherwise all steps are to be done.
    """

    def __init__(self, engine: Engine, user: str | None, settings: Mapping[str, Any], limited: bool) -> None:
        self._engine = engine
        self._user = user
        self._limited = limited
        kept = self._kept(user) if limited else {}
        if kept.get("settings") != settings:
            kept = {"settings": settings, "round": secrets.token_hex(8), "done": []}
        self._own: dict[str, Any] = kept
        self._users: dict[str, dict[str, Any]] = {}

    def of(self, user: str) -> dict[str, Any]:
        """What is kept of a user's steps: the names of those that are `done`, and what they left here themselves."""
        if user == self._user:
            return self._own
        if user not in self._users:
            kept = self._kept(user) if self._limited else {}
            mine = kept.get("round") == self._own["round"]
            self._users[user] = kept if mine else {"round": self._own["round"], "done": []}
        return self._users[user]

    def is_done(self, step: str = _WHOLE, user: str | None = None) -> bool:
        """Whether a step, of one user or of all together, need not be done any more."""
        return step in (self._own if user is None else self.of(user))["done"]

    def did(self, step: str = _WHOLE, user: str | None = None) -> None:
        """A step is done."""
        (self._own if user is None else self.of(user))["done"].append(step)

    def keep(self, *, finished: bool) -> None:
        """Write it down for the next one, or drop it when there is nothing left to do."""
        if finished:
            with self._engine.store.reading() as reader:
                if reader.upkeep(self._user) is None:
                    return
            with self._engine.store.writing() as writer:
                writer.set_upkeep(self._user, None)
        elif self._limited:
            with self._engine.store.writing() as writer:
                for user, steps in [(self._user, self._own), *self._users.items()]:
                    looked = steps.get("looked")
                    state = json.dumps({key: value for key, value in steps.items() if key != "looked"})
                    if state != writer.upkeep(user):
                        writer.set_upkeep(user, state)
                    if user is not None and looked is not None and looked != writer.looked(user):
                        writer.set_looked(user, looked)

    def _kept(self, user: str | None) -> dict[str, Any]:
        with self._engine.store.reading() as reader:
            kept = reader.upkeep(user)
            found: dict[str, Any] = {} if kept is None else json.loads(kept)
            if user is not None and "now" in found and _WHOLE not in found["done"]:
                found["looked"] = reader.looked(user)
        return found
