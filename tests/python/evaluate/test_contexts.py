"""Evidence inside a token budget, against cases computed by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import InvalidArgumentError
from memspan.evaluate import Answered, Evaluation, Held, LabelledQuestion, ask_memory, evaluate
from memspan.evaluate.contexts import context_scores, held_of
from memspan.memory import Memory
from memspan.recall.context import Context, Source
from memspan.records import Record
from memspan.remember.searching.recall import Recall, Recalls, Timings

Labelled = Callable[..., Path]
HASH = "hash:64"


def source(id_: str, share: float = 1.0, session: str | None = "s") -> Source:
    return Source(
        id=id_,
        at=datetime(2024, 1, 1, tzinfo=timezone.utc),
        speaker=None,
        session=session,
        label=id_,
        why="hit",
        rank=1,
        score=0.0,
        share=share,
    )


def test_half_of_a_text_counts() -> None:
    context = Context("...", (source("a"), source("b", 0.5), source("c", 0.49)), 77)
    held = held_of(context, "turn")
    assert (held.tokens, held.held, held.named) == (77, {"a", "b"}, {"a", "b", "c"})


def test_a_made_memory_holds_the_turns_that_it_comes_from() -> None:
    def recall(id_: str, **more: Any) -> Recall:
        at = datetime(2024, 1, 1, tzinfo=timezone.utc)
        record = Record(id=id_, user="u", text="t", at=at, **more)
        return Recall(id=id_, text="t", at=at, score=1.0, record=record, views={}, explanation=None)

    found = Recalls(
        [
            recall("m1", sources=("a", "b")),
            recall("m2", sources=("c", "d"), metadata={"sources": "window"}),
            recall("e"),
        ]
    )
    held = held_of(Context("", (source("m1"), source("m2"), source("e", 0.2)), 9, found), "turn")
    assert held.held == {"a", "b"}
    assert held.named == {"a", "b", "e"}


def test_a_session_counts_with_any_of_its_turns() -> None:
    context = Context(
        "...", (source("a", 0.1, "s"), source("b", 1, "s"), source("c", 0.2, "t"), source("d", 1, None)), 7
    )
    held = held_of(context, "session")
    assert (held.held, held.named) == ({"s", ""}, {"s", "t", ""})


@pytest.mark.parametrize(
    ("relevant", "recall", "everything", "named"),
    [("a", 1, 1, 1), ("ab", 1, 1, 1), ("abc", 2 / 3, 0, 1), ("cd", 0, 0, 1 / 2), ("e", 0, 0, 0)],
)
def test_scores(relevant: str, recall: float, everything: float, named: float) -> None:
    held = Held(500, frozenset("ab"), frozenset("abc"))
    assert context_scores(held, frozenset(relevant)) == {
        "tokens": 500,
        "recall": pytest.approx(recall),
        "all": everything,
        "named": pytest.approx(named),
    }


def answer(evidence: str, held: str | None, tokens: int, category: str, **question: Any) -> Answered:
    return Answered(
        question=LabelledQuestion(
            user="u",
            id="q",
            text="?",
            category=category,
            position="f",
            evidence=frozenset(evidence),
            **question,
        ),
        unit="turn",
        retrieved=(),
        sessions=(),
        score=0.0,
        timings=Timings(),
        store=Path("s"),
        context=None if held is None else Held(tokens, frozenset(held), frozenset(held), 0.25),
    )


def evaluation(*answers: Answered) -> Evaluation:
    return Evaluation(
        data_set="locomo",
        unit="turn",
        categories=("one", "two"),
        ks=(1,),
        embedder="hash",
        options={},
        files=(),
        questions=answers,
        tokens=600,
    )


def test_averages_over_the_scored_questions() -> None:
    result = evaluation(
        answer("ab", "a", 600, "one"),
        answer("c", "c", 500, "one"),
        answer("d", "", 400, "two"),
        answer("e", "e", 0, "two", answerable=False),
        answer("", "f", 0, "two"),
    )
    everything, one, two = result.groups()
    means = {name: each.mean for name, each in everything.context.items()}
    assert means == {"tokens": 500, "recall": 0.5, "all": pytest.approx(1 / 3), "named": 0.5}
    assert everything.context["recall"].low <= 0.5 <= everything.context["recall"].high
    assert {name: each.mean for name, each in one.context.items()} == {
        "tokens": 550,
        "recall": 0.75,
        "all": 0.5,
        "named": 0.75,
    }
    assert two.context["recall"].mean == 0
    latency = result.all_latencies()
    assert latency["context"].p50 == 0.25
    assert latency["total"].p50 == 0
    assert list(latency) == ["planning", "embedding", "search", "fetch", "reranking", "total", "context"]


def test_without_contexts_there_are_no_figures() -> None:
    result = evaluation(answer("a", None, 0, "one"))
    assert result.groups()[0].context == {}
    assert "context" not in result.all_latencies()
    assert "context" not in result.to_dict(questions=True)["questions"][0]


@pytest.mark.parametrize("name", ["locomo", "realtalk", "beam", "longmemeval", "halumem"])
def test_every_data_set(labelled: Labelled, stores: Path, name: str) -> None:
    result = evaluate(name, labelled(name), embedder=HASH, store_dir=stores, tokens=50)
    assert result.tokens == 50
    for each in result.questions:
        assert each.context is not None
        assert each.context.tokens <= 50
        assert each.context.held <= each.context.named <= set(each.ranked)
    # Five short turns fit: what is found stands in the context.
    roomy = evaluate(name, labelled(name), embedder=HASH, store_dir=stores, tokens=1000)
    group = roomy.groups()[0]
    assert group.context["recall"].mean == pytest.approx(group.scores["recall@50"].mean)


def test_it_is_the_context_of_the_memory(labelled: Labelled, stores: Path) -> None:
    result = evaluate("locomo", labelled("locomo"), embedder=HASH, store_dir=stores, tokens=45)
    with Memory(result.files[0].store) as memory:
        for each in result.questions:
            context = memory.context(each.question.text, user=each.question.user, tokens=45)
            assert each.context is not None
            assert each.context.tokens == context.tokens
            assert each.context.named == {source.id for source in context.sources}


def test_contexts_look_as_deep_as_they_do_elsewhere(labelled: Labelled, stores: Path) -> None:
    depths: list[int] = []

    def ask(memory: Memory, question: LabelledQuestion, k: int, options: Any) -> Any:
        depths.append(k)
        return ask_memory(memory, question, k, options)

    path = labelled("locomo")
    shallow = evaluate("locomo", path, embedder=HASH, store_dir=stores, ks=[1], limit=1, ask=ask, tokens=600)
    assert depths == [1, 1, 50]  # the first of all warms up
    depths.clear()
    deep = evaluate("locomo", path, embedder=HASH, store_dir=stores, limit=1, ask=ask, tokens=600)
    assert depths == [50, 50]
    assert shallow.questions[0].context is not None
    assert deep.questions[0].context is not None
    assert shallow.questions[0].context.named == deep.questions[0].context.named
    assert len(shallow.questions[0].retrieved) == 1


def test_json(labelled: Labelled, stores: Path) -> None:
    result = evaluate("locomo", labelled("locomo"), embedder=HASH, store_dir=stores, tokens=600)
    document = result.to_dict(questions=True)
    assert document["context_tokens"] == 600
    assert document["groups"][0]["context"]["recall"].keys() == {"mean", "low", "high"}
    assert document["latency_ms"]["context"].keys() == {"p50", "p95", "mean"}
    assert document["questions"][0]["context"].keys() == {"tokens", "held", "named"}


@pytest.mark.parametrize("tokens", [-1, 1_000_001, 1.5, "600", True, False])
def test_bad_budgets(labelled: Labelled, stores: Path, tokens: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="^tokens"):
        evaluate("locomo", labelled("locomo"), embedder=HASH, store_dir=stores, tokens=tokens)
    assert not stores.exists()
