"""The calls of `Memory` that put memories in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memspan.arguments import as_integer
from memspan.lifetimes import TimeToLive, to_seconds
from memspan.records import Record
from memspan.remember.asynchronous import in_thread
from memspan.remember.input.fields import checked_kind, checked_name
from memspan.remember.input.messages import Messages, to_drafts
from memspan.remember.progress import tracking
from memspan.remember.writing.adding import add_drafts, add_in_batches, checked_records
from memspan.times import TimeLike

from .base import Calls

__all__ = ["AddingCalls"]


class AddingCalls(Calls):
    """See `Memory`."""

    def add(
        self,
        messages: Messages,
        *,
        user: str,
        at: TimeLike | None = None,
        session: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        kind: str = "episodic",
        ttl: TimeToLive | None = None,
        progress: bool = False,
    ) -> list[str]:
        """Remember a text, a message, a list of messages, one session, or a list of sessions, in one
        transaction.

        Example:
            >>> ids = memory.add("The flat has a view of the harbour.", user="ana", at="2024-04-02T18:30:00Z")
            >>> memory.add(
            ...     [
            ...         {"id": "m2", "role": "user", "content": "When does the ferry leave?"},
            ...         {"id": "m3", "role": "assistant", "content": "On 24 August."},
            ...     ],
            ...     user="ana",
            ...     session="s8",
            ... )
            ['m2', 'm3']

        With a recipe that asks a model, the same transaction makes encode jobs for the turns, see `process`: what is
        of kind `episodic` and names no `sources`.

        Args:
            messages: a message is a text or a mapping with `text` or `content` (a string or content parts)
                and optionally `speaker`, `name` or `role`, `id`, `at`, `until`, `recorded_at`, `expires_at`, `session`,
                `kind`, `tags`, `entities`, `images` (captions), `importance`, `provenance`, `fidelity`,
                `sources`, `metadata`. A session is a list of messages, or a mapping with `messages` and
                optionally `session`, `at`, `tags`, `metadata`. Tool calls and results in the shapes of OpenAI's and
                Anthropic's interfaces are turns like others, whose metadata tells what was done (`actions`) and
                whether it worked (`outcomes`); procedures are learnt from these. Values of
                arguments such as `password` or `api_key` are not kept. A result without text is left out, what a model
                thought, and a message of pictures or sound without a word or caption.
            user: whose memory it becomes.
            at: when it happened; each message without a time of its own follows the one before by a second, or by less
                where the next one that has a time is nearer. Without any time it happens now. Integers are microseconds
                since 1970: of a clock that counts seconds give a `datetime`.
            session: the session of messages that do not name theirs.
            metadata, tags, kind: for all messages; a message's own metadata and tags are added, its own kind
                wins. A list of texts under `images` in the metadata are captions, too.
            ttl: how long they live from now on, a `timedelta` or seconds; by default as long as their kind, see
                `set_lifetime`; what was made of them lives no longer. Then no search finds them any more, and the next
                `consolidate` erases those that are neither pinned nor held.
            progress: show a progress bar on standard error.

        Returns:
            The records' ids, in the order of the messages. A message without an id gets a new one. Adding the
            same message under the same id again changes nothing but its `ttl`, also when it was retired meanwhile, or
            shortened (where `compress` kept the original); other content replaces the older, which stays as a
            version, see `history`.

        Raises:
            InvalidArgumentError: names the message and field, or a secret of the vault has the id; nothing was added.
            HeldError: a record that is held would be overwritten, and no version could keep what it says.
            QuotaError: pinned and held records leave no room for one of another id, see `set_quotas`; nothing was
                added. A correction needs none: its version goes to the cold tier then.
            EmbedderError: the embedder failed; nothing was added.
        """
        checked_name(user, "user")
        checked_kind(kind, "kind")
        seconds = None if ttl is None else to_seconds(ttl)
        drafts = to_drafts(
            messages, user=user, at=at, session=session, metadata=metadata, tags=tags, kind=kind
        )
        with tracking("adding", len(drafts), progress) as advance:
            added = add_drafts(self._engine, drafts, advance, self._processing.recipe, seconds=seconds)
        if added.jobs:
            self._processing.wake()
        if len(drafts) >= 1000:
            self._engine.save_if_worthwhile()
        return [draft.record.id for draft in drafts]

    def add_records(
        self, records: Iterable[Record], *, user: str | None = None, batch: int = 512, progress: bool = False
    ) -> int:
        """Add complete records, with one transaction a batch.

        Args:
            records: any iterable; read as it goes, so that it may be larger than memory. A record's own
                embedding is used as it is, others are computed. Ids must not come twice for one user.
            user: refuse records of any other user.
            batch: records a transaction, 1 to 100,000.
            progress: show a progress bar on standard error.

        Returns:
            How many records came; those that were there already count too.

        Raises:
            InvalidArgumentError: a record is refused, named by its position; those before it are committed,
                as they are when the iterable itself raises.
            HeldError, QuotaError, EmbedderError: as in `add`, and where a record that is held would end; the batches
                before are committed.
        """
        as_integer(batch, "batch", 1, 100_000)
        if user is not None:
            checked_name(user, "user")
        total = len(records) if progress and isinstance(records, Sequence) else None
        embedder = self._engine.embedder
        checked = checked_records(records, user, embedder.identity.dim)
        with tracking("adding", total, progress) as advance:
            count = add_in_batches(self._engine, checked, batch, advance, embedder)
        self._engine.save_if_worthwhile()
        return count

    aadd = in_thread(add)
    aadd_records = in_thread(add_records)
