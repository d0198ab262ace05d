"""What a store holds of records besides their rows, and what forgetting needs to find."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memspan.times import Interval

__all__ = ["Chosen", "TraceReader", "TraceWriter", "ended_by", "without_names"]


class Chosen(NamedTuple):
    """Which records of a user are meant; `None` for any, and all that is given has to hold."""

    ids: Sequence[str] | None = None
    source: str | None = None
    """Their provenance, or an id among their sources."""
    session: str | None = None
    between: Sequence[Interval] | None = None
    """Of `at`."""
    kinds: Sequence[str] | None = None


def without_names(metadata: Mapping[str, Any], gone: Collection[str]) -> dict[str, Any] | None:
    """A record's metadata without the ids of others that are said to have ended it, or to be replaced by it; `None`:
    it names none of them. Values of another form are a caller's own."""
    changed = dict(metadata)
    ended = metadata.get("ended")
    if isinstance(ended, dict) and _names(ended.get("by"), gone):
        changed["ended"] = {**ended, "by": [id_ for id_ in ended["by"] if id_ not in gone]}
    if _names(metadata.get("replaces"), gone):
        changed["replaces"] = [id_ for id_ in metadata["replaces"] if id_ not in gone]
    return None if changed == metadata else changed


def ended_by(metadata: Mapping[str, Any]) -> list[str]:
    """The ids of others that are said to have ended a record."""
    ended = metadata.get("ended")
    by = ended.get("by") if isinstance(ended, dict) else None
    return [id_ for id_ in by if isinstance(id_, str)] if isinstance(by, list) else []


def _names(value: Any, gone: Collection[str]) -> bool:
    return isinstance(value, list) and any(isinstance(id_, str) and id_ in gone for id_ in value)


class TraceReader(Protocol):
    """Records and what is in the cold tier, as one. `ids` are always those of one user."""

    def chosen(self, user: str, wanted: Chosen) -> set[str]:
        """Ids of the records that are meant, of those in the cold tier too. Linear in the user's records, but for
        ids."""

    def present(self, user: str, ids: Collection[str]) -> set[str]:
        """Those that there are, as a record or in the cold tier."""

    def count(self, user: str) -> int:
        """How many records the user has, those in the cold tier included. O(records of the user)."""

    def versions(self, user: str, ids: Collection[str]) -> set[str]:
        """Ids of the older versions of these records."""

    def bases(self, user: str, ids: Collection[str]) -> dict[str, str]:
        """The record that each is an older version of, by id; others are left out."""

    def derived(self, user: str, ids: Collection[str], but: Collection[str] = ()) -> set[str]:
        """Ids of what was derived from these, directly or through others, with what is in the cold tier; without
        these, and without those of `but` and what was derived through them alone."""

    def mentioning(self, user: str, ids: Collection[str]) -> set[str]:
        """Ids of the records whose end is said to be because of these."""

    def ended_for(self, user: str, ids: Collection[str]) -> set[str]:
        """Ids of records that are said to have ended because of these, or were, with those in the cold tier."""

    def enders(self, user: str, ids: Collection[str]) -> set[str]:
        """Ids of what is said to have ended these records, or was: it need not be there any more."""

    def held(self, user: str, ids: Collection[str] | None = None) -> int:
        """How many of these, or of all the user's records, are held, those in the cold tier included."""

    def held_ids(self, user: str) -> set[str]:
        """Those that are held. O(records with a state, and records in the cold tier)."""

    def dangling(self) -> list[tuple[str, str, str]]:
        """Tables, users and ids of secrets and resources without a record; empty when sound."""

    def outlives(self, user: str) -> bool:
        """Whether there is something of the user besides records: cold copies, quotas or lifetimes."""


class TraceWriter(TraceReader, Protocol):
    """Erases inside the one exclusive transaction."""

    def erase(self, user: str, ids: Collection[str], replacing: Collection[str] = ()) -> None:
        """Take every trace of these out of all tables but `records` and those of jobs: cold copies, uses, what a run
        could undo, secrets, resources, and who is said to have ended what, or to be in whose place.

        Args:
            replacing: ids of what took their place.
        """

    def erase_user(self, user: str) -> None:
        """Take out what does not go with the user's row."""
