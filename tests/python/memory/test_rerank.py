"""`Memory.search` with a second look."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.recall import Plan
from memspan.records import Record
from memspan.remember.compose import reranked_text
from memspan.remember.searching.reranking import CANDIDATES
from memspan.times import from_micros

LONG = 600_000
Open = Callable[..., Memory]


class Likes:
    """Likes passages in which a word stands; remembers everything that it was given."""

    name = "likes"

    def __init__(self, word: str, seconds: float = 0.0) -> None:
        self.word, self.seconds = word, seconds
        self.seen: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> Any:
        self.seen += passages
        time.sleep(self.seconds * len(passages))
        last = [passage.rpartition("\n")[2] for passage in passages]
        return np.array([9.0 if self.word in passage else -9.0 for passage in last], dtype=np.float32)


def fill(memory: Memory, user: str = "ana", turns: int = 12) -> None:
    memory.add(
        [
            {
                "id": f"m{n}",
                "speaker": "Ben" if n % 2 else "Ana",
                "text": f"camping {'lake ' * (turns - n)}word{n}",
            }
            for n in range(turns)
        ],
        user=user,
        at="2023-05-08",
        session="s",
    )


def ids(found: Any) -> list[str]:
    return [recall.id for recall in found]


def test_off_by_default_and_at_budget_zero(open_memory: Open) -> None:
    likes = Likes("word7")
    memory = open_memory(reranker=likes)
    fill(memory)
    plain = memory.search("camping lake", user="ana")
    assert ids(memory.search("camping lake", user="ana", rerank_ms=0)) == ids(plain)
    assert likes.seen == []
    assert plain.timings.reranking == 0


def test_what_the_reranker_likes_comes_first(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("word11"))
    fill(memory)
    plain = memory.search("camping lake", user="ana", k=12)
    assert ids(plain)[0] != "m11"
    seen = memory.search("camping lake", user="ana", k=3, rerank_ms=LONG)
    assert ids(seen) == ["m11", *[id_ for id_ in ids(plain) if id_ != "m11"][:2]]
    scores = [recall.score for recall in seen]
    assert scores == sorted(scores, reverse=True)
    assert seen.timings.reranking > 0
    assert seen.timings.total >= seen.timings.reranking
    assert seen[0].text == seen[0].record.text == "camping lake word11"


def test_it_counts_more_behind_a_fusion_by_rank_than_behind_learned_scores(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("word11"))
    fill(memory)

    def lead(fusion: str, base: Callable[[dict[str, Any]], float]) -> list[float]:
        """By how much more the one that is liked rose than each of the others."""
        found = memory.search("camping lake", user="ana", k=12, fusion=fusion, rerank_ms=LONG, explain=True)
        rise = {each.id: each.score - base((each.explanation or {})["reranker"]) for each in found}
        return [rise["m11"] - rise[f"m{number}"] for number in range(11)]

    assert lead("learned", lambda seen: seen["score_before"]) == pytest.approx([0.75 * 9] * 11, abs=0.01)
    behind_ranks = lead("rrf", lambda seen: -1.6 * math.log(seen["rank_before"]))
    assert behind_ranks == pytest.approx([9 + math.log(7)] * 11, abs=0.01)  # the others share rank 7


def test_nothing_is_lost_when_the_reranker_says_nothing(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("nowhere"))
    fill(memory, turns=70)
    for k in (1, 10, 60, 70, 500):
        plain = memory.search("camping lake", user="ana", k=k)
        assert ids(memory.search("camping lake", user="ana", k=k, rerank_ms=LONG)) == ids(plain)


def test_a_listing_covers_its_sessions_also_when_no_time_is_left(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("nowhere", seconds=5e-3))
    fill(memory, turns=40)
    for number in range(3):
        other = [
            {"id": f"other{number}", "text": f"once we had a camping trip to place{number}", "speaker": "Ben"}
        ]
        memory.add(other, user="ana", at="2023-06-01", session=f"t{number}")
    plan = Plan(question="camping lake", kind="list", k=30, sessions=8)
    plain = memory.search("camping lake", user="ana", k=10, plan=plan)
    sessions = {recall.record.session for recall in plain}
    assert len(sessions) == 3  # 8 of 30 are 3 of 10
    nothing = memory.search("camping lake", user="ana", k=10, plan=plan, rerank_ms=1)
    assert [(recall.id, recall.score) for recall in nothing] == [
        (recall.id, recall.score) for recall in plain
    ]
    everything = memory.search("camping lake", user="ana", k=10, plan=plan, rerank_ms=LONG)
    assert len({recall.record.session for recall in everything}) == 3


def test_it_reads_each_turn_with_its_date_and_what_came_before(open_memory: Open) -> None:
    likes = Likes("x")
    memory = open_memory(reranker=likes)
    memory.add(
        [
            {
                "id": "a",
                "speaker": "Ana",
                "text": "Where is the camping stove?",
                "session": "s",
                "at": "2023-05-08",
            },
            {
                "id": "c",
                "speaker": "Ana",
                "text": "Another camping session",
                "session": "t",
                "at": "2023-05-09",
            },
            {"id": "b", "speaker": "Ben", "text": "In the car", "session": "s", "at": "2023-05-10"},
            {"id": "d", "text": "camping alone", "at": "2023-05-11"},
        ],
        user="ana",
    )
    memory.search("camping", user="ana", rerank_ms=LONG)
    read = set(likes.seen)
    assert "[10 May 2023] Ana: Where is the camping stove?\nBen: In the car" in read
    assert "[8 May 2023] Ana: Where is the camping stove?" in read
    assert "[9 May 2023] Ana: Another camping session" in read
    assert "[11 May 2023] camping alone" in read


def test_what_came_before_need_not_be_among_the_best(open_memory: Open) -> None:
    likes = Likes("x")
    memory = open_memory(reranker=likes)
    memory.add(
        [{"text": f"camping by the lake, evening {n}", "session": f"s{n}"} for n in range(80)],
        user="ana",
        at="2023-05-08",
    )
    question = {"speaker": "Ana", "text": "Where did you put it?", "session": "s", "at": "2023-05-09T10:00"}
    answer = {"speaker": "Ben", "text": "camping by the lake", "session": "s", "at": "2023-05-09T11:00"}
    memory.add([question, answer], user="ana")
    memory.search("camping by the lake", user="ana", k=1, fusion="rrf", rerank_ms=LONG)
    assert "[9 May 2023] Ana: Where did you put it?\nBen: camping by the lake" in likes.seen
    assert "[9 May 2023] Ana: Where did you put it?" not in likes.seen, "else this test says nothing"


def test_it_reads_only_what_the_search_may_return(open_memory: Open) -> None:
    likes = Likes("x")
    memory = open_memory(reranker=likes)
    turns = [
        {"id": "a", "text": "the safe code is 1234", "kind": "vault", "at": "2023-05-01"},
        {"id": "b", "text": "camping by the lake", "at": "2023-05-02"},
        {"id": "c", "text": "camping at sea", "at": "2023-05-03", "recorded_at": "2024-01-01"},
        {"id": "d", "text": "camping in rain", "at": "2023-05-04", "recorded_at": "2023-05-04"},
    ]
    memory.add(turns, user="ana", session="s")
    memory.add(
        [{"id": "a", "text": "camping of ben"}, {"id": "b", "text": "camping too"}], user="ben", session="s"
    )

    def read(**options: Any) -> str:
        likes.seen.clear()
        memory.search("camping", user="ana", rerank_ms=LONG, **options)
        return "\n".join(likes.seen)

    everything = read()
    assert "camping by the lake\ncamping at sea" in everything
    assert "1234" not in everything
    assert "ben" not in everything
    assert "too" not in everything
    assert "1234\ncamping by the lake" in read(kinds=["episodic", "vault"])
    assert "at sea" not in read(as_of="2023-12-31")
    assert "at sea" not in read(exclude=["c"])


def test_a_record_of_an_image_and_a_long_turn(open_memory: Open) -> None:
    record = Record(
        id="a", user="u", text="look", at=from_micros(0), speaker="Ana", metadata={"images": ["a red tent"]}
    )
    assert reranked_text(record, None) == "[1 January 1970] Ana: look [image: a red tent]"
    long = Record(id="b", user="u", text="word " * 100_000, at=from_micros(0))
    assert reranked_text(record, long).startswith(
        "[1 January 1970] " + ("word " * 100_000)[-100:] + "\nAna: look"
    )
    assert len(reranked_text(long, long)) == 600


@pytest.mark.parametrize(
    "question", ["?", "мир 世界 🙂", "the of and", 'a "b" (c) AND -d*', "camping " * 20_000]
)
def test_any_question_has_an_answer(open_memory: Open, question: str) -> None:
    memory = open_memory(reranker=Likes("word3"))
    fill(memory)
    assert len(memory.search(question, user="ana", rerank_ms=1000)) == len(
        memory.search(question, user="ana")
    )
    assert memory.search(question, user="nobody", rerank_ms=1000) == []


def test_the_budget_holds_within_one_batch(open_memory: Open) -> None:
    likes = Likes("x", seconds=0.01)
    memory = open_memory(reranker=likes)
    fill(memory, turns=60)
    memory.search("camping", user="ana", rerank_ms=1)  # loads and warms up
    likes.seen.clear()
    found = memory.search("camping", user="ana", rerank_ms=200)
    assert found.timings.reranking < 2
    assert 1 <= len(likes.seen) <= 20
    likes.seen.clear()
    memory.search("camping", user="ana", rerank_ms=LONG)
    assert len(likes.seen) == CANDIDATES


def test_a_budget_for_none_of_them_is_told(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("word9", seconds=0.01))
    fill(memory)
    late = memory.search("camping lake", user="ana", k=2, rerank_ms=1, explain=True)
    assert late.explanation is not None
    assert late.explanation["reranker"] == {"candidates": 12, "scored": 0}
    enough = memory.search("camping lake", user="ana", k=2, rerank_ms=LONG, explain=True)
    assert enough.explanation is not None
    assert enough.explanation["reranker"] == {"candidates": 12, "scored": 12}


def test_explained(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("word11"))
    fill(memory)
    found = memory.search("camping lake", user="ana", k=2, rerank_ms=LONG, explain=True)
    first = found[0].explanation
    assert first is not None
    assert first["reranker"]["said"] == 9
    assert first["reranker"]["rank_before"] > 1
    assert found.explanation is not None
    plain = memory.search("camping lake", user="ana", k=12, explain=True)
    assert "reranker" not in (plain[0].explanation or {})


@pytest.mark.parametrize("answer", [RuntimeError("no"), float("nan"), [1.0], None])
def test_a_reranker_that_fails_harms_nothing(open_memory: Open, answer: Any) -> None:
    class Bad:
        name = "bad"

        def score(self, question: str, passages: Sequence[str]) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return [answer] * len(passages) if isinstance(answer, float) else answer

    memory = open_memory(reranker=Bad())
    fill(memory)
    before = ids(memory.search("camping", user="ana"))
    with pytest.raises(errors.RerankerError, match="reranker 'bad'"):
        memory.search("camping", user="ana", rerank_ms=100)
    assert ids(memory.search("camping", user="ana")) == before
    assert memory.verify() == []


@pytest.mark.parametrize("bad", [-1, 1.5, True, None, "150", 600_001])
def test_a_bad_budget_is_refused(open_memory: Open, bad: Any) -> None:
    memory = open_memory(reranker=Likes("x"))
    with pytest.raises(errors.InvalidArgumentError, match="^rerank_ms: got"):
        memory.search("camping", user="ana", rerank_ms=bad)


@pytest.mark.parametrize("k", [0, -1, 10_001, "3", 2.5])
def test_a_bad_k_is_refused_as_without(open_memory: Open, k: Any) -> None:
    memory = open_memory(reranker=Likes("x"))
    messages = []
    for budget in (0, 100):
        with pytest.raises(errors.InvalidArgumentError, match="^k: got") as caught:
            memory.search("camping", user="ana", k=k, rerank_ms=budget)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_bad_reranker_is_refused_before_a_store_is_made(path: Path) -> None:
    for bad in ("nothing", 7, object()):
        with pytest.raises(errors.InvalidArgumentError, match="^reranker: got"):
            Memory(path, "hash:32", reranker=bad)  # type: ignore[arg-type]
    assert not path.exists()


def test_a_missing_default_names_the_command(
    open_memory: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path))
    monkeypatch.setattr("memspan.embed.models._installed", lambda spec: None)
    memory = open_memory()
    fill(memory)
    assert memory.search("camping", user="ana")
    with pytest.raises(errors.ModelNotFoundError, match="memspan models pull ms-marco"):
        memory.search("camping", user="ana", rerank_ms=100)


def test_bound_and_asynchronous_forms(open_memory: Open) -> None:
    memory = open_memory(reranker=Likes("word5"))
    fill(memory)
    assert memory.user("ana").search("camping", rerank_ms=LONG)[0].id == "m5"
    assert asyncio.run(memory.asearch("camping", user="ana", rerank_ms=LONG))[0].id == "m5"
