"""`Memory`: durable memories of many users, searchable in their own words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .arguments import as_flag, as_integer
from .consolidation import ConsolidationReport
from .errors import invalid
from .recall.context import Context, TokenCounter, checked_budget
from .records import Record
from .remember.adding import add_drafts, add_in_batches, checked_drafts
from .remember.asking import asked
from .remember.asynchronous import in_thread
from .remember.consolidating import consolidate
from .remember.contexts import context_of
from .remember.conversion import reembed
from .remember.embedding import EmbedderSpec
from .remember.fields import checked_kind, checked_name
from .remember.forgetting import forget
from .remember.messages import Messages, to_drafts
from .remember.opening import open_engine
from .remember.progress import tracking
from .remember.recall import Recalls
from .remember.relating import relate, unrelate
from .remember.reranking import SecondLook
from .remember.searching import latest, search
from .remember.statistics import stats
from .remember.transfer import TextFile, export, load
from .remember.verification import verify
from .rerank import Reranker
from .tag_info import TagInfo, TagReport
from .times import TimeLike

if TYPE_CHECKING:
    from .ranking import Ranker
    from .recall import Plan
    from .remember.user_memory import UserMemory

__all__ = ["Memory"]

RECIPES = ("verbatim",)


class Memory:
    """The memories of many users in one SQLite file.

    What a call adds is on disk and searchable when the call returns. Any number of threads, handles and
    processes may use one path at a time; each sees what the others committed before its call began. Every
    call that can wait has an asynchronous form of the same name with an `a` in front.

    Args:
        path: the file, such as `agent.memspan`; made when missing, readable by its owner only. A cache of the
            search index lies beside it as `<path>.index` and is rebuilt when it is missing or damaged.
        embedder: makes the vectors: an embedder, a function from texts to vectors, the name of a model, or
            `None` for the one that filled the store (for a new store: the default model). It is loaded when
            first needed.
        analyzer: how words are found in texts, `english` or `simple` (no stemming); fixed when the store is
            made. `None` for the store's own (for a new store: `english`).
        recipe: how turns become memories; `verbatim` keeps them as they are.
        reembed: convert a store that another embedder filled, instead of refusing to open it. A conversion
            that was interrupted goes on where it stopped.
        reranker: what `search` uses when it is given time for it: a reranker, the name of one, or `None` for the
            default one. It is loaded when first needed.
        progress: show a progress bar on standard error during a conversion.
        max_resident_bytes: how much of the index may be in memory; users who were not asked for lately leave it first
            and come back when they are asked for. `None`: no limit.
        auto_consolidate: keep the layout of the index good while it grows, on a native thread of low priority;
            see `consolidate`.

    Raises:
        InvalidArgumentError: an argument is not acceptable.
        EmbedderMismatchError: another embedder filled the store.
        ModelNotFoundError, MissingExtraError: a new store needs a model that is not here.
        StoreError: the file is not a store, is damaged, or was written by a newer memspan.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        embedder: EmbedderSpec = None,
        *,
        analyzer: str | None = None,
        recipe: str = "verbatim",
        reembed: bool = False,
        reranker: Reranker | str | None = None,
        progress: bool = False,
        max_resident_bytes: int | None = None,
        auto_consolidate: bool = True,
    ) -> None:
        if recipe not in RECIPES:
            raise invalid("recipe", recipe, f"one of {', '.join(RECIPES)}")
        self._second_look = SecondLook(reranker)
        self._engine = open_engine(
            path,
            embedder,
            analyzer=analyzer,
            reembed=reembed,
            progress=progress,
            max_resident_bytes=max_resident_bytes,
            auto_consolidate=as_flag(auto_consolidate, "auto_consolidate"),
        )

    def __repr__(self) -> str:
        return f"Memory({str(self._engine.store.path)!r}, embedder={self._engine.embedder.identity.name!r})"

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
        progress: bool = False,
    ) -> list[str]:
        """Remember a text, a message, a list of messages, one session, or a list of sessions, in one
        transaction.

        Args:
            messages: a message is a text or a mapping with `text` or `content` (a string or content parts)
                and optionally `speaker`, `name` or `role`, `id`, `at`, `until`, `recorded_at`, `session`,
                `kind`, `tags`, `entities`, `images` (captions), `importance`, `provenance`, `fidelity`,
                `sources`, `metadata`. A session is a list of messages, or a mapping with `messages` and
                optionally `session`, `at`, `tags`, `metadata`. A message without text that only calls tools
                is left out.
            user: whose memory it becomes.
            at: when it happened; each message without a time of its own follows the one before by a second.
                Without any time it happens now.
            session: the session of messages that do not name theirs.
            metadata, tags, kind: for all messages; a message's own metadata and tags are added, its own kind
                wins.
            progress: show a progress bar on standard error.

        Returns:
            The records' ids, in the order of the messages. A message without an id gets a new one. Adding the
            same message under the same id again changes nothing; other content replaces the older.

        Raises:
            InvalidArgumentError: names the message and field; nothing was added.
            EmbedderError: the embedder failed; nothing was added.
        """
        checked_name(user, "user")
        checked_kind(kind, "kind")
        drafts = to_drafts(
            messages, user=user, at=at, session=session, metadata=metadata, tags=tags, kind=kind
        )
        with tracking("adding", len(drafts), progress) as advance:
            add_drafts(self._engine, drafts, advance)
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
        """
        as_integer(batch, "batch", 1, 100_000)
        if user is not None:
            checked_name(user, "user")
        total = len(records) if isinstance(records, Sequence) else None
        drafts = checked_drafts(records, user, self._engine.embedder.identity.dim)
        with tracking("adding", total, progress) as advance:
            count = add_in_batches(self._engine, drafts, batch, advance)
        self._engine.save_if_worthwhile()
        return count

    def search(
        self,
        question: str,
        *,
        user: str,
        k: int | None = 10,
        between: Any = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        views: Sequence[str] | None = None,
        fusion: str | None = None,
        neighbors: int = 0,
        plan: Plan | None = None,
        ranker: Ranker | None = None,
        route: int = 0,
        rerank_ms: int = 0,
        confidence: bool = False,
        explain: bool = False,
    ) -> Recalls:
        """Find the records of a user that answer a question best.

        Args:
            question: in plain words.
            user: an unknown user has no records.
            k: how many, 1 to 10,000. Only filters make it fewer, or a user that has fewer. `None`: as many as
                the plan wants, 3 to 20, and more for questions that list.
            between: a `(start, end)` pair of times, or several; the end is exclusive, `None` leaves a side
                open.
            now: when the question is asked, for words such as "last week"; by default the user's newest record.
            as_of: only what was recorded by then; valid_at: only what was valid then.
            kinds: only these; `vault` records are found only if it is named here.
            require_tags: only records with all of these tags.
            where: a filter over metadata, such as `{"topic": {"$in": ["a", "b"]}}`.
            exclude: ids that must not come.
            views: any of `semantic`, `lexical` and `symbolic`; by default the first two.
            fusion: `learned` (default) plans by rules and ranks by learned weights; `rrf`, `union`, `weighted` do not.
            neighbors: let this many turns before and after a hit in its session rise with it; with `rrf`, which
                is then the default, `union` or `weighted`. The learned ranking looks at neighbours itself.
            plan: how to look, instead of `plan_by_rules`; ranker: weights of your own (`memspan fit`).
            route: let so many of the user's tags nearest to the question, and those right below them, lift the
                records that carry them a little, see `tag`; it takes the view `symbolic`.
            rerank_ms: let the reranker look at the best for so many milliseconds; 150 do most of what it can.
                Loading it, once, takes its own time. Scores are then log odds.
            confidence: fill in `Recalls.confidence`: how likely it is that there is an answer at all. Only with the
                learned ranking; costs a second native search.
            explain: fill in `explanation`.

        Returns:
            A list of `Recall`, best first; newer first among equals. Its `timings` say where the time went.

        Raises:
            InvalidArgumentError: or its subclass `TimeError` or `WhereError`: an argument is not acceptable.
            ModelNotFoundError, MissingExtraError, RerankerError: the reranker is not here, or failed.
        """
        filters = {
            "k": k,
            "between": between,
            "as_of": as_of,
            "valid_at": valid_at,
            "kinds": kinds,
            "require_tags": require_tags,
            "where": where,
            "neighbors": neighbors,
            "route": route,
            "explain": explain,
        }
        question_asked = asked(
            self._engine,
            question,
            user=user,
            now=now,
            views=views,
            exclude=exclude,
            fusion=fusion,
            plan=plan,
            ranker=ranker,
            rerank_ms=rerank_ms,
            confidence=as_flag(confidence, "confidence"),
            arguments=filters,
        )
        return search(self._engine, question_asked, self._second_look)

    def context(
        self,
        question: str,
        *,
        user: str,
        tokens: int = 600,
        k: int | None = None,
        between: Any = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        count_tokens: TokenCounter | None = None,
    ) -> Context:
        """The best memories for a question as text for a prompt, within a number of tokens.

        One memory a line, in the order of time, under dates, with speakers and labels of their sources; what says the
        same stands there once. Long memories are shortened to the sentences nearest to the question. Whatever a
        memory says, it stays one line between `<memories>` and `</memories>`.

        Args:
            question, user, between, now, as_of, valid_at, kinds, require_tags, where, exclude: as in `search`.
            tokens: the most that the text may have, 1 to 1,000,000; empty if no part of the best memory fits.
            k: how many records are looked at; by default 50, or a twelfth of `tokens` if that is more.
            count_tokens: counts the tokens of a line; by default `memspan.estimate_tokens`, a rule without vocabulary.

        Returns:
            A `Context`; empty, with 0 tokens, when nothing was found.

        Raises:
            InvalidArgumentError: or its subclass `TimeError` or `WhereError`: an argument is not acceptable.
        """
        budget = checked_budget(tokens, k, count_tokens)
        recalls = self.search(
            question,
            user=user,
            k=budget.k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
        )
        return context_of(self._engine, question, user, recalls, budget)

    def latest(
        self, *, user: str, k: int = 20, between: Any = None, kinds: Sequence[str] | None = None
    ) -> Recalls:
        """The newest `k` records of a user by event time, newest first; `between` and `kinds` as in `search`."""
        return latest(self._engine, user=user, k=k, between=between, kinds=kinds)

    def get(self, *, user: str, id: str) -> Record | None:
        """One record with its embedding, of any kind; `None` when there is none."""
        checked_name(user, "user")
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.fetch(user, [checked_name(id, "id")], embeddings=True).get(id)

    def relate(self, *, user: str, parent: str, child: str) -> bool:
        """Put a tag below another one; returns whether that is new. A relation that `tag` made becomes a given one.

        Raises:
            TagCycleError: `parent` lies below `child`; the message shows the path.
        """
        return relate(self._engine, user=user, parent=parent, child=child)

    def unrelate(self, *, user: str, parent: str, child: str) -> bool:
        """Take back `relate`; returns whether there was such a relation. `tag` may make it again."""
        return unrelate(self._engine, user=user, parent=parent, child=child)

    def tag(self, user: str | None = None, *, progress: bool = False) -> TagReport:
        """Make tags of what a user's records say, or every user's, without a language model: keyphrases and names
        that come back, at most five a record, and which of them is broader than which.

        Calling it again makes them anew. Tags and relations that a caller gave stay, and made relations give way to
        them. A record that is replaced later has no made tags until the next call; records of kind `vault` give and
        get none. Languages without capitals or the marks of English nouns get fewer and rougher tags. Seconds for
        10,000 records, committed some hundreds at a time; the next call makes good one that was interrupted.

        Args:
            user: `None` for every user, each by their own texts only.
            progress: show a progress bar on standard error.

        Raises:
            EmbedderError: the embedder failed; users before this one are done.
        """
        from .remember.tagging import tag

        return tag(self._engine, user, progress)

    def untag(self, user: str | None = None, *, progress: bool = False) -> TagReport:
        """Take back what `tag` made; tags and relations that a caller gave stay."""
        from .remember.tagging import untag

        return untag(self._engine, user, progress)

    def tags(self, *, user: str) -> list[TagInfo]:
        """Every tag of a user, given or made, with its place in the hierarchy, sorted by name."""
        from .remember.tagging import tags

        return tags(self._engine, user)

    def forget(self, *, user: str, id: str | None = None, source: str | None = None) -> int:
        """Erase a user, one record, or what came from one source, with everything derived from it.

        Text, vector, words and tags go out of the database, the index and the cache file, and so do their
        bytes: when the call returns, no file holds them. That rewrites the database, which takes time linear
        in its size. Records whose `sources` lead to an erased record go too, and tags that no record has any
        more.

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

        What `tag` made is left out: it can be made again.

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

    def consolidate(self, user: str | None = None) -> ConsolidationReport:
        """Lay out the index of a user, or of all, for faster searches; see `Index.consolidate`.

        The layout is part of the cache file that `close` writes.
        """
        if user is not None:
            checked_name(user, "user")
        return consolidate(self._engine, user)

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

    def user(self, name: str) -> UserMemory:
        """The same calls bound to one user: hand this to code that must not reach anybody else's memory."""
        from .remember.user_memory import UserMemory

        return UserMemory(self, checked_name(name, "name"))

    def close(self) -> None:
        """Write the cache file when that is worth it and close the database. Closing twice is harmless."""
        self._engine.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    aadd = in_thread(add)
    aadd_records = in_thread(add_records)
    asearch = in_thread(search)
    acontext = in_thread(context)
    alatest = in_thread(latest)
    aget = in_thread(get)
    arelate = in_thread(relate)
    aunrelate = in_thread(unrelate)
    atag = in_thread(tag)
    auntag = in_thread(untag)
    atags = in_thread(tags)
    aforget = in_thread(forget)
    aexport = in_thread(export)
    aload = in_thread(load)
    areembed = in_thread(reembed)
    aconsolidate = in_thread(consolidate)
    astats = in_thread(stats)
    ausers = in_thread(users)
    averify = in_thread(verify)
    aclose = in_thread(close)
