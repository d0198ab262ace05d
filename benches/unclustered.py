"""Dense search where clusters hardly exist: recall and time of memspan beside graphs, at equal recall.

    python benches/unclustered.py --records 10000

The vectors are Gaussian with a decaying spectrum, turned at random: no groups, no tags, one user. memspan is asked at
its default recall target; each graph is searched with growing effort until it finds as much (faiss, hnswlib and usearch
take part where they are installed).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import memspan
from machine import describe_machine, one_line

DIM, K, QUERIES, PASSES = 384, 10, 300, 3
USER = "ana"
EFFORTS = (32, 64, 96, 128, 192, 256, 384, 512, 768)
Vectors = NDArray[np.float32]
Search = Callable[[int], Any]  # the rows found for a query number
console = Console() if Console().is_terminal else Console(width=110)


def make_vectors(count: int) -> tuple[Vectors, Vectors]:
    random = np.random.default_rng(3)
    spectrum = 1 / np.sqrt(np.arange(1, DIM + 1))
    turn = np.linalg.qr(random.standard_normal((DIM, DIM)))[0]
    vectors = ((random.standard_normal((count + QUERIES, DIM)) * spectrum) @ turn).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors[:count], vectors[count:]


def searches_of_memspan(rows: Vectors, queries: Vectors) -> Iterator[tuple[str, Search]]:
    index = memspan.Index(DIM, auto_consolidate=False)
    index.add_many(
        user=USER, ids=[str(i) for i in range(len(rows))], ats=np.arange(len(rows)), embeddings=rows
    )
    index.consolidate(user=USER, force=True)
    find = index.search
    yield "memspan", lambda number: find(user=USER, embedding=queries[number], k=K).ids
    yield "memspan, exact", lambda number: find(user=USER, embedding=queries[number], k=K, exact=True).ids


def searches_of_faiss(rows: Vectors, queries: Vectors) -> Iterator[tuple[str, Search]]:
    import faiss

    faiss.omp_set_num_threads(2)
    graph = faiss.IndexHNSWFlat(DIM, 32, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = 200
    graph.add(rows)
    faiss.omp_set_num_threads(1)
    for effort in EFFORTS:
        graph.hnsw.efSearch = effort
        yield f"faiss_hnsw, ef {effort}", lambda number: graph.search(queries[number : number + 1], K)[1][0]


def searches_of_hnswlib(rows: Vectors, queries: Vectors) -> Iterator[tuple[str, Search]]:
    import hnswlib

    graph = hnswlib.Index("ip", DIM)
    graph.init_index(len(rows), M=16, ef_construction=200)
    graph.add_items(rows, np.arange(len(rows)), num_threads=2)
    for effort in EFFORTS:
        graph.set_ef(effort)
        yield f"hnswlib, ef {effort}", lambda number: graph.knn_query(queries[number], K, num_threads=1)[0][0]


def searches_of_usearch(rows: Vectors, queries: Vectors) -> Iterator[tuple[str, Search]]:
    from usearch.index import Index

    graph = Index(ndim=DIM, metric="ip", dtype="bf16", connectivity=16, expansion_add=128)
    graph.add(np.arange(len(rows)), rows, threads=2)
    for effort in EFFORTS:
        graph.expansion_search = effort
        yield f"usearch bf16, ef {effort}", lambda number: graph.search(queries[number], K, threads=1).keys


GRAPHS = {"faiss": searches_of_faiss, "hnswlib": searches_of_hnswlib, "usearch": searches_of_usearch}


def measure(name: str, search: Search, truth: list[set[int]]) -> dict[str, Any]:
    found = [len(truth[number] & {int(row) for row in search(number)}) / K for number in range(QUERIES)]
    times = np.empty((PASSES, QUERIES))
    for one in times:
        for number in range(QUERIES):
            start = time.perf_counter_ns()
            search(number)
            one[number] = time.perf_counter_ns() - start
    p50 = float(np.median(np.median(times, axis=1))) / 1000
    return {"name": name, "recall": round(float(np.mean(found)), 4), "p50_us": round(p50, 1)}


@click.command(help="Compare dense search over vectors without clusters with graphs, at equal recall.")
@click.option("--records", type=click.IntRange(1_000), default=10_000, show_default=True)
@click.option("--date", default=None, help="Date to write down; today by default.")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Write JSON here.")
def main(records: int, date: str | None, out: Path | None) -> None:
    rows, queries = make_vectors(records)
    truth = [set(np.argpartition(-(rows @ query), K)[:K].tolist()) for query in queries]
    measured = [measure(name, search, truth) for name, search in searches_of_memspan(rows, queries)]
    target = min(measured[0]["recall"], 0.995)
    for module, searches in GRAPHS.items():
        if find_spec(module) is None:
            console.print(f"[dim]{module} is not installed[/]")
            continue
        for name, search in searches(rows, queries):
            measured.append(measure(name, search, truth))
            if measured[-1]["recall"] >= target:
                break
    table = Table(
        title=f"{records:,} vectors of {DIM} dimensions without clusters, top {K}", title_justify="left"
    )
    for column in ("search", "recall", "p50, µs"):
        table.add_column(column, justify="left" if column == "search" else "right")
    for row in measured:
        table.add_row(row["name"], f"{row['recall']:.4f}", f"{row['p50_us']:,}")
    console.print(table)
    machine = describe_machine(date, ("faiss-cpu", "hnswlib", "usearch"))
    console.print(one_line(machine))
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(
            json.dumps({"machine": machine, "records": records, "searches": measured}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
