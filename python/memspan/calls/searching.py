"""The calls of `Memory` that look memories up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memspan.arguments import as_flag
from memspan.lifecycle.staleness import StalenessPolicy, as_staleness_policy
from memspan.ranking import Ranker
from memspan.recall.context import Context, TokenCounter, checked_budget
from memspan.recall.plan import Plan
from memspan.records import Record
from memspan.remember.asynchronous import in_thread
from memspan.remember.input.fields import checked_name, checked_text
from memspan.remember.searching.aging import Aging
from memspan.remember.searching.asking import asked
from memspan.remember.searching.contexts import context_of
from memspan.remember.searching.recall import Recalls
from memspan.remember.searching.searching import latest, search, with_one_embedder
from memspan.times import Between, TimeLike

from .base import Calls

__all__ = ["SearchingCalls"]


class SearchingCalls(Calls):
    """See `Memory`."""

    def search(
        self,
        question: str,
        *,
        user: str,
        k: int | None = 10,
        between: Between | None = None,
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
        staleness: str | StalenessPolicy = "none",
        explain: bool = False,
        track: bool = True,
    ) -> Recalls:
        """Find the records of a user that answer a question best.

        Example:
            >>> for recall in memory.search("Where do I live?", user="ana", k=3, between=("2024-01-01", None)):
            ...     print(f"{recall.at:%Y-%m-%d} {recall.text}")
            2024-04-02 I moved to Bergen.

        Args:
            question: in plain words.
            user: an unknown user has no records.
            k: how many, 1 to 10,000. Only filters make it fewer, a user that has fewer, or `views` without `semantic`,
                which bring what they find alone. `None`: as many as the plan wants: by rules 10 to 20, and 30 or 40
                for questions that list or want a summary.
            between: a `(start, end)` pair of times, or up to 1,024; the end is exclusive, `None` leaves a side
                open.
            now: when the question is asked, for words such as "last week"; days are those of its zone. By default
                the user's newest record that is not still to come.
            as_of: only what was believed then, as it read then: what was recorded by then and not retired yet. What
                `compress` shortened since is found by its short form, and comes with the wording of then if that was
                kept. What was imported counts from the moment at which it was imported, whenever it happened.
            valid_at: only what was true then, by what is known now or, with `as_of`, was known at that time; what had
                been superseded or retired by then counts until the end that it got. Neither finds what was evicted,
                see `history`.
            kinds: only these; `vault` records are found only if it is named here.
            require_tags: only records with all of these tags, 64 at most.
            where: a filter over metadata, such as `{"topic": {"$in": ["a", "b"]}}`; see `memspan.Index.search`.
            exclude: ids that must not come, 100,000 at most.
            views: any of `semantic`, `lexical` and `symbolic`; by default the first two.
            fusion: `learned` (default) plans by rules, ranks by learned weights and, with a token embedder, looks again
                at the tokens of the best 64, but not with `as_of` or `valid_at`; `rrf`, `union`, `weighted` do not.
            neighbors: let this many turns before and after a hit in its session rise with it; with `rrf`, which
                is then the default, `union` or `weighted`. The learned ranking looks at neighbours itself.
            plan: how to look, instead of `plan_by_rules`; ranker: weights of your own (`memspan fit`), beside which
                tokens count by their rank alone.
            route: let so many of the user's tags nearest to the question, and those right below them, lift the
                records that carry them a little, see `tag`; it takes the view `symbolic`.
            rerank_ms: let the reranker look at the best for so many milliseconds; 150 do most of what it can.
                Loading it, once, takes its own time. Scores are then log odds.
            confidence: fill in `Recalls.confidence`: how likely it is that there is an answer at all. Only with the
                learned ranking; costs a second native search.
            staleness: let stale records sink a little: `none`, `decay`, `refresh`, `provenance`, `validity`, or a
                `StalenessPolicy`. The answer holds the same records, none of them more than `places` from where it
                stood; `Recalls.moved` names those that moved.
            explain: fill in `explanation`.
            track: count this as a use of the records that come back, see `uses`; `False` for a look that shall not
                keep them alive, as of an inspector or a test.

        Returns:
            A list of `Recall`, best first; newer first among equals. Its `timings` say where the time went.

        Raises:
            InvalidArgumentError: or its subclass `TimeError` or `WhereError`: an argument is not acceptable.
            EmbedderError: an embedder failed with the question.
            EmbedderMismatchError: another process converted the store to another embedder.
            ModelNotFoundError, MissingExtraError, RerankerError: the reranker is not here, or failed.
        """
        aging = Aging(
            as_staleness_policy(staleness), now=now, as_of=as_of, explain=as_flag(explain, "explain")
        )
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
            "track": as_flag(track, "track"),
        }
        sure = as_flag(confidence, "confidence")

        def found() -> Recalls:
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
                confidence=sure,
                arguments=filters,
            )
            return search(self._engine, question_asked, self._second_look, aging)

        return with_one_embedder(self._engine, found)

    def context(
        self,
        question: str,
        *,
        user: str,
        tokens: int = 600,
        k: int | None = None,
        between: Between | None = None,
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
        count_tokens: TokenCounter | None = None,
        track: bool = True,
    ) -> Context:
        """The best memories for a question as text for a prompt, within a number of tokens.

        One memory a line, in the order of time, under dates (in the zone of `now`), with speakers and labels of their
        sources; what says the same stands there once. Long memories are shortened to the sentences and lines nearest to
        the question. Whatever a memory says, it stays one line between `<memories>` and `</memories>`.

        Example:
            >>> print(memory.context("Where do I live?", user="ana", tokens=200).text)
            <memories>
            Tue 2 Apr 2024
            [m1] user: I moved to Bergen.
            </memories>

        Args:
            question, user, between, now, as_of, valid_at, kinds, require_tags, where, exclude: as in `search`.
            views, fusion, neighbors, plan, ranker, route, rerank_ms: how they are found and ranked, as in `search`;
                what ranks best comes in first, and after a learned ranking what is worth most for its length.
            tokens: the most that the text may have, 1 to 1,000,000; empty if no part of the best memory fits.
            k: how many records are looked at; by default 50, or a twelfth of `tokens` if that is more.
            count_tokens: counts the tokens of a line; by default `memspan.estimate_tokens`, a rule without vocabulary.
            track: count this as a use of the records that are looked at, as in `search`.

        Returns:
            A `Context`; empty, with 0 tokens, when nothing was found.

        Raises:
            InvalidArgumentError: or its subclass `TimeError` or `WhereError`: an argument is not acceptable.
            EmbedderError, EmbedderMismatchError: as in `search`.
            ModelNotFoundError, MissingExtraError, RerankerError: the reranker is not here, or failed.
        """
        budget = checked_budget(tokens, k, count_tokens)
        text = checked_text(question, "question")
        recalls = self.search(
            text,
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
            views=views,
            fusion=fusion,
            neighbors=neighbors,
            plan=plan,
            ranker=ranker,
            route=route,
            rerank_ms=rerank_ms,
            track=track,
        )
        return context_of(self._engine, text, user, recalls, budget, now)

    def latest(
        self, user: str, *, k: int = 20, between: Between | None = None, kinds: Sequence[str] | None = None
    ) -> Recalls:
        """The newest `k` records of a user by event time, newest first; `between` and `kinds` as in `search`."""
        return latest(self._engine, user=user, k=k, between=between, kinds=kinds)

    def get(self, *, user: str, id: str) -> Record | None:
        """One record with its embedding, of any kind; `None` when there is none."""
        checked_name(user, "user")
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.fetch(user, [checked_name(id, "id")], embeddings=True).get(id)

    asearch = in_thread(search, reads=True)
    acontext = in_thread(context, reads=True)
    alatest = in_thread(latest, reads=True)
    aget = in_thread(get, reads=True)
