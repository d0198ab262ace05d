"""A caller's program as a type checker sees it, read by `make types` and never run.

`mypy --strict` tells of an error that is ignored and not there: each line that ignores one has to be refused.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import memspan
from memspan import Embedder, Hits, Index, Memory, Query, Quotas, Recall, Recalls, Record, Reranker
from memspan.llm import LLM, OpenAIModel
from memspan.recall import Plan

memspan.Memroy("agent.memspan")  # type: ignore[attr-defined]
memspan.embed.OnxEmbedder("a", "b")  # type: ignore[attr-defined]
memspan.llm.OpenAiModel("small")  # type: ignore[attr-defined]
memspan.rerank.OnxReranker("a", "b")  # type: ignore[attr-defined]


class Vectors:
    """An embedder of one's own."""

    name = "own"
    dim = 4
    checksum = ""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), self.dim), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.ones(self.dim, np.float32)


class Lengths:
    """A reranker of one's own."""

    name = "own"

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        return np.array([len(passage) for passage in passages], np.float32)


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text))] for text in texts]


def embedders() -> list[Embedder]:
    own = memspan.CallableEmbedder(lengths)
    return [
        Vectors(),
        own,
        memspan.HashEmbedder(),
        memspan.OnnxEmbedder("a", "b"),
        memspan.OpenAIEmbedder("m"),
    ]


def writes(memory: Memory, path: Path) -> list[str]:
    messages = [{"role": "user", "content": "hello", "at": "2024-05-01"}]
    ids: list[str] = memory.add(messages, user="ana", session="s1", ttl=timedelta(days=1), tags=["greeting"])
    ids += memory.add(
        "hello", user="ana", at=datetime.now(timezone.utc), metadata={"topic": "greeting"}, ttl=60
    )
    memory.add_records([Record(id="a", user="ana", text="hello", at=datetime.now(timezone.utc))])
    memory.set_quotas(Quotas(capacity=100), user="ana")
    memory.export("ana", path)
    plan = memory.forget_matching("hello", user="ana", between=[("2024-01-01", "2024-02-01"), (None, 0)])
    memory.forget(confirm=plan)
    memory.forget(user="ana", id=ids)
    memory.forget(user="ana", between="2024-05-01")  # type: ignore[arg-type]
    memory.hold(user="ana", between=2024)  # type: ignore[arg-type]
    return ids


def searches(memory: Memory, plan: Plan) -> Recall:
    found: Recalls = memory.search("hello?", user="ana", k=None, between=("2024-01-01", None), plan=plan)
    memory.user("ana").search("hello?", between=[(datetime.now(), 1_714_521_600_000_000)])
    memory.search("hello?", user="ana", between=2024)  # type: ignore[arg-type]
    memory.user("ana").latest(between="2024")  # type: ignore[arg-type]
    memory.context("hello?", user="ana", between=("2024-01-01",))  # type: ignore[arg-type]
    views: Mapping[str, tuple[int, float]] = found[0].views
    assert views
    return found[0]


async def answers(memory: Memory) -> AsyncIterator[str]:
    stream = await memory.astream_answer("hello?", user="ana", history=[{"role": "user", "content": "hi"}])
    async for piece in stream:
        yield piece
    yield stream.answer.text
    yield (await memory.aask("hello?", user="ana", plan="model")).text


def opens(model: LLM, reranker: Reranker) -> list[Memory]:
    server = OpenAIModel("small", base_url="http://127.0.0.1:8080/v1")
    return [
        Memory("a", Vectors(), llm=model, recipe="best", reranker=Lengths(), quotas=100),
        Memory("b", lengths, llm=server, token_embedder=False, reranker=reranker),
        Memory(Path("c"), "hash", llm="small"),
    ]


def index(vector: NDArray[np.float32]) -> list[Hits]:
    index = Index(dim=4)
    index.add(user="ana", id="a", at=0, text="hello", embedding=[1, 2, 3, 4])
    index.add_many(user="ana", ids=["b"], ats=np.zeros(1, np.int64), embeddings=[None])
    index.search(user="ana", text="hello", between=0)  # type: ignore[arg-type]
    index.latest(user="ana", between=("2024-01-01", "2024-02-01", None))  # type: ignore[arg-type]
    Query(user="ana", text="hello", between="2024")  # type: ignore[arg-type]
    return [
        *index.search_many([Query(user="ana", embedding=vector)]),
        index.search(user="ana", embedding=vector),
    ]
