"""Whether a ranking that was learned on conversations of some hundred records holds in one user who has 100,000.

    python benches/haystack.py --locomo locomo5.json [--realtalk FILE]... [--beam FILE]... [--halumem FILE]...
        [--longmemeval FILE]... [--records 30000 --records 100000] [--out benches/results/haystack.md]

LoCoMo's answerable questions are asked of their own conversation alone, as `memspan eval` does; then of one user who
holds all conversations of LoCoMo, those of all files, and beyond these noisy copies. `Memory.search` makes plan and
native search; it is told the end of the question's own conversation as the time it is asked. Embeddings are shared with
`memspan eval`, so that nothing is embedded twice.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from machine import describe_machine, one_line
from memspan import Memory
from memspan.embed.resolve import resolve_embedder
from memspan.evaluate.embedding_cache import CachedEmbedder
from memspan.evaluate.metrics import recall_at, reciprocal_rank
from memspan.evaluate.stores import default_directory
from memspan.formats.questions import LabelledQuestion, read_labelled
from memspan.ingestion import IngestReport, ingest_turns
from memspan.records import Record
from memspan.remember.compose import shown_text

DATA_SETS = ("locomo", "realtalk", "beam", "halumem", "longmemeval")
ROLES = ("user", "assistant")
WAYS = {"learned": {}, "rrf": {"fusion": "rrf"}}
KS = (1, 5, 10, 50)
NOISE = 0.75
ALL = "all"


@dataclass(frozen=True)
class Chat:
    """A conversation of a data set; the user of its records is unique among all files."""

    data_set: str
    records: tuple[Record, ...]
    questions: tuple[LabelledQuestion, ...]


class Row(NamedTuple):
    """What one store answered in one way."""

    title: str
    records: str
    way: str
    figures: dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in DATA_SETS:
        parser.add_argument(f"--{name}", nargs="+", type=Path, default=[], required=name == "locomo")
    parser.add_argument("--records", type=int, action="append", help="how many, with noisy copies")
    parser.add_argument("--store-dir", type=Path, default=default_directory(), help="as for `memspan eval`")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    files = [(name, path) for name in DATA_SETS for path in getattr(arguments, name)]
    sizes = sorted(arguments.records or [30_000, 100_000])
    arguments.store_dir.mkdir(parents=True, exist_ok=True)
    embedder = CachedEmbedder(resolve_embedder(None), arguments.store_dir / "embeddings.sqlite")
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        chats = list(read_chats(files, embedder, place))
        rows = list(measure(chats, embedder, place, sizes))
    text = "\n".join([*table(rows), "", one_line(describe_machine())])
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")


def read_chats(
    files: Iterable[tuple[str, Path]], embedder: CachedEmbedder, directory: Path
) -> Iterator[Chat]:
    """The conversations of the files as records with embeddings."""
    with opened(directory / "chats.memspan", embedder) as memory:
        for number, (name, path) in enumerate(files):
            file = read_labelled(path, name)
            for user, turns in file.turns.items():
                own = f"{name}-{number}-{user}"
                ingest_turns(memory, (replace(turn, user=own) for turn in turns.values()), IngestReport())
                with memory._engine.store.reading() as reader:
                    batches = list(reader.scan(own, 512, embeddings=True))
                asked = [each for each in file.questions if each.user == user]
                yield Chat(name, tuple(one for batch in batches for one in batch), tuple(asked))
                print(f"{own}: {len(turns):,} turns", flush=True)


def opened(path: Path, embedder: CachedEmbedder) -> Memory:
    """A store without token vectors, laid out only when it is told to, so that figures do not depend on a thread."""
    return Memory(path, embedder, auto_consolidate=False, token_embedder=False)


def measure(
    chats: Sequence[Chat], embedder: CachedEmbedder, directory: Path, sizes: Sequence[int]
) -> Iterator[Row]:
    """All rows of the table, each store growing from row to row."""
    own = [each for each in chats if each.data_set == "locomo"]
    others = [each for each in chats if each.data_set != "locomo"]
    with opened(directory / "own.memspan", embedder) as memory:
        for chat in own:
            memory.add_records(chat.records)
        lengths = sorted(len(chat.records) for chat in own)
        yield from asked(memory, own, "own conversation", f"{lengths[0]:,}-{lengths[-1]:,}", alone=True)
    for title, named, kept in (
        ("", False, False),
        (", roles named apart", True, False),
        (", roles named apart, copies keep their words", True, True),
    ):
        path = directory / f"all-{named}-{kept}.memspan"
        with opened(path, embedder) as memory:
            count = add(memory, (one for chat in own for one in moved(chat.records)))
            if not named:
                yield from asked(memory, own, "LoCoMo", f"{count:,}")
            count += add(memory, (one for chat in others for one in moved(chat.records, named)))
            if not kept:
                yield from asked(memory, own, f"all sets{title}", f"{count:,}")
            made = copies(chats, named=named, kept=kept)
            for size in sizes if not kept else sizes[-1:]:
                count += add(memory, islice(made, size - count))
                yield from asked(memory, own, f"and copies{title}", f"{count:,}")


def moved(records: Iterable[Record], named: bool = False) -> Iterator[Record]:
    """The records in the one user; with `named`, speakers who are only a role are called after their chat."""
    for one in records:
        speaker = f"{one.user} {one.speaker}" if named and one.speaker in ROLES else one.speaker
        session = f"{one.user}/{one.session}"
        yield replace(one, user=ALL, id=f"{one.user}/{one.id}", session=session, speaker=speaker)


def copies(chats: Sequence[Chat], *, named: bool, kept: bool) -> Iterator[Record]:
    """Endless noisy copies of all turns but those that answer a question of LoCoMo, whose copies would answer it too.

    An embedding has noise of `NOISE` times its length. The words of a session are dealt to its turns anew; with `kept`
    each turn keeps its own, in another order.
    """
    turns = [list(moved(without_evidence(chat), named)) for chat in chats]
    chance, noise = random.Random(5), np.random.default_rng(5)
    number = 0
    while True:
        number += 1
        for own in turns:
            words = dealt(own, chance, kept)
            for one, text in zip(own, words, strict=True):
                assert one.embedding is not None
                drawn = noise.standard_normal(len(one.embedding)).astype(np.float32)
                vector = one.embedding + NOISE * drawn / np.linalg.norm(drawn)
                yield replace(
                    one,
                    id=f"{number}:{one.id}",
                    session=f"{number}:{one.session}",
                    text=text,
                    metadata={},
                    embedding=vector / np.linalg.norm(vector),
                )


def without_evidence(chat: Chat) -> list[Record]:
    answers = frozenset[str]()
    if chat.data_set == "locomo":
        answers = answers.union(*(each.evidence for each in chat.questions))
    return [one for one in chat.records if one.id not in answers]


def dealt(records: Sequence[Record], chance: random.Random, kept: bool) -> list[str]:
    """New texts, as long as the old ones in words."""
    words = [shown_text(one).split() for one in records]
    if kept:
        return [" ".join(chance.sample(own, len(own))) for own in words]
    pools: dict[str | None, list[str]] = {}
    for one, own in zip(records, words, strict=True):
        pools.setdefault(one.session, []).extend(own)
    for pool in pools.values():
        chance.shuffle(pool)
    return [" ".join(pools[one.session].pop() for _ in own) for one, own in zip(records, words, strict=True)]


def add(memory: Memory, records: Iterable[Record]) -> int:
    """Add them, and lay the index out as sleep would."""
    count = memory.add_records(records, batch=5_000)
    memory._engine.current().consolidate(user=ALL, force=True)
    return count


def asked(
    memory: Memory, chats: Sequence[Chat], title: str, records: str, *, alone: bool = False
) -> Iterator[Row]:
    """A row for each way to search."""
    for way, options in WAYS.items():
        found = []
        for chat in chats:
            user = chat.records[0].user
            now = max(one.at for one in chat.records)
            for question in chat.questions:
                if not question.answerable or not question.evidence:
                    continue
                recalls = memory.search(
                    question.text, user=user if alone else ALL, k=KS[-1], now=now, **options
                )
                ids = [recall.id for recall in recalls]
                answers = {id_ if alone else f"{user}/{id_}" for id_ in question.evidence}
                figures = [recall_at(answers, ids, k) for k in KS]
                figures += [reciprocal_rank(answers, ids), recalls.timings.search]
                found.append(figures)
        values = np.array(found)
        means = dict(zip([*(f"R@{k}" for k in KS), "MRR"], 100 * values[:, :-1].mean(axis=0), strict=True))
        row = Row(title, records, way, {**means, "p50": 1e3 * float(np.median(values[:, -1]))})
        print(cells(row), f"n = {len(found)}", flush=True)
        yield row


def table(rows: Iterable[Row]) -> list[str]:
    names = [*(f"R@{k}" for k in KS), "MRR"]
    return [
        "| one user holds | records | ranking | " + " | ".join(names) + " | native search, p50, ms |",
        "|---|---|---|" + "---|" * (len(names) + 1),
        *map(cells, rows),
    ]


def cells(row: Row) -> str:
    told = [f"{value:.2f}" if name == "p50" else f"{value:.1f}" for name, value in row.figures.items()]
    return f"| {row.title} | {row.records} | {row.way} | " + " | ".join(told) + " |"


if __name__ == "__main__":
    main()
