"""`Memory.search` with a look at the tokens of its best."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from word_tokens import WordTokens

from memspan import Memory
from memspan.ranking.late import LOOKED_AT, added_by_rank
from memspan.recall import Plan

Open = Callable[..., Memory]
COLOURS = ("red", "green", "blue", "white", "black", "grey", "brown")


def fill(memory: Memory, count: int = 30, user: str = "ana") -> None:
    """To words a record about a kayak is one about a boat; to the rest of the search it is like any other."""
    messages = [
        {
            "id": f"m{n}",
            "text": f"the {'kayak' if n == 7 else 'house'} number{n} is {COLOURS[n % 7]} {COLOURS[n % 5]}",
            "session": f"s{n % 4}",
        }
        for n in range(count)
    ]
    memory.add(messages, user=user, at="2023-05-08")


def pairs(found: Any) -> list[tuple[str, float]]:
    return [(recall.id, recall.score) for recall in found]


def rank_of(found: Any, id: str) -> int:
    return [recall.id for recall in found].index(id)


def looks(words: WordTokens, memory: Memory, **options: Any) -> bool:
    """Whether a search looks at tokens."""
    before = len(words.questions)
    memory.search("a boat that is red", user="ana", **options)
    return len(words.questions) > before


def test_what_shares_the_questions_words_rises(open_memory: Open, memory: Memory) -> None:
    fill(memory)
    plain = open_memory(token_embedder=False).search("which boat", user="ana", k=30)
    looked = memory.search("which boat", user="ana", k=30)
    assert {recall.id for recall in looked} == {recall.id for recall in plain}
    assert rank_of(looked, "m7") < rank_of(plain, "m7")
    assert dict(pairs(looked))["m7"] > dict(pairs(plain))["m7"]


@pytest.mark.parametrize("k", [1, 5, 63, 64, 65, 100, 150])
def test_explained(open_memory: Open, memory: Memory, k: int) -> None:
    fill(memory, 120)
    question = "which boat is red"
    searched = max(k, LOOKED_AT)
    plain = open_memory(token_embedder=False).search(question, user="ana", k=searched)
    found = memory.search(question, user="ana", k=k, explain=True)
    assert found.explanation is not None
    assert found.explanation["k"] == k
    assert len(found) == min(k, 120)
    everything = memory.search(question, user="ana", k=searched, explain=True)
    assert pairs(everything)[:k] == pairs(found)
    told = {recall.id: recall.explanation["tokens"] for recall in everything if recall.explanation}
    said = np.full(len(everything), np.nan, np.float32)
    for id_, each in told.items():
        place = each["rank_before"] - 1
        assert (id_, each["score_before"]) == pairs(plain)[place]
        assert (each["similarity"] is None) == (place >= LOOKED_AT)
        if each["similarity"] is not None:
            said[place] = each["similarity"]
    added = added_by_rank(said)
    for recall in everything:
        each = told[recall.id]
        assert recall.score == pytest.approx(each["score_before"] + added[each["rank_before"] - 1], abs=1e-9)
    scores = [recall.score for recall in everything]
    assert scores == sorted(scores, reverse=True)


def test_without_explain_the_same_comes_and_nothing_is_told(memory: Memory) -> None:
    fill(memory)
    found = memory.search("which boat", user="ana", k=9)
    assert pairs(found) == pairs(memory.search("which boat", user="ana", k=9, explain=True))
    assert found.explanation is None
    assert all(recall.explanation is None for recall in found)
    assert found.timings.reranking > 0
    assert found.timings.total >= found.timings.reranking


def test_one_that_is_far_behind_may_come_first(memory: Memory) -> None:
    fill(memory, 60)
    (best,) = memory.search("kayak boat", user="ana", k=1, explain=True)
    assert best.id == "m7"
    everything = memory.search("boat boat", user="ana", k=60, explain=True)
    place = rank_of(everything, "m7")
    assert everything[place].explanation is not None
    assert place < everything[place].explanation["tokens"]["rank_before"] - 1


@pytest.mark.parametrize("count", [1, 2, 3])
def test_users_with_few_records(memory: Memory, count: int) -> None:
    fill(memory, count)
    found = memory.search("which boat", user="ana", k=10, explain=True)
    assert {recall.id for recall in found} == {f"m{n}" for n in range(count)}
    if count == 1:
        assert found[0].explanation is not None
        assert found[0].explanation["tokens"]["score_before"] == found[0].score


def test_a_user_with_nothing(memory: Memory) -> None:
    fill(memory)
    assert memory.search("which boat", user="nobody") == []
    assert memory.search("which boat", user="ana", kinds=["procedural"]) == []


def test_a_question_without_tokens(open_memory: Open, memory: Memory) -> None:
    fill(memory)
    plain = open_memory(token_embedder=False)
    assert pairs(memory.search("?!", user="ana")) == pairs(plain.search("?!", user="ana"))


def test_without_a_token_embedder_all_is_as_it_was(
    open_memory: Open, memory: Memory, words: WordTokens, tmp_path: Any
) -> None:
    fill(memory)
    plain = open_memory(token_embedder=False)
    never = open_memory(tmp_path / "never.memspan", token_embedder=False)
    fill(never)
    for k in (1, 10, 30):
        found = plain.search("which boat", user="ana", k=k, explain=True)
        assert pairs(found) == pairs(never.search("which boat", user="ana", k=k))
        assert all("tokens" not in (recall.explanation or {}) for recall in found)
        assert found.timings.reranking == 0
    assert words.questions == []


def test_only_learned_searches_of_now_by_meaning_look(memory: Memory, words: WordTokens) -> None:
    fill(memory)
    assert looks(words, memory)
    assert looks(words, memory, fusion="learned")
    assert looks(words, memory, plan=Plan(question="boat"))
    assert not looks(words, memory, fusion="rrf")
    assert not looks(words, memory, fusion="weighted")
    assert not looks(words, memory, views=["lexical"])
    assert not looks(words, memory, views=["lexical"], fusion="learned")
    assert not looks(words, memory, as_of="2050-01-01")
    assert not looks(words, memory, valid_at="2050-01-01")
    assert not looks(words, memory, as_of="2050-01-01", valid_at="2050-01-01")
    memory.latest(user="ana")
    assert words.questions == ["a boat that is red"] * 2 + ["boat"]


def test_a_plan_looks_for_its_own_words(memory: Memory, words: WordTokens) -> None:
    fill(memory)
    memory.search("it", user="ana", plan=Plan(question="it", semantic="the boat"))
    assert words.questions == ["the boat"]


def test_bound_and_asynchronous_forms(memory: Memory) -> None:
    fill(memory)
    wanted = pairs(memory.search("which boat", user="ana"))
    assert pairs(memory.user("ana").search("which boat")) == wanted
    assert pairs(asyncio.run(memory.asearch("which boat", user="ana"))) == wanted
