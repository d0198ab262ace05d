"""What the journal of consolidations needs from a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memspan.reports.run_info import Run
from memspan.times import Micros

__all__ = ["RunChange", "RunReader", "RunWriter"]


class RunChange(NamedTuple):
    """What one record was before a run, and what the run made of it."""

    record: str
    """Its id."""
    before: str | None
    """The record as JSON; `None` when there was none."""
    embedding: bytes | None
    """Kept for what cannot be embedded again; the runs that there are keep none."""
    after: str | None
    """The fingerprint of what the run made of it; `None` when it took the record out."""


class RunReader(Protocol):
    """The journal in one consistent view."""

    def runs(self, user: str | None = None, id: str | None = None) -> list[Run]:
        """The latest first."""

    def last(self, user: str, action: str) -> Run | None:
        """The latest run that has ended, whether it was undone or not."""

    def reports(self, user: str, action: str) -> Iterator[Mapping[str, Any]]:
        """What the runs of an action say of themselves, the latest first; read as far as they are asked for."""

    def changes(self, id: str, records: Sequence[str] | None = None) -> list[RunChange]:
        """Of a run, or of these of its records, in the order in which they were made."""

    def touched(self, id: str) -> list[str]:
        """The records that a run changed, in the order of their last changes."""

    def changes_of(self, user: str, ids: Sequence[str]) -> list[tuple[str, RunChange]]:
        """Those of some records in all runs, with the id of the run."""


class RunWriter(RunReader, Protocol):
    """Changes of the journal inside the one exclusive transaction. None of them advances the change counter."""

    def begin(self, user: str, id: str, action: str, now: Micros) -> None:
        """Enter a run that is under way; nothing if it is there, or if there is no such user."""

    def note(self, id: str, changes: Sequence[RunChange]) -> bool:
        """Append to a run, in the transaction that makes these changes. False: the run is not under way any more."""

    def end(self, id: str, report: str, now: Micros) -> None:
        """The run is done. Older runs of the user and action that changed nothing vanish, but for the last one with
        each `merging` in its report, from which later ones go on."""

    def undone(self, id: str, now: Micros, removed: Sequence[str] = ()) -> None:
        """The run is undone, and records that it made are gone: what later ones, undone before, keep of these is
        erased. Of what others were it keeps no tags and entities, which may come from memories that are forgotten."""

    def rewrite(self, user: str, id: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """Put values in the place of others in what runs keep of a record."""

    def forget(self, user: str, ids: Sequence[str]) -> None:
        """Erase what runs keep of records."""
