"""How well topic segments end where sessions do, as LightMem's Figure 3(b) measures it.

    python benches/segmentation.py --locomo locomo5.json --realtalk Chat_1.json ... [--rates 1 0.6] [--buffer 512]

The sessions of a conversation are put one after the other and cut into segments without knowing where one ends.
Accuracy is the paper's: the share of the session boundaries that are found, exactly. Because cutting everywhere would
find all of them, the share of all places that are cut (what chance would find), the share of cuts that are session
boundaries (precision) and the turns of a segment stand beside it. `--rates` are of `Compress` before, 1 for none.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass
from datetime import datetime, timezone

from memspan.embed import OnnxEmbedder
from memspan.encode.compression.compress import Compress
from memspan.encode.exchanges import exchanges_of
from memspan.encode.segment import Segment
from memspan.encode.values import Turn, Work
from memspan.formats.read import read_turns

METHODS = ("attention", "similarity", "both")
START = datetime(2000, 1, 1, tzinfo=timezone.utc)


class Bench:
    """The tools of a job that nothing else happens to."""

    def __init__(self) -> None:
        self._embedder = OnnxEmbedder.from_registry()

    async def once(self, key, make):
        return await make()

    async def embed(self, texts):
        return self._embedder.embed_documents(texts)

    def note(self, event, **details) -> None:
        if event != "compressed":
            print(event, details)


@dataclass
class Count:
    labels: int = 0
    found: int = 0
    cuts: int = 0
    places: int = 0
    turns: int = 0
    seconds: float = 0.0

    def row(self) -> str:
        accuracy, chance = self.found / self.labels, self.cuts / self.places
        precision, size = self.found / max(1, self.cuts), self.turns / (self.cuts + 1)
        return (
            f"{100 * accuracy:8.1f} {100 * chance:8.1f} {100 * precision:9.1f} {size:8.1f} "
            f"{1000 * self.seconds / self.turns:10.2f}"
        )


def conversations(data_set: str, path: str) -> list[list[Turn]]:
    by_user: dict[str, list[Turn]] = {}
    for turn in read_turns(path, format=data_set):
        of_user = by_user.setdefault(turn.user, [])
        text = " ".join([turn.text, *turn.images]).strip()
        if text:
            of_user.append(
                Turn(
                    id=str(len(of_user)),
                    text=text,
                    at=turn.at or START,
                    speaker=turn.speaker,
                    session=turn.session,
                )
            )
    return list(by_user.values())


def measure(turns: list[Turn], stage: Segment, rate: float, tools: Bench, count: Count) -> None:
    work = Work(user="u", turns=tuple(turns))
    if rate < 1:
        work = asyncio.run(Compress(rate=rate).run(work, tools))
    began = time.perf_counter()
    work = asyncio.run(stage.run(work, tools))
    count.seconds += time.perf_counter() - began
    sessions = [turn.session for turn in turns]
    labels = {i for i in range(1, len(turns)) if sessions[i] != sessions[i - 1]}
    cuts, end = set(), 0
    for window in work.windows[:-1]:
        end += len(window.turns)
        cuts.add(end)
    count.labels += len(labels)
    count.found += len(labels & cuts)
    count.cuts += len(cuts)
    count.places += len(exchanges_of(turns)) - 1
    count.turns += len(turns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", nargs="+", default=[])
    parser.add_argument("--realtalk", nargs="+", default=[])
    parser.add_argument("--longmemeval", nargs="+", default=[])
    parser.add_argument("--rates", nargs="+", type=float, default=[1.0])
    parser.add_argument("--buffer", type=int, default=512)
    parser.add_argument("--extremum", choices=("maximum", "minimum"), default="maximum")
    arguments = parser.parse_args()
    tools = Bench()
    print(f"{'data':11} {'rate':>4} {'method':11} accuracy   chance precision    turns  ms a turn")
    for data_set in ("locomo", "realtalk", "longmemeval"):
        files = getattr(arguments, data_set)
        dialogues = [turns for path in files for turns in conversations(data_set, path)]
        for rate in arguments.rates if dialogues else ():
            for method in METHODS:
                stage = Segment(method=method, buffer=arguments.buffer, extremum=arguments.extremum)
                count = Count()
                for turns in dialogues:
                    measure(turns, stage, rate, tools, count)
                print(f"{data_set:11} {rate:4.1f} {method:11} {count.row()}", flush=True)


if __name__ == "__main__":
    main()
