"""A plain-Python model of `memspan.Index`: dictionaries, loops and float64; slow and obviously right."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import oracle_views as views_of
from oracle_fusion import VIEWS, Expected, fuse, score_error, spread, unfused, weighting_error
from oracle_views import Rec, Scored, Tokeniser, Vector, ranked, recency, unit, words
from oracle_where import matches

# A record that does not say otherwise was learnt when it was added; no test asks about times near that.
NOW = time.time_ns() // 1000
VIEW_TOLERANCE = 2e-5

Between = Sequence[tuple[int | None, int | None]]


@dataclass
class UserModel:
    records: dict[str, Rec] = field(default_factory=dict)
    edges: set[tuple[str, str]] = field(default_factory=set)
    tag_vectors: dict[str, Vector] = field(default_factory=dict)

    def speakers(self, *, retired: bool = True) -> list[str]:
        counted = [rec for rec in self.records.values() if retired or rec.retired_at is None]
        return sorted({rec.speaker for rec in counted if rec.speaker})

    def tags(self, *, retired: bool = True) -> dict[str, int]:
        """Every tag that has a record, a relation or an embedding, with its number of records."""
        names = {tag for edge in self.edges for tag in edge} | set(self.tag_vectors)
        counted = [rec for rec in self.records.values() if retired or rec.retired_at is None]
        names |= {tag for rec in counted for tag in rec.tags}
        return {name: sum(name in rec.tags for rec in counted) for name in sorted(names)}

    def distances(self, tags: Sequence[str], depth: int) -> dict[str, int]:
        """Steps from the nearest of the known `tags` down to every tag within `depth`."""
        known = self.tags()
        found = {tag: 0 for tag in tags if tag in known}
        for step in range(1, depth + 1):
            for parent, child in self.edges:
                if found.get(parent) == step - 1 and child not in found:
                    found[child] = step
        return found


@dataclass(frozen=True)
class Answer:
    ranking: list[Expected]
    views: dict[str, list[Scored]]
    undecidable: bool = False
    """Some view holds scores too close for float32 to order: ranks after it may differ from the ranking."""
    tolerance: float = 1e-7
    """How far float32 arithmetic may move a fused score."""
    admissible: frozenset[str] = frozenset()
    """The ids that the filters let through, whether a view found them or not."""


class Oracle:
    def __init__(self, tokenise: Tokeniser = words, k1: float = 1.2, b: float = 0.75) -> None:
        self.tokenise, self.k1, self.b = tokenise, k1, b
        self.users: dict[str, UserModel] = {}

    def user(self, user: str) -> UserModel:
        return self.users.get(user, UserModel())

    def make_user(self, user: str) -> UserModel:
        return self.users.setdefault(user, UserModel())

    def add(self, user: str, rec: Rec) -> None:
        self.make_user(user).records[rec.id] = rec

    def remove(self, user: str, ids: Sequence[str]) -> int:
        records = self.user(user).records
        return sum(records.pop(key, None) is not None for key in set(ids))

    def forget(self, user: str) -> int:
        return len(self.users.pop(user, UserModel()).records)

    def merge_tag(self, user: str, old: str, into: str) -> None:
        """Records, relations and, if `into` has none, the embedding of `old` go over to `into`."""
        model = self.user(user)
        for rec in list(model.records.values()):
            if old in rec.tags:
                kept = tuple(tag for tag in rec.tags if tag not in (old, into))
                model.records[rec.id] = replace(rec, tags=(*kept, into))
        model.edges = _redirected(model.edges, old, into)
        if old in model.tag_vectors:
            model.tag_vectors.setdefault(into, model.tag_vectors[old])
            del model.tag_vectors[old]

    def merging_closes_a_cycle(self, user: str, old: set[str], into: str) -> bool:
        """Whether the hierarchy, with all of `old` become `into`, would hold a cycle."""
        edges = self.user(user).edges
        for tag in old:
            edges = _redirected(edges, tag, into)
        merged = UserModel(edges=edges)
        return any(parent in merged.distances([child], len(edges)) for parent, child in edges)

    def drop_tag(self, user: str, tag: str) -> None:
        model = self.user(user)
        for rec in list(model.records.values()):
            model.records[rec.id] = replace(rec, tags=tuple(other for other in rec.tags if other != tag))
        model.edges = {edge for edge in model.edges if tag not in edge}
        model.tag_vectors.pop(tag, None)

    def latest(
        self, user: str, k: int = 20, between: Between | None = None, kinds: Sequence[str] | None = None
    ) -> list[Rec]:
        found = [rec for rec in self.user(user).records.values() if admits(rec, between=between, kinds=kinds)]
        return sorted(found, key=recency, reverse=True)[:k]

    def route(self, user: str, embedding: Vector, k: int) -> list[tuple[str, float]]:
        """The tags of today whose own embedding, or else the mean of their records' directions, lies nearest."""
        model, target = self.user(user), unit(embedding)
        scored = []
        for tag in model.tags(retired=False):
            carriers = [
                rec for rec in model.records.values() if tag in rec.tags and rec.embedding is not None
            ]
            rows = [unit(rec.embedding) for rec in carriers if rec.embedding is not None]
            vector = model.tag_vectors.get(tag) or tuple(map(sum, zip(*rows, strict=True)))
            if vector:
                scored.append((tag, sum(x * y for x, y in zip(unit(vector), target, strict=True))))
        return sorted(scored, key=lambda item: (-item[1], item[0]))[:k]

    def search(
        self,
        *,
        user: str,
        text: str | None = None,
        embedding: Vector | None = None,
        tags: Sequence[str] = (),
        k: int = 10,
        views: Sequence[str] | None = None,
        fusion: str = "rrf",
        weights: Mapping[str, float] | None = None,
        depth: int | None = None,
        tag_depth: int = 1,
        neighbors: int = 0,
        **filters: Any,
    ) -> Answer:
        """The full ranking of everything that qualifies; a search returns its first `k` rows."""
        owner = self.user(user)
        admissible = [rec for rec in owner.records.values() if admits(rec, **filters)]
        allowed = frozenset(rec.id for rec in admissible)
        queries = {"semantic": embedding is not None, "lexical": text is not None, "symbolic": bool(tags)}
        asked = set(views or [view for view in VIEWS if queries[view]] or ["symbolic"])
        if tags:
            asked.add("symbolic")  # tags boost whatever else was asked
        if asked == {"symbolic"} and not tags:
            listing = [Scored(rec, 0.0, None) for rec in admissible]
            rows = [Expected(item.rec) for item in ranked(listing)]
            return Answer(rows, {"symbolic": ranked(listing)}, admissible=allowed)

        scored: dict[str, list[Scored]] = {}
        if "semantic" in asked:
            assert embedding is not None
            scored["semantic"] = views_of.semantic(admissible, embedding)
        if "lexical" in asked:
            assert text is not None
            now = filters.get("as_of") is None and filters.get("valid_at") is None
            corpus = [rec for rec in owner.records.values() if not (now and rec.retired_at is not None)]
            scored["lexical"] = views_of.lexical(admissible, corpus, text, self.tokenise, self.k1, self.b)
        if "symbolic" in asked:
            weight_of = {tag: 0.5**steps for tag, steps in owner.distances(tags, tag_depth).items()}
            scored["symbolic"] = views_of.symbolic(admissible, weight_of)
        undecidable = any(views_of.undecidable(ranked(found), VIEW_TOLERANCE) for found in scored.values())

        lists = {view: ranked(found)[: max(depth or max(100, 4 * k), k)] for view, found in scored.items()}
        weight_by_view = dict.fromkeys(VIEWS, 1.0) | dict(weights or {})
        alone = len(lists) == 1 and fusion == "rrf"
        rows = unfused(lists) if alone else fuse(lists, fusion, weight_by_view)
        if neighbors:
            rows = spread(rows, admissible, list(owner.records.values()), neighbors)
        ranking = sorted(rows, key=lambda row: (row.score, recency(row.rec)), reverse=True)
        if "semantic" in asked:
            chosen = {row.rec.id for row in ranking}
            rest = [rec for rec in admissible if rec.id not in chosen]
            lowest = min([0.0, *(row.score for row in ranking)])  # scores never rise along the list
            ranking += [
                Expected(rec, (lowest, 0.0, 0.0), filler=True)
                for rec in sorted(rest, key=recency, reverse=True)
            ]
        error = score_error if alone else weighting_error if fusion == "weighted" else lambda found: 1e-7
        tolerance = max(map(error, lists.values()), default=0.0)
        return Answer(ranking, lists, undecidable, tolerance * max(1.0, *weight_by_view.values()), allowed)


