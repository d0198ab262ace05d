"""`Memory.search` where tokens count beside all that the ranking saw: behind both default models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_late_ranker import TOKENS, TUNED
from word_tokens import WordTokens

from memspan import Memory
from memspan.embed import HashEmbedder
from memspan.query import Query
from memspan.ranking import default_ranker
from memspan.ranking.conditions import conditions_of
from memspan.ranking.late import LOOKED_AT, added_by_rank
from memspan.ranking.late_ranker import LOOKED_AT_FEATURES, LateWeights, late_ranker_for
from memspan.recall import Plan, ViewWeights, plan_by_rules

Open = Callable[..., Memory]
QUESTION = "which boat is red"


class Tuned(HashEmbedder):
    """Says that it is the default embedder."""

    name, checksum = TUNED


class TunedWords(WordTokens):
    """Says that it is the default token embedder."""

    def __init__(self) -> None:
        super().__init__(TOKENS[0], {"kayak": "boat"}, 96)
        self.checksum = TOKENS[1]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    memory = open_memory(embedder=Tuned(384), token_embedder=TunedWords())
    colours = ("red", "green", "blue", "white")
    messages = [
        {
            "id": f"m{n}",
            "text": f"the {'kayak' if n % 9 == 0 else 'house'} number{n} is {colours[n % 4]}",
            "session": f"s{n // 10}",
            "speaker": "ana" if n % 2 else "ben",
            "at": f"2023-{1 + n % 12:02d}-05",
        }
        for n in range(150)
    ]
    memory.add(messages, user="ana")
    return memory


def told(memory: Memory, **options: Any) -> list[dict[str, Any]]:
    """By the place that each had before."""
    found = memory.search(options.pop("question", QUESTION), user="ana", explain=True, **options)
    looked = [
        {"id": recall.id, "score": recall.score, **(recall.explanation or {})["tokens"]} for recall in found
    ]
    return sorted(looked, key=lambda each: each["rank_before"])


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was weighed: weights, scores, features, similarities."""
    seen: list[Any] = []
    added = LateWeights.added

    def spied(self: LateWeights, scores: Any, features: Any, similarities: Any) -> Any:
        seen.append((self, scores.copy(), features, similarities))
        return added(self, scores, features, similarities)

    monkeypatch.setattr(LateWeights, "added", spied)
    return seen


def plan_of(memory: Memory) -> Plan:
    vocabulary = memory._engine.vocabularies.of(memory._engine.current(), "ana", retired=False)
    return plan_by_rules(QUESTION, now=0, vocabulary=vocabulary)


def conditions(memory: Memory, plan: Plan) -> tuple[Any, ...]:
    index = memory._engine.current()
    return conditions_of(plan, memory._engine.vocabularies.of(index, "ana", retired=False))


def test_they_are_weighed_together(memory: Memory, looks: list[Any]) -> None:
    looked = told(memory, k=100)
    ((weights, scores, features, similarities),) = looks
    assert len(scores) == len(features) == len(similarities) == LOOKED_AT
    assert not np.isnan(features).any()
    by_weights = weights.added(scores, features, similarities)
    assert np.abs(by_weights - added_by_rank(similarities)).max() > 0.1
    for place, each in enumerate(looked):
        moved = by_weights[place] if place < LOOKED_AT else 0.0
        assert each["score"] == pytest.approx(each["score_before"] + moved, abs=1e-6)
        assert each["added"] == pytest.approx(moved, abs=1e-6)
    late_ranker = late_ranker_for(TUNED, TOKENS)
    assert late_ranker is not None
    held = conditions(memory, plan_of(memory))
    np.testing.assert_array_equal(weights.row, late_ranker.row(held))
    assert weights.base is None
    np.testing.assert_allclose(default_ranker(*TUNED).scores(features, held), scores, atol=1e-3)


def test_features_are_those_of_the_hits(memory: Memory) -> None:
    index = memory._engine.current()
    vector = memory._engine.embedder.query(QUESTION)
    ranking = default_ranker(*TUNED).ranking()
    arguments: dict[str, Any] = {
        "user": "ana",
        "text": QUESTION,
        "embedding": vector,
        "fusion": "learned",
        "k": 40,
    }
    hits = index.search(ranking=ranking, features=True, **arguments)
    ids, rows = index.features(Query(ranking=ranking, **arguments))
    by_id = dict(zip(ids, rows, strict=True))
    assert hits.features is not None
    assert hits.features.dtype == np.float32
    for id_, row in zip(hits.ids, hits.features, strict=True):
        np.testing.assert_array_equal(row, by_id[id_])
    assert index.search(ranking=ranking, **arguments).features is None
    with pytest.raises(ValueError, match="features"):
        index.search(**{**arguments, "fusion": "rrf"}, features=True)
    with pytest.raises(ValueError, match="features"):
        index.search(ranking=ranking, **arguments, features=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", ["own ranker", "one view", "other tokens"])
def test_elsewhere_only_the_rank_counts(memory: Memory, open_memory: Open, other: str) -> None:
    options: dict[str, Any] = {"k": LOOKED_AT}
    if other == "own ranker":
        options["ranker"] = default_ranker(*TUNED)
    elif other == "one view":
        options |= {"views": ["semantic"], "fusion": "learned"}
    else:
        memory = open_memory(embedder=Tuned(384), token_embedder=WordTokens(), reembed=True)
    looked = told(memory, **options)
    said = np.array([each["similarity"] for each in looked], np.float32)
    for each, added in zip(looked, added_by_rank(said), strict=True):
        assert each["added"] == pytest.approx(added, abs=1e-6)


@pytest.mark.parametrize("weights", [ViewWeights(), ViewWeights(semantic=0.5)])
def test_what_an_order_takes_off_stays_off(memory: Memory, looks: list[Any], weights: ViewWeights) -> None:
    plan = replace(plan_of(memory), spread=True, weights=weights)
    looked = told(memory, plan=plan, k=LOOKED_AT)
    ((used, scores, features, similarities),) = looks
    assert used.base is not None
    taken = used.base(features) - scores
    assert taken.min() > -1e-3
    assert taken.max() > 0.3
    undiminished = replace(used, base=None).added(scores + taken, features, similarities)
    after = np.array([each["score"] for each in looked]) + taken
    plain = scores + taken + undiminished
    np.testing.assert_allclose(after - after.mean(), plain - plain.mean(), atol=1e-3)


def test_a_plans_weights_count_for_tokens_too(memory: Memory, looks: list[Any]) -> None:
    plan = plan_of(memory)
    told(memory, plan=plan)
    told(memory, plan=replace(plan, weights=ViewWeights(semantic=0)))
    (whole, *_), (without, *_) = looks
    place = LOOKED_AT_FEATURES.index("token_rank")
    assert whole.row[place] != 0
    assert without.row[place] == 0
    assert without.row[LOOKED_AT_FEATURES.index("bm25_z")] == whole.row[LOOKED_AT_FEATURES.index("bm25_z")]
