"""The call of `Memory` that shortens what it holds."""

from __future__ import annotations

from collections.abc import Sequence

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.remember.progress import tracking
from memspan.reports.compression_report import CompressionReport
from memspan.times import TimeLike

from .base import Calls

__all__ = ["CompressingCalls"]


class CompressingCalls(Calls):
    """See `Memory`."""

    def compress(
        self,
        user: str,
        strategy: str = "adaptive",
        ratio: float = 0.5,
        *,
        kinds: Sequence[str] | None = None,
        before: TimeLike | None = None,
        scorer: memspan.Scorer | None = None,
        keep_originals: bool = True,
        dry_run: bool = False,
        progress: bool = False,
    ) -> CompressionReport:
        """Shorten a user's records to the words that say most (store-compress-staleness, 3.3).

        Names, numbers, dates and negations stay, so that more than the ratio may remain. Ids, times, sources and tags
        stay; texts are embedded and indexed anew. `fidelity` is multiplied by the nominal one, .6 + .4 r, and
        `metadata.compression` says beside it what was measured: the shares of words, stems, names and numbers that are
        left, and the cosine of the embeddings. The original goes to the cold tier in the same transaction:
        `restore(originals=True)` brings it back.

        Left as they are: pinned and held records, history (`retired_at`), what has outlived its time, and what was
        compressed before. Some hundred records a transaction; an interrupted call has done whole ones, and the next
        goes on. Turns that a recipe is still to process should be processed first. Besides embedding O(words log
        words).

        Args:
            user: whose records; an unknown user has none.
            strategy: `uniform` (r = r*), `adaptive` (more of what is important), `hierarchical` (by kind, too), or
                `none`.
            ratio: r*, the share of words that is to remain, above 0 and at most 1.
            kinds: of `episodic`, `semantic` and `procedural`; the first two by default. Without some of its words a
                procedure cannot be followed; one that is learnt anew gets them back.
            before: only what happened before then.
            scorer: tells how much each word says: by default how rare it is among the user's records;
                `memspan.encode.compression.lingua.Lingua` and
                `memspan.encode.compression.cross_entropy.CrossEntropy` ask a model.
            keep_originals: `False` gives the wording up for good.
            dry_run: change nothing, and report what would be done.
            progress: show a progress bar on standard error.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            EmbedderError, LLMError: the embedder or the scorer failed; transactions before that are done.
        """
        from memspan.remember.capacity.compressing import compress

        with tracking("compressing", None, progress) as advance:
            return compress(
                self._engine,
                user=user,
                strategy=strategy,
                ratio=ratio,
                kinds=kinds,
                before=before,
                scorer=scorer,
                keep_originals=keep_originals,
                dry_run=dry_run,
                advance=advance,
            )

    acompress = in_thread(compress)