def _redirected(edges: set[tuple[str, str]], old: str, into: str) -> set[tuple[str, str]]:
    renamed = {tuple(into if tag == old else tag for tag in edge) for edge in edges}
    return {(parent, child) for parent, child in renamed if parent != child}


def admits(
    rec: Rec,
    *,
    between: Between | None = None,
    kinds: Sequence[str] | None = None,
    require_tags: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    exclude: Sequence[str] = (),
    as_of: int | None = None,
    valid_at: int | None = None,
) -> bool:
    learnt = NOW if rec.recorded_at is None else rec.recorded_at
    if rec.expires_at is not None and rec.expires_at <= NOW:
        return False
    if as_of is None and valid_at is None and rec.retired_at is not None:
        return False
    inside = between is None or any(
        (start is None or start <= rec.at) and (end is None or rec.at < end) for start, end in between
    )
    return (
        inside
        and (rec.kind in kinds if kinds is not None else rec.kind != "vault")
        and set(require_tags) <= set(rec.tags)
        and (where is None or matches(rec.metadata, where))
        and rec.id not in exclude
        and (as_of is None or (learnt <= as_of and (rec.retired_at is None or as_of < rec.retired_at)))
        and (valid_at is None or rec.at <= valid_at)
        and (valid_at is None or (until := end_of_validity(rec, as_of)) is None or valid_at < until)
    )


def end_of_validity(rec: Rec, as_of: int | None) -> int | None:
    """As is known now or, of a record that was retired after `as_of`, as it was known then."""
    if as_of is None or rec.retired_at is None or as_of >= rec.retired_at:
        return rec.until
    ended = rec.metadata.get("ended")
    until = ended.get("until") if isinstance(ended, Mapping) else None
    return until if isinstance(until, int) and not isinstance(until, bool) else None
