"""Learn the packaged ranking behind tuned questions, and judge it on questions that nothing of it has seen.

    python benches/question_tuning/fit.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json \\
        --out weights-adapted.json --quality left_out.json

DELTAS is what tune.py wrote. A question is asked with the delta that was tuned without its conversation, also where the
weights are learned: in its own conversation a delta looks better than it is.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from folds import FoldedEmbedder

from memspan.fitting.adapter import EmbedderName
from memspan.fitting.cross_validation import Quality, cross_validate
from memspan.fitting.examples import AdapterOf, Example, collect, collect_askings
from memspan.fitting.learning import Learning
from memspan.fitting.ranker import fit_ranker

DATA_SETS = ("locomo", "realtalk", "beam")


def add_files(parser: argparse.ArgumentParser) -> None:
    for name in DATA_SETS:
        parser.add_argument(f"--{name}", nargs="+", type=Path, default=[])
    parser.add_argument(
        "--store-dir", type=Path, help="where ingested conversations stay, as for `memspan eval`"
    )


def files_of(arguments: argparse.Namespace) -> dict[str, list[Path]]:
    return {name: getattr(arguments, name) for name in DATA_SETS if getattr(arguments, name)}


def as_json(quality: Quality) -> dict[str, Any]:
    return {
        "questions": quality.questions,
        "mrr": quality.mrr,
        "recall": {str(k): r for k, r in quality.recall.items()},
    }


def show(title: str, found: dict[str, Quality]) -> None:
    for name, quality in found.items():
        figures = " ".join(f"R@{k} {100 * value:5.1f}" for k, value in quality.recall.items())
        print(f"{title:14} {name:9} n={quality.questions} {figures} MRR {100 * quality.mrr:.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deltas", type=Path)
    add_files(parser)
    parser.add_argument("--no-adapter", action="store_true", help="no linear step behind the tuned questions")
    parser.add_argument("--out", type=Path, help="the table of weights")
    parser.add_argument("--quality", type=Path, help="what was judged, as `memspan fit --json` prints it")
    arguments = parser.parse_args()
    embedder, files = FoldedEmbedder(arguments.deltas), files_of(arguments)
    where: dict[str, Any] = {"embedder": embedder, "store_dir": arguments.store_dir}

    def examples_with(adapter_of: AdapterOf) -> list[Example]:
        return [
            each
            for name, paths in files.items()
            for each in collect(name, paths, adapter_of=adapter_of, **where)
        ]

    notes = [f"{name}: " + ", ".join(path.name for path in paths) for name, paths in files.items()]
    if arguments.no_adapter:
        examples = examples_with(lambda *_: None)
        judge, learn = partial(cross_validate, examples), partial(fit_ranker, examples, trained_on=notes)
    else:
        askings = [each for name, paths in files.items() for each in collect_askings(name, paths, **where)]
        learning = Learning(askings, EmbedderName(embedder.name, embedder.checksum), examples_with)
        judge, learn = learning.cross_validate, partial(learning.ranker, notes)
    quality = judge("conversation")
    show("conversation", quality)
    if arguments.quality:
        told = {"quality": {"conversation": {name: as_json(each) for name, each in quality.items()}}}
        arguments.quality.write_text(json.dumps(told, indent=1))
    if arguments.out:
        learn().save(arguments.out)


if __name__ == "__main__":
    main()
