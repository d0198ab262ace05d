"""Runs stores of the harness, each in a process of its own, and joins the rounds by medians."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

BENCHES = Path(__file__).parent

# What each size can be compared with in reasonable time; the first is ours.
PEERS = {
    "S": "memspan light_i8 light_f32 light_ivf8 qdrant_edge sqlite_vec_fts5 faiss_ivf faiss_flat numpy bm25s_numba",
    "M": "memspan light_i8 light_f32 light_ivf8 qdrant_edge sqlite_vec_fts5 faiss_sq8 faiss_flat numpy bm25s_numba",
    "L": "memspan light_i8 light_f32 light_ivf8 qdrant_edge sqlite_vec_fts5 faiss_ivf faiss_hnsw numpy bm25s_numba",
    "XL": "memspan faiss_ivf",
}
PACKAGES = (
    "faiss-cpu",
    "qdrant-edge-py",
    "apsw",
    "sqlite-vec",
    "bm25s",
    "numba",
    "hnswlib",
    "usearch",
    "tantivy",
)


@dataclass(frozen=True)
class Harness:
    """Where the harness is, and how long its processes may take."""

    directory: Path
    budget: float  # seconds of measuring for each kind of query
    passes: int
    limit: int  # seconds for a process

    def environment(self, **more: str) -> dict[str, str]:
        """The harness's processes find our adapter, and memspan where this process found it."""
        found = os.pathsep.join(filter(None, [*sys.path[1:], os.environ.get("PYTHONPATH")]))
        extra = str(BENCHES / "peer_adapter.py")
        return {**os.environ, "PYTHONPATH": found, "PEERS_EXTRA": extra, **more}

    def run(self, size: str, peer: str) -> dict[str, Any] | None:
        """One process, one peer; nothing if it could not be measured (its own output says why)."""
        with tempfile.TemporaryDirectory() as results:
            command = [sys.executable, str(self.directory / "peers_bench.py"), "run", "--size", size]
            command += ["--peers", peer, "--budget", str(self.budget), "--passes", str(self.passes)]
            command += ["--limit", str(self.limit)]
            subprocess.run(command, env=self.environment(PEERS_RES=results), check=True, stdout=sys.stderr)
            written = Path(results) / f"{size}_{peer}.json"
            return json.loads(written.read_text()) if written.exists() else None

    def script(self, name: str, *arguments: str) -> dict[str, Any] | None:
        """The answer of one of our own scripts, run with the harness's data; nothing if it failed."""
        command = [sys.executable, str(BENCHES / name), "--harness", str(self.directory), *arguments]
        done = subprocess.run(command, env=self.environment(), stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def join_rounds(rounds: list[Any]) -> Any:
    """Numbers become medians, mappings are joined key by key, anything else is taken from the first round."""
    first = rounds[0]
    if isinstance(first, dict):
        return {
            key: join_rounds([one[key] for one in rounds if isinstance(one, dict) and key in one])
            for key in first
        }
    numbers = [one for one in rounds if isinstance(one, int | float) and not isinstance(one, bool)]
    return median(numbers) if numbers else first
