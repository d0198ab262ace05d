"""What of a turn should be embedded: with and without the speaker, the captions of images, the date.

    python benches/embedded_text.py --locomo locomo5.json [--store-dir DIRECTORY]

The turns of LoCoMo are embedded anew in each way; words are found as ever, and so are questions. Searches are those of
`Memory.search` without token vectors. The packaged weights and questions were learned with the first way, which favours
it; reciprocal-rank fusion and the cosine alone have no weights, but the same questions.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ablation import interval
from haystack import Chat, opened, read_chats
from memspan import Memory
from memspan.embed.resolve import resolve_embedder
from memspan.evaluate.embedding_cache import CachedEmbedder
from memspan.evaluate.metrics import recall_at, reciprocal_rank
from memspan.evaluate.stores import default_directory
from memspan.records import Record
from memspan.remember.compose import embedded_text, lexical_text, shown_text

TEXTS: dict[str, Callable[[Record], str]] = {
    "`speaker: text [image: caption]` (as it is)": embedded_text,
    "without the speaker": shown_text,
    "without the captions": lambda one: embedded_text(replace(one, metadata={})),
    "with the date in front": lexical_text,
}
WAYS: dict[str, dict[str, Any]] = {
    "learned": {},
    "rrf": {"fusion": "rrf"},
    "cosine": {"views": ["semantic"], "fusion": "rrf"},
}
KS = (1, 5, 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", type=Path, required=True)
    parser.add_argument("--store-dir", type=Path, default=default_directory(), help="as for `memspan eval`")
    arguments = parser.parse_args()
    arguments.store_dir.mkdir(parents=True, exist_ok=True)
    embedder = CachedEmbedder(resolve_embedder(None), arguments.store_dir / "embeddings.sqlite")
    wholes: dict[str, NDArray[np.float64]] = {}
    with tempfile.TemporaryDirectory() as directory:
        chats = list(read_chats([("locomo", arguments.locomo)], embedder, Path(directory)))
        print(
            "| embedded | | " + " | ".join([*(f"R@{k}" for k in KS), "MRR"]) + " |\n|---|---|---|---|---|---|"
        )
        for number, (title, text) in enumerate(TEXTS.items()):
            with opened(Path(directory) / f"{number}.memspan", embedder) as memory:
                for chat in chats:
                    memory.add_records(embedded(chat.records, text, embedder))
                for way, options in WAYS.items():
                    found = asked(memory, chats, options)
                    cells = [f"{100 * value:.1f}" for value in found.mean(axis=0)]
                    if way in wholes:
                        cells = [interval(column) for column in (found - wholes[way]).T]
                    wholes.setdefault(way, found)
                    print(f"| {title} | {way} | " + " | ".join(cells) + " |", flush=True)


def embedded(
    records: Sequence[Record], text: Callable[[Record], str], embedder: CachedEmbedder
) -> list[Record]:
    vectors = embedder.embed_documents([text(one) for one in records])
    return [replace(one, embedding=vector) for one, vector in zip(records, vectors, strict=True)]


def asked(memory: Memory, chats: Sequence[Chat], options: dict[str, Any]) -> NDArray[np.float64]:
    """Shape (questions, figures)."""
    found = []
    for chat in chats:
        for question in chat.questions:
            if question.answerable and question.evidence:
                user = chat.records[0].user
                recalls = memory.search(question.text, user=user, k=50, track=False, **options)
                ids = [recall.id for recall in recalls]
                found.append(
                    [
                        *(recall_at(question.evidence, ids, k) for k in KS),
                        reciprocal_rank(question.evidence, ids),
                    ]
                )
    return np.array(found)


if __name__ == "__main__":
    main()
