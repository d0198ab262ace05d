"""The store, the index derived from it and the embedder, kept in step for one `Memory`."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from memspan.base import sure_start
from memspan.base.cores import available_cores
from memspan.base.lent import Lent
from memspan.base.turns import Turns
from memspan.base.weak_sets import all_of
from memspan.embed.in_threads import at_once
from memspan.errors import CorruptSnapshotError, EmbedderMismatchError, MemspanError, StoreError
from memspan.index import Index
from memspan.store import Store, StoreReader
from memspan.store.sequence import same_history
from memspan.times import Micros

from .audit.tally import Tally
from .capacity.evicting import settle_evictions
from .catch_up import apply_changes
from .embedding import EmbedderIdentity, StoreEmbedder
from .index_options import IndexOptions
from .searching.vocabularies import Vocabularies
from .snapshots import Snapshots
from .tokens.store_tokens import TOKEN_SETTING, StoreTokens
from .use_counts import UseCounts
from .writing.change import Change
from .writing.taking_back import take_back

__all__ = ["Engine"]

T = TypeVar("T")
_logger = logging.getLogger("memspan")
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
# Indexes inherited through fork: a lock inside may be held by a thread that the child does not have.
_inherited: list[Any] = []
_MANY: Final = 1000
_WORTH_SAVING: Final = 20_000
_FEW: Final = 4


@dataclass(slots=True)
class _State:
    """An index and the point of the store's sequence that it equals."""

    index: Index
    sequence: int


