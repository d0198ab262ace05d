"""What evidence recall is left when compressed turns are what is searched.

    python benches/compression.py --locomo locomo5.json [--rates 1 0.8 0.6 0.4] [--store-dir DIR]

memspan indexes what was said, not what compression leaves of it; this shows how much of what questions ask for the
compressed text still holds. Each conversation's turns and captions are compressed by self-information with the
statistics of the conversation's own index, then indexed, embedded and asked about as `memspan eval` does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path

from memspan import Index
from memspan.encode.compression.compress import Compress
from memspan.encode.compression.corpus import index_frequencies
from memspan.encode.values import Turn, Work
from memspan.evaluate import evaluate
from memspan.recall.context import estimate_tokens
from memspan.times import from_micros

AT = from_micros(0)


class Bench:
    """The tools of a job whose user has an index."""

    def __init__(self, texts: list[str]) -> None:
        self._index = Index(1, auto_consolidate=False)
        ids = [str(i) for i in range(len(texts))]
        self._index.add_many(user="u", ids=ids, ats=[AT] * len(ids), texts=texts)

    async def once(self, key, make):
        return await make()

    async def frequencies(self, words):
        return index_frequencies(self._index, "u", words)

    def note(self, event, **details) -> None:
        pass


def places(conversation: dict) -> list[tuple[dict, str]]:
    """Where the texts stand: the turn, and the name of its field."""
    turns = [turn for value in conversation.values() if isinstance(value, list) for turn in value]
    return [
        (turn, field)
        for turn in turns
        for field in ("text", "blip_caption")
        if (turn.get(field) or "").strip()
    ]


def compressed(path: str, rate: float, out: Path) -> tuple[int, int]:
    """Write the file with shorter turns; returns the tokens before and after."""
    samples = json.loads(Path(path).read_text("utf-8"))
    before = after = 0
    for sample in samples:
        found = places(sample["conversation"])
        texts = [turn[field] for turn, field in found]
        speakers = [turn.get("speaker") for turn, _ in found]
        before += sum(map(estimate_tokens, texts))
        if rate < 1:
            turns = tuple(
                Turn(id=str(i), text=text, at=AT, speaker=speaker)
                for i, (text, speaker) in enumerate(zip(texts, speakers, strict=True))
            )
            done = asyncio.run(Compress(rate=rate).run(Work(user="u", turns=turns), Bench(texts)))
            texts = [turn.text for turn in done.turns]
        after += sum(map(estimate_tokens, texts))
        for (turn, field), text in zip(found, texts, strict=True):
            turn[field] = text
    out.write_text(json.dumps(samples), "utf-8")
    return before, after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", required=True)
    parser.add_argument("--rates", nargs="+", type=float, default=[1.0, 0.8, 0.6, 0.4])
    parser.add_argument("--store-dir", help="keep stores and embeddings here")
    arguments = parser.parse_args()
    print("rate  tokens  ranking     n   R@1   R@5  R@10  R@20   MRR")
    with tempfile.TemporaryDirectory() as folder:
        stores = arguments.store_dir or folder
        for rate in arguments.rates:
            out = Path(folder, f"locomo-{rate}.json")
            before, after = compressed(arguments.locomo, rate, out)
            for ranking in ("learned", "rrf"):
                options = {"fusion": ranking}
                done = evaluate("locomo", out, ks=(1, 5, 10, 20), store_dir=stores, options=options)
                group = done.groups(by_category=False)[0]
                recalls = " ".join(f"{100 * group.scores[f'recall@{k}'].mean:5.1f}" for k in (1, 5, 10, 20))
                mrr = 100 * group.scores["mrr"].mean
                row = f"{rate:4.1f} {after / before:7.3f}  {ranking:8} {group.scored:4} {recalls} {mrr:5.1f}"
                print(row, flush=True)


if __name__ == "__main__":
    main()
