"""The calls of `Memory` about a store as a whole: erase, copy, convert, count, check."""

from __future__ import annotations

from typing import Any

from memspan.remember.asynchronous import in_thread
from memspan.remember.conversion import reembed
from memspan.remember.embedding import EmbedderSpec
from memspan.remember.forgetting import forget
from memspan.remember.progress import tracking
from memspan.remember.statistics import stats
from memspan.remember.transfer import TextFile, export, load
from memspan.remember.verification import verify

from .base import Calls

__all__ = ["KeepingCalls"]


class KeepingCalls(Calls):
    """See `Memory`."""

    def forget(self, *, user: str, id: str | None = None, source: str | None = None) -> int:
        """Erase a user, one record, or what came from one source, with everything derived from it.

        Text, vector, words and tags go out of the database, the index and the cache file, and so do their
        bytes: when the call returns, no file holds them. That rewrites the database, which takes time linear
        in its size. Records whose `sources` lead to an erased record go too, and tags that no record has any
        more.

        An encode job that was shown an erased turn, its own or one before, may have used what it said anywhere: all
        that the job made goes, with its log and the model's answers, and it begins again with the turns that are
        left. A derived record that is erased alone is not made again.

        Args:
            user: whose records.
            id: one record and what was derived from it.
            source: records with this `provenance`, or with this id among their `sources`, and what was
                derived from them. With neither `id` nor `source`, everything of the user goes.

        Returns:
            How many records were erased.

        Raises:
            InvalidArgumentError: both `id` and `source` are given.
            StoreError: another process reads an old state for 30 seconds: the records are gone, their bytes
                not yet.
        """
        return forget(self._engine, user=user, id=id, source=source)

    def export(self, user: str | None, file: TextFile, embeddings: bool = False) -> int:
        """Write everything of a user, or of all users (`None`), as JSON Lines; returns the number of records.

        What `tag` made is left out, and encode jobs are: they can be made again.

        Args:
            user: an unknown user makes a file without records.
            file: a path, which is replaced when the export is complete, or a text file open for writing.
            embeddings: write the vectors too, so that loading needs no model.
        """
        return export(self._engine, user, file, embeddings=embeddings)

    def load(self, file: TextFile, progress: bool = False) -> int:
        """Add what `export` wrote, a record with a known id being replaced; returns the number of records.

        Vectors in the file are used when this store's embedder made them.

        Raises:
            FormatError: a line is broken; names file, line and reason. What came before it is committed.
        """
        with tracking("loading", None, progress) as advance:
            count = load(self._engine, file, advance)
        self._engine.save_if_worthwhile()
        return count

    def reembed(self, embedder: EmbedderSpec, progress: bool = False) -> int:
        """Convert the store to another embedder and go on with it; returns how many records were embedded.

        Until the last moment the store works with the old one. An interrupted conversion is continued by
        calling this again. Other handles on the store then have to be opened anew.
        """
        return reembed(self._engine, embedder, progress)

    def stats(self, user: str | None = None) -> dict[str, Any]:
        """Counts, time span and sizes of the store, or of one user, as JSON values."""
        return stats(self._engine, user)

    def users(self) -> list[str]:
        """The names of all users that have anything, sorted."""
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.users()

    def verify(self) -> list[str]:
        """Check the database, and that index and snapshot agree with it; a list of problems, empty when sound."""
        return verify(self._engine)

    aforget = in_thread(forget)
    aexport = in_thread(export)
    aload = in_thread(load)
    areembed = in_thread(reembed)
    astats = in_thread(stats)
    ausers = in_thread(users)
    averify = in_thread(verify)
