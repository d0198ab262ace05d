"""The calls of `Memory` about what was believed when, and how long it is kept."""

from __future__ import annotations

from collections.abc import Sequence

from memspan.lifetimes import TimeToLive, to_seconds
from memspan.remember.asynchronous import in_thread
from memspan.remember.endings.history import history
from memspan.remember.endings.lifetimes import lifetimes_of, set_lifetime
from memspan.remember.endings.retiring import retire, supersede
from memspan.remember.input.fields import checked_kind, checked_name
from memspan.reports.history import History
from memspan.times import TimeLike, from_micros, to_likely_micros

from .base import Calls

__all__ = ["HistoryCalls"]


class HistoryCalls(Calls):
    """See `Memory`."""

    def history(self, *, user: str, id: str) -> History | None:
        """What a record said before it was overwritten, what it took the place of, and what took its place.

        A record that `add` overwrites with other words stays as a version, with an id of its own
        (`<id>@<recorded_at in microseconds>`); searches find it with `as_of`. What sleep, `supersede` or `retire` end
        stays too. What made room for others since is read from the cold tier (`Belief.evicted_at`). Records of the
        vault keep no versions.

        Args:
            id: of a record, or of a version of one.

        Returns:
            The beliefs, each as it read then (what `compress` shortened as it reads now; see `original`); `None` when
            there is no such record. O(retired and evicted records).
        """
        return history(self._engine, user=user, id=id)

    def supersede(
        self,
        *,
        user: str,
        id: str,
        text: str | None = None,
        by: str | None = None,
        at: TimeLike | None = None,
    ) -> str:
        """Put another record in the place of one that holds no longer: it is retired, and its chain leads on.
        `Memory.undo` takes it back: the latest of `Memory.runs(user)`. In a full kind, something else makes room for
        the new record, and comes back with `undo`.

        Args:
            id: what holds no longer.
            text: of the new record, which gets kind, session, speaker, tags, entities and importance of the old one.
                Not of one that takes the place of a secret: it would be in clear.
            by: instead of `text`, the id of a record that is there already.
            at: when the new one began to hold, and so when the old one ended. By default now, or when `by` happened;
                a time not after the one of the old record says that it was never true.

        Returns:
            The id of what took its place.

        Raises:
            UnknownIdError: one of the records is not there; nothing changed.
            InvalidArgumentError: both `text` and `by` are given or neither, or one of the records is retired already;
                nothing changed.
            HeldError: the record is held; nothing changed.
            EmbedderError: the embedder failed; nothing changed.
            QuotaError: all others of a full kind are pinned or held; nothing changed.
        """
        new, jobs = supersede(
            self._engine,
            user=checked_name(user, "user"),
            id=id,
            text=text,
            by=by,
            at=None if at is None else from_micros(to_likely_micros(at, "at")),
            recipe=self._processing.recipe,
        )
        if jobs:
            self._processing.wake()
        return new

    def retire(self, *, user: str, ids: Sequence[str], at: TimeLike | None = None) -> int:
        """Stop believing records: no search finds them any more, unless it names a time at which they were believed
        (`as_of`) or held (`valid_at`). Nothing is erased; `get` and `history` show them, and `forget` erases.
        `Memory.undo` takes it back: the latest of `Memory.runs(user)`.

        In `get`, `metadata["ended"]` then tells how it ended (`action`, `by`). What a caller had there is in `own` of
        that, and in its place again wherever the record reads as it did before (`history`, `as_of`); `where` of a
        search that names a time goes by it.

        Args:
            ids: of records; those that are retired already stay as they are.
            at: when they stopped to hold; by default now. A time not after the one of a record says that it was never
                true.

        Returns:
            How many were retired.

        Raises:
            UnknownIdError: a record is not there; nothing changed.
            HeldError: a record is held; nothing changed.
        """
        return retire(
            self._engine,
            user=checked_name(user, "user"),
            ids=ids,
            at=None if at is None else from_micros(to_likely_micros(at, "at")),
        )

    def set_lifetime(self, kind: str, ttl: TimeToLive | None, user: str | None = None) -> int:
        """Say how long records of a kind live after they were recorded; `None`: for ever, or, of a user, as long as
        everybody's.

        It holds for what is added from now on and for what is there, in memory and in the cold tier. A record that was
        given an end of its own keeps that. What has expired is found by no search, and the next `consolidate` erases
        it, unless it is pinned or held; see `forget` for how. A record that was made of others does not live longer
        than one of them that was given an end of its own.

        Args:
            kind: one of `memspan.KINDS`.
            ttl: a `timedelta` or seconds.
            user: whose; `None` for everybody without a lifetime of that kind of their own.

        Returns:
            How many of the records that are there, or in the cold tier, got another end. In transactions of 256
            records; when it is interrupted or killed, calling it again goes on, and so does the next opening.

        Raises:
            InvalidArgumentError: or its subclass `TimeError`: an argument is not acceptable.
            StoreError: another process or thread is setting one of that kind for the same records, and has come no
                further for 30 seconds. While it does, this waits.
        """
        return set_lifetime(
            self._engine,
            kind=checked_kind(kind, "kind"),
            seconds=None if ttl is None else to_seconds(ttl),
            user=None if user is None else checked_name(user, "user"),
        )

    def lifetimes(self, user: str | None = None) -> dict[str, float]:
        """Seconds that records live, by kind: what holds for a user, or with `None` for those without their own."""
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            if user is None:
                return dict(reader.lifetimes.lifetimes(None))
            return lifetimes_of(reader, checked_name(user, "user"))

    ahistory = in_thread(history, reads=True)
    asupersede = in_thread(supersede)
    aretire = in_thread(retire)
    aset_lifetime = in_thread(set_lifetime)
    alifetimes = in_thread(lifetimes, reads=True)
