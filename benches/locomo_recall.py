"""How many of the evidence turns of LoCoMo questions `Memory.search` brings back, without any tuning or LLM.

    python benches/locomo_recall.py locomo10.json

The file is ingested as `memspan ingest` does it, one user for each conversation, into a temporary store. The
questions of categories 1-4 with at least one evidence turn that exists are scored; the unit is the turn.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from embedding_cache import CachedEmbedder
from memspan import Memory
from memspan.cli.ingestion import IngestReport, ingest_turns
from memspan.embed import resolve_embedder
from memspan.formats import read_turns
from retrieval_scores import Answered, mean_scores

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
ALL_AT = 10
EVIDENCE = re.compile(r"D(\d+)\s*:\s*(\d+)")


def evidence_of(question: Mapping[str, Any], turns: set[str]) -> frozenset[str]:
    """The evidence turns that exist; the labels hold typing mistakes such as "D30:05" and "D8:6; D9:17"."""
    written = " ".join(map(str, question.get("evidence", [])))
    return frozenset(f"D{int(a)}:{int(b)}" for a, b in EVIDENCE.findall(written)) & turns


@dataclass(frozen=True)
class Question:
    user: str
    text: str
    category: int
    evidence: frozenset[str]


def read_questions(file: Path, turns: Mapping[str, set[str]]) -> Iterator[Question]:
    """Every question that can be scored; `turns` are the ids that exist, by user."""
    for sample in json.loads(file.read_text(encoding="utf-8")):
        user = sample["sample_id"]
        for question in sample["qa"]:
            evidence = evidence_of(question, turns[user])
            if question["category"] in CATEGORIES and evidence:
                yield Question(user, question["question"], question["category"], evidence)


def ask(memory: Memory, question: Question, k: int, options: Mapping[str, Any]) -> Answered:
    found = memory.search(question.text, user=question.user, k=k, **options)
    return Answered(question.category, question.evidence, [recall.id for recall in found])


def print_table(answers: list[Answered], cutoffs: list[int]) -> None:
    groups = {"all, micro": answers}
    for number, name in CATEGORIES.items():
        groups[f"{number} {name}"] = [answer for answer in answers if answer.category == number]
    header = ["questions", "n", *mean_scores([], cutoffs, ALL_AT)]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for name, group in groups.items():
        scores = mean_scores(group, cutoffs, ALL_AT).values()
        print("| " + " | ".join([name, str(len(group)), *(f"{score:.1f}" for score in scores)]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, help="a LoCoMo file in the original layout")
    parser.add_argument("--embedder", help="a known model, or hash:DIM; default: memspan's default model")
    parser.add_argument("--k", type=int, nargs="+", default=[1, 5, 10, 20, 50])
    parser.add_argument("--neighbors", type=int, default=0)
    parser.add_argument("--views", nargs="+", help="default: semantic and lexical")
    parser.add_argument("--cache", type=Path, default=user_cache_path("memspan") / "benches")
    arguments = parser.parse_args()
    options: dict[str, Any] = {"neighbors": arguments.neighbors}
    if arguments.views:
        options["views"] = tuple(arguments.views)

    turns = list(read_turns(arguments.file, format="locomo"))
    ids: dict[str, set[str]] = {}
    for turn in turns:
        ids.setdefault(turn.user, set()).add(str(turn.id))
    questions = list(read_questions(arguments.file, ids))

    k, embedder = max(arguments.k), CachedEmbedder(resolve_embedder(arguments.embedder), arguments.cache)
    with ExitStack() as stack:
        store = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "locomo.memspan"
        memory = stack.enter_context(Memory(store, embedder))
        ingest_turns(memory, turns, IngestReport())
        start = time.perf_counter()
        answers = [ask(memory, question, k, options) for question in questions]
        milliseconds = (time.perf_counter() - start) / len(answers) * 1000
    print(f"{arguments.file.name}: {len(ids)} users, {len(turns)} turns, {len(answers)} questions")
    print(f"Memory.search(k={k}, {options}) with {embedder.name}: {milliseconds:.1f} ms each; percent\n")
    print_table(answers, sorted(arguments.k))


if __name__ == "__main__":
    sys.exit(main())
