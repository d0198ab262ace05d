"""Recall of a store in the harness when equal scores are no misses. Prints one JSON object, by kind of query.

    PEERS_HOME=... python benches/peer_recall.py --harness DIR --size S --peer memspan

The harness counts an id as found only if its ground truth, which breaks ties by id, chose the same; memspan
prefers the newer record. Here a returned id counts if its true score reaches that of the last expected one.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

EPSILON = 1e-5
FUSED_DEPTH = 50
RANK_OFFSET = 60


def best_ranks(scores: NDArray[np.floating[Any]], among: NDArray[np.intp]) -> dict[int, float]:
    """Reciprocal-rank parts of the best 50; records of equal score share the best rank of their group."""
    order = among[np.argsort(-scores[among], kind="stable")]
    parts: dict[int, float] = {}
    rank, last = 0, np.inf
    for place, row in enumerate(order, 1):
        if scores[row] < last - EPSILON:
            rank, last = place, scores[row]
        if rank > FUSED_DEPTH or scores[row] <= 0:
            break
        parts[int(row)] = 1.0 / (RANK_OFFSET + rank)
    return parts


def true_scores(work: Any, kind: str, k: int) -> NDArray[np.floating[Any]]:
    """The score of every record of the query's user; minus infinity for those that a filter refuses."""
    user = int(work.q_user[k])
    start, end = work.urange(user)
    low, high = (place - start for place in work.trange(user, work.q_lo[k], work.q_hi[k]))
    admitted = np.zeros(end - start, bool)
    if kind == "d":
        admitted[work.tag_ids(user, int(work.q_tag[k])) - start] = True
    elif kind in "beg":
        admitted[low:high] = True
    else:
        admitted[:] = True
    dense = work.emb[start:end] @ work.q_emb[k]
    if kind == "c":
        scores = work.bm25_scores(k)
    elif kind == "g":
        scores = work.ts[start:end].astype(float)
    elif kind == "e":
        rows = np.flatnonzero(admitted)
        scores = np.zeros(end - start)
        for part in (best_ranks(dense + 2, rows), best_ranks(work.bm25_scores(k), rows)):
            for row, share in part.items():
                scores[row] += share
    else:
        scores = dense
    return np.where(admitted, scores, -np.inf)


def recall(peer: Any, work: Any, kind: str) -> float:
    """Mean share of the expected number of records that came back with a sufficient score."""
    shares = []
    for k, expected in enumerate(work._truth[kind][:300]):
        if not expected:
            continue
        start = work.urange(int(work.q_user[k]))[0]
        scores = true_scores(work, kind, k)
        enough = min(scores[row - start] for row in expected)
        found = [scores[int(row) - start] for row in peer.query(kind, k)[: len(expected)]]
        shares.append(sum(score >= enough - EPSILON for score in found) / len(expected))
    return float(np.mean(shares))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--harness", type=Path, required=True, help="the directory of the harness")
    parser.add_argument("--size", default="S")
    parser.add_argument("--peer", default="memspan", help="a name that the harness knows")
    arguments = parser.parse_args()
    sys.path[:0] = [str(arguments.harness), str(Path(__file__).parent)]
    workload, bench = importlib.import_module("workload"), importlib.import_module("peers_bench")
    adapter = importlib.import_module("peer_adapter")
    work = workload.load(arguments.size)
    _ = work.texts  # made on first use, with the queries' texts
    known = bench.all_peers() | {peer.name: peer for peer in adapter.PEERS}
    peer = known[arguments.peer](work)
    peer.build()
    print(json.dumps({kind: round(recall(peer, work, kind), 4) for kind in peer.kinds}), flush=True)
    os._exit(0)  # some stores hang or crash while the interpreter ends


if __name__ == "__main__":
    main()
