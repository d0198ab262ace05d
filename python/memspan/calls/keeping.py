"""The calls of `Memory` about a store as a whole: erase, copy, convert, count, check."""

from __future__ import annotations

from typing import Any

from memspan.arguments import as_flag
from memspan.remember.asynchronous import in_thread
from memspan.remember.conversion import reembed
from memspan.remember.embedding import EmbedderSpec
from memspan.remember.progress import tracking
from memspan.remember.statistics import stats
from memspan.remember.tokens.token_filling import fill_token_vectors
from memspan.remember.transfer.export import export
from memspan.remember.transfer.export_target import TextFile
from memspan.remember.transfer.loading import load
from memspan.remember.verification import verify

from .base import Calls

__all__ = ["KeepingCalls"]


class KeepingCalls(Calls):
    """See `Memory`."""

    def export(
        self, user: str | None, file: TextFile, embeddings: bool = False, *, records_only: bool = False
    ) -> int:
        """Write everything of a user, or of all users (`None`), as JSON Lines; returns the number of records in memory.

        With them go the cold tier (`evicted` and `original`), the quotas and times to live of the user, and with `None`
        those of everybody; of encode jobs that memories came of, what they were shown and made, so that `forget` finds
        that wherever it is loaded; and which of the procedures that transcripts show were forgotten, so that nobody
        learns them again. What `tag` made is left out, and so are jobs of which nothing came: both can be made again.
        So are logs of jobs, counts of uses, what models cost, what `undo` could take back, and the audit: they are this
        store's. Secrets of the vault stay encrypted, and their key opens them wherever the file is loaded; those whose
        time to live is over are left out, with their labels, unless they are pinned or held.

        Args:
            user: an unknown user makes a file without records.
            file: a path, or a text file open for writing. Links are followed; a file is replaced when the export is
                complete, a pipe or a device is written as it is.
            embeddings: write the vectors too, so that loading needs no model.
            records_only: leave out the cold tier, quotas, times to live and what is not to be learnt again.

        Raises:
            InvalidArgumentError: an argument is not acceptable, or `file` is one of the store's own.
            OSError: the file cannot be written; an older one stays.
        """
        vectors, only = as_flag(embeddings, "embeddings"), as_flag(records_only, "records_only")
        return export(self._engine, user, file, embeddings=vectors, records_only=only)

    def load(self, file: TextFile, progress: bool = False) -> int:
        """Add what `export` wrote, a record with a known id being replaced as by `add_records`: one that says what is
        here already does not bring back what was retired since. Returns the number of records.

        Vectors in the file are used when this store's embedder made them. Quotas in the file replace those of the same
        user from then on, and what this store has too many of goes to the cold tier; times to live do at the end. Where
        more is pinned or held than the file's quotas have room for, this store keeps its own, which the log tells, and
        everything else is loaded. A copy for the cold tier stays away where the record is in memory here, or held in
        the cold tier; in the place of another one there it leaves a version, too. A secret that is here under another
        key, or held, stays with its label, and what the file has of a secret or resource stays away where a record of
        another kind has its id here, both of which the log tells; no other record takes the place of a secret. Nor
        does what the file says end a record that is held here, or take its place without a version: it stays, which
        the log tells.

        A job in the file is done here, unless a turn of it was corrected since it ran: `process` runs it again when one
        is corrected or forgotten here. `enqueue` leaves its turns alone.

        The file is read as it goes: what is kept of it until the end are ids, relations, secrets and targets.

        Args:
            file: a path, or a text file open for reading.
            progress: show a progress bar on standard error.

        Raises:
            QuotaError: this store's own quotas have no room for a record, because others are pinned. What came before
                its batch of 512 is committed.
            FormatError: a line is broken; names file, line, reason and how many records are kept. What came before
                it is committed; where a secret or resource has no record, a relation closes a cycle, or the file was
                cut off between two lines, all else is.
            InvalidArgumentError: a record has the id of a secret that is here; everything else is committed. Or `file`
                is none that text can be read from.
            OSError: the file cannot be read.
        """
        with tracking("loading", None, progress) as advance:
            count = load(self._engine, file, advance)
        self._engine.save_if_worthwhile()
        return count

    def reembed(self, embedder: EmbedderSpec, progress: bool = False) -> int:
        """Convert the store to another embedder and go on with it; returns how many records were embedded.

        Until the last moment the store works with the old one. An interrupted conversion is continued by
        calling this again. Other handles on the store then have to be opened anew.

        Args:
            embedder: as for `Memory`.
            progress: show a progress bar on standard error.

        Raises:
            StoreError: another process began to convert the store to a different embedder.
            EmbedderError: the embedder failed; what it made stays for the next attempt.
        """
        return reembed(self._engine, embedder, progress)

    def make_token_vectors(self, user: str | None = None, progress: bool = False) -> int:
        """Make the token vectors of the user's records, or of all, that have none; returns how many were made.

        None have those that were added without a token embedder or with an embedding of their own, that came back from
        the cold tier, or that an older memspan wrote. In a search they neither gain nor lose by their tokens. Every 256
        records are committed by themselves.

        Raises:
            InvalidArgumentError: the memory was opened without a token embedder.
            EmbedderError: the token embedder failed; what was made stays.
        """
        return fill_token_vectors(self._engine, user, as_flag(progress, "progress"))

    def stats(self, user: str | None = None) -> dict[str, Any]:
        """Counts, time span and sizes of the store, or of one user, as JSON values.

        `records` are all that can be found, with what is only found by asking for another time: `retired` counts those
        that are no longer believed, `versions` the ones among them that were overwritten. `cold` counts what was
        evicted and the originals of what was shortened, which are none of the records.
        """
        return stats(self._engine, user)

    def users(self) -> list[str]:
        """The names of all users that have anything, sorted."""
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.users()

    def verify(self) -> list[str]:
        """Check the database, and that index and snapshot agree with it; a list of problems, empty when sound.

        A damaged snapshot, which is only a cache, is deleted.
        """
        return verify(self._engine)

    aexport = in_thread(export)
    aload = in_thread(load)
    areembed = in_thread(reembed)
    amake_token_vectors = in_thread(make_token_vectors)
    astats = in_thread(stats)
    ausers = in_thread(users, reads=True)
    averify = in_thread(verify)
