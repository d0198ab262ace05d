"""Learn the packaged ranking behind tuned questions, and judge it on questions that nothing of it has seen.

    python benches/fit_tuned.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json \\
        --out weights-tuned.json --quality left_out.json

DELTAS is what tune_questions.py wrote. A question is asked with the delta that was tuned without its conversation,
also where the weights are learned: in its own conversation a delta looks better than it is. That other questions'
deltas have seen one that is judged makes no difference (LoCoMo's recall@10 of one fold is 81.6 % either way). With a
data set left out, neither the weights nor the delta that its questions are asked with have seen any of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memspan.fitting.cross_validation import Quality, by_rankers, cross_validate
from memspan.fitting.examples import Example, collect
from memspan.fitting.ranker import fit_ranker
from question_folds import FoldedEmbedder, delta_path, plain_embedder

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
    parser.add_argument("--out", type=Path, help="the table of weights")
    parser.add_argument("--quality", type=Path, help="what was judged, as `memspan fit --json` prints it")
    arguments = parser.parse_args()
    files, store_dir = files_of(arguments), arguments.store_dir

    def asked_by(embedder: Any, names: Iterable[str]) -> list[Example]:
        return [
            each
            for name in names
            for each in collect(name, files[name], embedder=embedder, store_dir=store_dir)
        ]

    examples = asked_by(FoldedEmbedder(arguments.deltas), files)
    quality = {"conversation": cross_validate(examples, "conversation")}
    show("conversation", quality["conversation"])
    if len(files) > 1:
        held = []
        for out in files:
            ranker = fit_ranker([each for each in examples if each.data_set != out])
            asked = asked_by(plain_embedder(delta_path(arguments.deltas, out)), [out])
            held += [(each, ranker) for each in asked]
        quality["data_set"] = by_rankers(held)
        show("data set", quality["data_set"])
    if arguments.quality:
        told = {way: {name: as_json(each) for name, each in found.items()} for way, found in quality.items()}
        arguments.quality.write_text(json.dumps({"quality": told}, indent=1))
    if arguments.out:
        notes = [f"{name}: " + ", ".join(path.name for path in paths) for name, paths in files.items()]
        fit_ranker(examples, trained_on=notes).save(arguments.out)


if __name__ == "__main__":
    main()