class Engine:
    """Keeps an index equal to its store.

    The store decides what is true; the index follows. Every operation first compares the store's change
    counter with the index's, a few microseconds, and applies what other handles and processes committed. A
    write changes the index inside the store's transaction, before the commit: what the index refuses is then
    never stored. If the transaction is rolled back, the next call lets the index say again of the records in it
    what the store does; after other changes than of records, the index is dropped and rebuilt.

    Thread-safe: one lock around writes, which wait with it for writers of other processes, and one around what brings
    the index up to date, theirs included; searches take neither, unless others wrote since the last one.
    """

    def __init__(
        self,
        store: Store,
        embedder: StoreEmbedder,
        snapshots: Snapshots,
        analyzer: str,
        options: IndexOptions,
        actor: str = "",
        tokens: StoreTokens | None = None,
    ) -> None:
        self.store: Final = store
        self.analyzer: Final = analyzer
        self.embedder = embedder
        self.tokens = tokens
        """The token embedder, and what it made; `None`: searches look at no tokens."""
        self.snapshots = snapshots
        self.options: Final = options
        self.actor: Final = actor
        """Who acts, for the audit, unless `acting` says otherwise."""
        self.vocabularies = Vocabularies()
        self.unfinished: dict[str, Any] = {}
        """By user, what a consolidation left that is to go on, of which records are part."""
        self.uses = UseCounts()
        self.tally = Tally()
        self._lock = threading.RLock()
        self._turns = Turns()  # of those who wait for `_lock`
        self._syncing = threading.RLock()  # after `_lock`, and after the store's own locks
        self._state: _State | None = None
        # What `_state` becomes when the commit that is going on has ended. Others see its changes before that: a commit
        # may copy the log into the database, too.
        self._coming: _State | None = None
        # What is being written, of which the index shows everybody more than the store does.
        self._change: Change | None = None
        # What was changed in vain, and what `_state` was before: the index is not that yet.
        self._undone: tuple[Change, _State] | None = None
        self._unsaved = 0
        self._tried = 0  # What was unsaved when saving failed.
        self._closed = False
        _engines.add(self)

    def current(self) -> Index:
        """The index, equal to a state of the store not older than this call.

        Raises:
            StoreError: the memory is closed, or the database cannot be read.
            EmbedderMismatchError: another process converted the store to another embedder.
        """
        self.require_open()
        committed = self.store.sequence()
        # In this order: what was coming is here before it stops coming.
        for state in (self._coming, self._state):
            if state is not None and state.sequence == committed:
                return state.index
        try:
            # In this order: a fork waits for whoever has a view. This one begins with what is read first.
            with self.store.reading() as reader, self._syncing:
                return self._catch_up(reader).index
        except EmbedderMismatchError:
            # This handle itself may be about to go on with another embedder, see `adopting`.
            with self.comparing() as (index, _):
                return index

    @contextmanager
    def comparing(self) -> Iterator[tuple[Index, StoreReader]]:
        """The index and the view of the store that it equals, for as long as the block lasts."""
        self.require_open()
        with self._in_turn(), self.store.reading() as reader, self._syncing:
            yield self._catch_up(reader).index, reader

    @contextmanager
    def looking(self, look: Callable[[Index], T]) -> Iterator[tuple[T, StoreReader]]:
        """What `look` takes from the index, and the view of the store that the index equalled then. Only `look` has the
        index to itself: others write while the block reads on, which may take long."""
        self.require_open()
        with ExitStack() as stack:
            with self._in_turn():
                reader = stack.enter_context(self.store.reading())
                with self._syncing:
                    found = look(self._catch_up(reader).index)
            yield found, reader

    def _in_turn(self) -> Lent[None]:
        """Hold off other writers, but let those that wait come first."""
        return Lent(self._lend_turn())

    def _lend_turn(self) -> Generator[None, None, None]:
        turns, came = self._turns, self._turns.arrive()
        try:
            with self._lock:
                turns.take()
                yield
        finally:
            turns.leave(came)

    def writes(self, user: str) -> list[str]:
        """Ids of a user's records that somebody is writing through this handle: the index has them, and the store not
        yet, or only as they were before."""
        change = self._change
        return [] if change is None else change.writes(user)

    def changing(self) -> Lent[Change]:
        """Hold the store's write lock, with the index caught up; commit at the end, roll back on an exception."""
        return Lent(self._lend_change())

    def _lend_change(self) -> Generator[Change, None, None]:
        self.require_open()
        with self._in_turn():
            change: Change | None = None
            try:
                while change is None:
                    with self.store.writing() as writer:
                        # A long backlog is applied before a write transaction: other writers would have to wait.
                        state = self._state
                        if state is not None and writer.sequence() - state.sequence <= _FEW:
                            with self._syncing:
                                before = self._catch_up(writer)
                                index = before.index
                                change = Change(
                                    writer,
                                    index,
                                    self.tally,
                                    self.actor,
                                    self.tokens,
                                    self.embedder,
                                    partial(self.uses.keep, index),
                                )
                                self._change = change
                                yield change
                                self._settle(change)
                                sequence = writer.sequence()
                                self._coming = _State(index, sequence)
                    if change is None:
                        self.current()
            except BaseException:
                self._coming = self._change = None
                if change is not None:
                    if change.touched:
                        self._state = None
                        self._undone = change, before
                        with self._syncing:
                            # Whoever brought the index up to date meanwhile did not know.
                            if self._undone is not None:
                                self._state = None
                    if change.writer.committed:
                        self.uses.committed()
                    else:
                        self.tally.give_back(change.counted)
                        self.uses.give_back()
                raise
            self.uses.committed()
            with self._syncing:
                # Not while somebody looks at the store as it was before: it would seem to have gone back in time.
                self._state = self._coming
                self._coming = self._change = None
            self._unsaved += sequence != before.sequence

    def _settle(self, change: Change) -> None:
        """What belongs at the end of a transaction."""
        if change.evicted:
            settle_evictions(change)
        if change.settled is not None:
            change.settled()
        if self.uses.due:
            self.uses.write(change)

    def _catch_up(self, reader: StoreReader) -> _State:
        if reader.meta("embedder") != self.embedder.recorded:
            self._refuse_embedder(reader)
        if self.tokens is not None and reader.meta(TOKEN_SETTING) != self.tokens.recorded:
            self._refuse_tokens(reader, self.tokens)
        state, sequence = self._state, reader.sequence()
        if state is None and self._undone is not None:
            state = self._state = self._taken_back(reader, *self._undone)
        if state is not None and state.sequence == sequence:
            return state
        lost = state is not None and (state.sequence > sequence or not same_history(state.sequence, sequence))
        if state is not None and lost:
            _logger.warning("%s went back in time; the index is rebuilt", self.store.path)
            self._keep_uses(state.index)
            state = None
        counted: Micros | None = None
        if state is None:
            loaded = self.snapshots.load(self.store, self.options)
            self._unsaved = self._tried = 0
            if loaded is not None and loaded.sequence <= sequence:
                state, counted = _State(loaded.index, loaded.sequence), loaded.uses
            else:
                state, counted = _State(self._new_index(), 0), -1
        if state.sequence != sequence:
            # When this is interrupted, the next call applies the same changes again, which does no harm.
            leaving = partial(self.uses.unwritten, state.index)
            self._unsaved += apply_changes(state.index, reader, state.sequence, self.forget_words, leaving)
        if counted is not None:
            self.uses.load(state.index, reader, counted, state.sequence)
        self._state = _State(state.index, sequence)
        return self._state

    def _taken_back(self, reader: StoreReader, change: Change, before: _State) -> _State | None:
        """The index without a change that was rolled back; `None` when that cannot be had."""
        self._undone = None
        if change.lost:
            self._keep_uses(before.index)
            return None
        try:
            take_back(before.index, reader, change.changed())
        except MemspanError as error:
            _logger.warning("%s: the index is rebuilt after a failed write (%s)", self.store.path, error)
            self._keep_uses(before.index)
            return None
        return before

    def _keep_uses(self, index: Index) -> None:
        """What an index counted that is not used any more."""
        with suppress(MemspanError):
            self.uses.take(index)

    def _new_index(self) -> Index:
        return Index(
            self.embedder.identity.dim,
            analyzer=self.analyzer,
            row_format=self.options.row_format,
            max_resident_bytes=self.options.max_resident_bytes,
            spill_directory=self.options.spill_directory,
            auto_consolidate=self.options.auto_consolidate,
            track_uses=True,
        )

    def _refuse_embedder(self, reader: StoreReader) -> NoReturn:
        raise EmbedderMismatchError(
            f"{self.store.path}: another process converted the store from embedder {self.embedder.identity} to "
            f"{self._recorded(reader, 'embedder')}; open it again with that one"
        )

    def _refuse_tokens(self, reader: StoreReader, tokens: StoreTokens) -> NoReturn:
        """Vectors of two token embedders cannot be compared, nor lie in one store."""
        raise EmbedderMismatchError(
            f"{self.store.path}: another process made the token vectors anew, with "
            f"{self._recorded(reader, TOKEN_SETTING)} instead of {tokens.identity}; open it again with that one, or "
            "with token_embedder=False"
        )

    def _recorded(self, reader: StoreReader, setting: str) -> EmbedderIdentity | None:
        recorded = reader.meta(setting)
        return None if recorded is None else EmbedderIdentity.parse(recorded, self.store.path)

    def note_unsaved(self, changes: int | None = None) -> None:
        """Count changes that the snapshot file does not have yet; `None`: there is no file any more."""
        self._unsaved += _MANY if changes is None else changes

    @contextmanager
    def adopting(self, embedder: StoreEmbedder, snapshots: Snapshots) -> Iterator[None]:
        """Go on with another embedder, to which the caller converts the store in the block; the index is rebuilt by the
        next call. Nobody sees a store whose embedder is another than this one's: others wait for the end of the block,
        and go on with the one before when it raises."""
        with self._in_turn():
            yield
            with self._syncing:
                self.embedder, self.snapshots = embedder, snapshots
                self._drop_index()

    def distrust_snapshot(self, error: CorruptSnapshotError) -> None:
        """Drop the index, which came upon damage in its file; the next call rebuilds it from the store."""
        with self._in_turn(), self._syncing:
            _logger.warning(
                "snapshot %s is damaged (%s); the index is rebuilt from the store", self.snapshots.path, error
            )
            self.snapshots.distrust()
            self._drop_index()

    def _drop_index(self) -> None:
        if self._state is not None:
            self._keep_uses(self._state.index)
        self._state = self._coming = self._undone = None

    def discard_snapshot(self) -> None:
        """Delete the file, in which damage was found that an opening does not look for. A failure is logged."""
        try:
            with self.changing() as change:
                self.snapshots.delete(change.writer)
        except MemspanError as error:
            _logger.warning("snapshot %s could not be deleted (%s)", self.snapshots.path, error)
        else:
            self.note_unsaved()

    def save_if_worthwhile(self, *, closing: bool = False) -> None:
        """Write the snapshot file when opening would otherwise repeat much work.

        While the store grows that is 20,000 changes and a quarter of all records: the file is as large as the
        records, and an opening after a crash indexes some 30,000 of them a second. On closing it is 1,000
        changes or a tenth of the records, whichever is less. A failure is logged: the file is only a cache. It is tried
        again after as many more changes, or on closing.
        """
        if self._unsaved < _WORTH_SAVING and not closing:
            return
        with self._in_turn():
            if self._state is None or not self._unsaved:
                return
            records = len(self._state.index)
            least = min(_MANY, records // 10) if closing else max(_WORTH_SAVING, records // 4)
            if self._unsaved - (0 if closing else self._tried) < least:
                return
            self._tried = self._unsaved
            try:
                with self.changing() as change:
                    self.uses.write(change, None)
                    self.uses.learn(change.index, change.writer)
                    self.snapshots.save(change.index, change.writer, self.uses.known)
                self._unsaved = self._tried = 0
            except EmbedderMismatchError:
                pass  # Another handle converted the store: the file is no longer this one's to write.
            except CorruptSnapshotError as error:
                self.distrust_snapshot(error)
            except (MemspanError, OSError) as error:
                _logger.warning("snapshot %s could not be written (%s)", self.snapshots.path, error)
                # Where it failed at the end, a file is there that the store does not know.
                with suppress(MemspanError), self.changing() as change:
                    self.snapshots.withdraw(change.writer)

    def embed_texts(
        self, texts: Sequence[str], advance: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Embed texts of records that will be written, see `StoreEmbedder.documents`, and their tokens. Before the
        transaction, so that nobody waits for a model.

        Raises:
            EmbedderError: one of the embedders failed.
        """
        embed, tokens = partial(self.embedder.documents, texts, advance), self.tokens
        if tokens is None:
            return embed()
        if len(texts) < available_cores():  # One model alone would leave cores idle.
            return at_once(embed, partial(tokens.make, texts))[0]
        vectors = embed()
        tokens.make(texts)
        return vectors

    def forget_words(self, user: str) -> None:
        """Let go what is kept in memory of a user's words, as after an erasure."""
        self.vocabularies.forget(user)
        self.unfinished.pop(user, None)
        if self.tokens is not None:
            self.tokens.forget(user)

    def note_search(self, user: str, ids: Sequence[str]) -> None:
        """Count a search and one use of each record that it brought, and once in a while let a thread write what was
        counted: no search waits for the disk."""
        state = self._state
        if state is not None:
            state.index.note_uses(user=user, ids=ids)
        if self.uses.note(user):
            # An interpreter that ends starts no threads, nor is there memory for one at all times: a later search, or
            # closing, writes it then.
            with suppress(RuntimeError, MemoryError):
                sure_start.start(threading.Thread(target=self.write_uses, name="memspan-uses", daemon=True))

    def write_uses(self) -> None:
        """Bring to the store what searches counted, in as many transactions as that takes; a failure is logged, as
        these are statistics."""
        if self._closed or self.uses.empty:
            return
        try:
            with self.changing() as change:
                self.uses.write(change)
            # Not for as long as there are some: others search meanwhile.
            for _ in range(self.uses.batches):
                with self.changing() as change:
                    self.uses.write(change)
        except MemspanError as error:
            # Whoever closed the memory meanwhile has written them.
            if not self._closed:
                _logger.warning("%s: uses could not be written (%s)", self.store.path, error)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def require_open(self) -> None:
        """Raise `StoreError` when the memory was closed."""
        if self._closed:
            raise StoreError(f"{self.store.path}: the memory is closed")

    def close(self) -> None:
        """Save the snapshot when it is worth it and close the store. Closing twice is harmless."""
        with self._in_turn():
            if not self._closed:
                # Statistics and a cache: whoever only searched does not wait until others have written.
                self.store.hurry()
                self.write_uses()
                self.save_if_worthwhile(closing=True)
                self._closed = True
                self._state = self._undone = None
            # Also when an earlier call was interrupted right before it.
            self.store.close()

    def after_fork(self) -> None:
        """Start afresh in a forked child: threads that it does not have may hold the locks."""
        self._lock, self._syncing = threading.RLock(), threading.RLock()
        self._turns = Turns()
        self.tally = Tally()
        self.vocabularies = Vocabularies()
        self.uses = UseCounts()
        self.embedder.after_fork()
        if self.tokens is not None:
            self.tokens.after_fork()
        _inherited.append((self._state, self._coming, self._undone))
        self._state = self._coming = self._change = self._undone = None


def _start_afresh() -> None:
    for engine in all_of(_engines):
        engine.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
