"""memspan for a harness that measures stores side by side (its workload, its queries, its ground truth).

The harness calls `build`, then one of the queries `a` to `g` with a query number, each from one thread:
a dense top-10, b dense within a time range, c BM25 of five words, d dense with a tag, e dense and BM25 fused
within a time range, g the latest 20 in a range. Each is one call of `memspan.Index`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from base import Peer  # the harness's own module

import memspan

MICROS = 1000  # the workload's times are milliseconds
AT_ONCE = 500  # records of a call: lists of this adapter's own are not to count as the index's memory


def tag_name(tag: int) -> str:
    return f"t{int(tag)}"


def tag_names(tags: Any) -> list[str]:
    return [f"t{tag}" for tag in tags.tolist()]


def user_name(user: int) -> str:
    return f"u{int(user)}"


class Memspan(Peer):
    name = "memspan"
    kinds = "abcdeg"
    one_call = "a b c d e g"
    imports = ("memspan",)
    notes = (
        f"memspan.Index {memspan.__version__}, analyzer 'simple', in memory; save() and open() use a snapshot"
    )
    # The workload's ground truth fuses the best 50 of each view.
    fused_depth = 50

    def __init__(self, work: Any, threads: int = 1) -> None:
        """The queries are the caller's, not the index's memory: they are made before that is looked at."""
        super().__init__(work, threads)
        self.user_of = [user_name(user) for user in work.q_user]
        self.range_of = [
            (int(low) * MICROS, int(high) * MICROS) for low, high in zip(work.q_lo, work.q_hi, strict=True)
        ]
        self.tag_of = [tag_name(tag) for tag in work.q_tag]

    def build(self) -> None:
        work = self.w
        self.index = memspan.Index(dim=work.emb.shape[1], analyzer="simple", auto_consolidate=False)
        texts = work.texts
        for user in range(work.U):
            first, last = work.urange(user)
            for start in range(first, last, AT_ONCE):
                end = min(last, start + AT_ONCE)
                self.index.add_many(
                    user=user_name(user),
                    ids=[str(i) for i in range(start, end)],
                    ats=work.ts[start:end] * MICROS,
                    texts=texts[start:end],
                    embeddings=work.emb[start:end],
                    tags=[tag_names(tags) for tags in work.tags[start:end]],
                )
        self.index.consolidate()

    def a(self, k: int) -> list[str]:
        return self.index.search(user=self.user_of[k], embedding=self.w.q_emb[k], k=10).ids

    def b(self, k: int) -> list[str]:
        return self.index.search(
            user=self.user_of[k], embedding=self.w.q_emb[k], between=self.range_of[k], k=10
        ).ids

    def c(self, k: int) -> list[str]:
        return self.index.search(user=self.user_of[k], text=self.w.q_text[k], k=10).ids

    def d(self, k: int) -> list[str]:
        return self.index.search(
            user=self.user_of[k], embedding=self.w.q_emb[k], require_tags=(self.tag_of[k],), k=10
        ).ids

    def e(self, k: int) -> list[str]:
        return self.index.search(
            user=self.user_of[k],
            embedding=self.w.q_emb[k],
            text=self.w.q_text[k],
            between=self.range_of[k],
            k=10,
            depth=self.fused_depth,
        ).ids

    def g(self, k: int) -> list[str]:
        return self.index.latest(user=self.user_of[k], between=self.range_of[k], k=20).ids

    def batch(self, ks: Iterable[int]) -> list[memspan.Hits]:
        queries = [memspan.Query(user=self.user_of[k], embedding=self.w.q_emb[k], k=10) for k in ks]
        return self.index.search_many(queries, threads=self.threads)

    def insert(self, i: int, user: int, ts: int, tags: Any, text: str, emb: Any) -> None:
        """Visible when it returns; durable only with the next save()."""
        self.index.add(
            user=user_name(user),
            id=str(i),
            at=ts * MICROS,
            text=text,
            embedding=emb,
            tags=tag_names(tags),
        )

    def save(self) -> None:
        self.index.save(self.snapshot)

    def open(self) -> Memspan:
        self.index = memspan.Index.load(self.snapshot)
        return self

    @property
    def snapshot(self) -> str:
        return os.fspath(Path(self.tmpdir()) / "index.snapshot")


PEERS = [Memspan]
