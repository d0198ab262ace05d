"""A search as a value, for `Index.search_many`, and the checks that it shares with `Index.search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arguments import (
    as_array,
    as_choice,
    as_embedding,
    as_flag,
    as_integer,
    as_kind,
    as_number,
    as_share,
    as_text,
    as_texts,
    as_where,
    is_listing,
)
from .errors import EmbeddingError, InvalidArgumentError, invalid
from .limits import MAX_DEPTH, MAX_K
from .ranking import Ranking, default_ranker
from .times import Between, TimeLike, to_intervals, to_micros

__all__ = ["FUSIONS", "VIEWS", "Query", "answers_of", "natives_of"]

VIEWS: Final = ("semantic", "lexical", "symbolic")
"""The ways to look: embeddings, words, and tags."""

FUSIONS: Final = ("rrf", "union", "weighted", "learned")
"""How the views' rankings become one: reciprocal ranks, best rank, weighted scores, or a learned ranking."""


class Query:
    """One search within one user; the same arguments as `Index.search`.

    Immutable, and usable with any index of the embedding's dimension. Types, words and numbers are checked when it is
    made; the values of a vector, sizes, the syntax of `where`, and whether each view has a query, when it is asked.

    Example:
        >>> queries = [memspan.Query(user="ana", text=text, k=3) for text in ("the bill", "the vet")]
        >>> [[hit.id for hit in hits] for hits in index.search_many(queries)]
        [['m1'], []]
    """

    __slots__ = ("_native",)

    @_core.native_query
    def __init__(
        self,
        *,
        user: str,
        text: str | None = None,
        embedding: ArrayLike | None = None,
        tags: Sequence[str] = (),
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        k: int = 10,
        views: Sequence[str] | None = None,
        fusion: str = "rrf",
        weights: Mapping[str, float] | None = None,
        ranking: Ranking | None = None,
        depth: int | None = None,
        route: int = 0,
        tag_depth: int = 1,
        neighbors: int = 0,
        exact: bool = False,
        recall: float = 0.995,
        explain: bool = False,
        track: bool = True,
        features: bool = False,
    ) -> None:
        # The slow path: `native_query` answers calls whose arguments are all of the common exact types.
        vector = None if embedding is None else _vector(embedding)
        self._native = _core.make_query(
            as_text(user, "user"),
            None if text is None else as_text(text, "text"),
            vector,
            as_texts(tags, "tags"),
            to_intervals(between),
            None if kinds is None else _choices(kinds, "kinds", None),
            as_texts(require_tags, "require_tags"),
            as_where(where),
            as_texts(exclude, "exclude"),
            None if as_of is None else to_micros(as_of, "as_of"),
            None if valid_at is None else to_micros(valid_at, "valid_at"),
            as_integer(k, "k", 1, MAX_K),
            None if views is None else _choices(views, "views", VIEWS),
            as_choice(fusion, "fusion", FUSIONS),
            _weights(weights),
            _ranking(ranking, fusion),
            0 if depth is None else as_integer(depth, "depth", 1, MAX_DEPTH),
            as_integer(route, "route", 0, 1000),
            as_integer(tag_depth, "tag_depth", 0, 100),
            as_integer(neighbors, "neighbors", 0, 100),
            as_flag(exact, "exact"),
            as_share(recall, "recall"),
            as_flag(explain, "explain"),
            as_flag(track, "track"),
            _features(features, fusion),
        )

    def __repr__(self) -> str:
        return repr(self._native)


def natives_of(queries: Any) -> list[_core.Query]:
    """The native forms of an iterable of queries.

    Raises:
        InvalidArgumentError: it is none, or holds something else.
    """
    if not is_listing(queries):
        raise invalid("queries", queries, "a list of memspan.Query")
    natives = []
    for position, query in enumerate(queries):
        if not isinstance(query, Query):
            raise invalid(f"queries[{position}]", query, "a memspan.Query")
        natives.append(query._native)
    return natives


def answers_of(index: _core.Index, natives: list[_core.Query], threads: int) -> list[_core.Hits]:
    """What the index answers to the queries, in their order.

    Raises:
        InvalidArgumentError: of the first query that is refused; of several, it says which one that is.
    """
    try:
        return index.search_many(natives, threads)
    except InvalidArgumentError as error:
        if len(natives) == 1:
            raise
        raise (_first_refusal(index, natives) or error) from None


def _first_refusal(index: _core.Index, natives: list[_core.Query]) -> InvalidArgumentError | None:
    # The core names the argument alone. An index without records makes the same checks at once, and counts no uses.
    empty = _core.Index(index.dim, index.analyzer, index.k1, index.b, index.row_format, 0, b".")
    for position, native in enumerate(natives):
        if (error := _refusal(empty, native)) is not None:
            return type(error)(f"queries[{position}].{error}")
    return None


def _refusal(index: _core.Index, native: _core.Query) -> InvalidArgumentError | None:
    try:
        index.search(native)
    except InvalidArgumentError as error:
        return error
    return None


def _vector(embedding: ArrayLike) -> NDArray[np.float32]:
    accepted = "float values of shape (dim,)"
    array = as_array(embedding, "embedding", accepted)
    if array.ndim != 1 or not array.size:
        raise invalid("embedding", f"an array of shape {array.shape}", accepted, EmbeddingError)
    return as_embedding(array, "embedding", array.shape)


def _ranking(ranking: Any, fusion: Any) -> _core.Ranking | None:
    if ranking is None and fusion == "learned":
        return default_ranker().ranking()
    if ranking is not None and not isinstance(ranking, _core.Ranking):
        raise invalid("ranking", ranking, "what Ranker.ranking() gives")
    if ranking is not None and fusion != "learned":
        raise invalid("ranking", ranking, f"none with fusion {fusion!r}; a ranking is for 'learned'")
    return ranking


def _features(features: Any, fusion: Any) -> bool:
    if as_flag(features, "features") and fusion != "learned":
        raise invalid("features", features, f"False with fusion {fusion!r}; they are of 'learned'")
    return bool(features)


def _choices(values: Sequence[str], argument: str, choices: Sequence[str] | None) -> list[int]:
    names = as_texts(values, argument)
    places = [f"{argument}[{position}]" for position in range(len(names))]
    if choices is None:
        return [as_kind(name, place) for name, place in zip(names, places, strict=True)]
    if not names:
        raise invalid(argument, values, "at least one of " + " | ".join(choices))
    return [as_choice(name, place, choices) for name, place in zip(names, places, strict=True)]


def _weights(weights: Any) -> list[float]:
    if weights is None:
        return [1.0, 1.0, 1.0]
    if not isinstance(weights, Mapping) or not set(weights) <= set(VIEWS):
        raise invalid("weights", weights, "a dict from " + " | ".join(VIEWS) + " to a number")
    return [as_number(weights.get(view, 1.0), f"weights[{view}]", 0.0, 1e6) for view in VIEWS]
