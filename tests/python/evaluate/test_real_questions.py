"""The questions of the data sets themselves, where they are: in $MEMSPAN_DATA, or in ../shared/data."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from memspan.evaluate import evaluate
from memspan.formats.questions import LabelledQuestion, read_labelled

DATA = Path(os.environ.get("MEMSPAN_DATA") or Path(__file__).parents[4] / "shared" / "data")


def read(pattern: str, name: str) -> list[LabelledQuestion]:
    files = sorted(DATA.glob(pattern))
    if not files:
        pytest.skip(f"no {pattern} in '{DATA}'; set MEMSPAN_DATA to the folder with the data sets")
    return [question for path in files for question in read_labelled(path, name).questions]


def scored(questions: list[LabelledQuestion]) -> int:
    return sum(each.answerable and bool(each.evidence) for each in questions)


def test_locomo() -> None:
    questions = read("locomo/locomo5.json", "locomo")
    assert (len(questions), scored(questions)) == (999, 760)
    assert Counter(each.category for each in questions) == {
        "multi-hop": 142,
        "temporal": 156,
        "open-domain": 46,
        "single-hop": 418,
        "adversarial": 237,
    }
    assert [label for each in questions for label in each.missing] == ["D10:19", "D", "D:11:26"]


def test_realtalk() -> None:
    questions = read("realtalk/Chat_*.json", "realtalk")
    assert all(each.answerable for each in questions)
    if len({each.user for each in questions}) == 5:
        assert (len(questions), scored(questions)) == (369, 369)


@pytest.mark.parametrize(("size", "chats", "expected"), [("100K", 8, (160, 144)), ("500K", 1, (20, 17))])
def test_beam(size: str, chats: int, expected: tuple[int, int]) -> None:
    questions = read(f"beam/{size}/*/chat.json", "beam")
    assert not any(each.missing for each in questions)
    assert {each.category for each in questions if not each.answerable} == {"abstention"}
    if len({each.user for each in questions}) == chats:
        assert (len(questions), scored(questions)) == expected


def test_longmemeval() -> None:
    for question in read("longmemeval/*.json", "longmemeval"):
        assert question.sessions
        assert not question.missing
        assert question.now is not None


def test_halumem() -> None:
    questions = read("halumem/user3.jsonl", "halumem")
    assert len(questions) == 55
    assert not any(each.missing for each in questions)
    for each in questions:
        assert each.answerable == bool(each.sessions)
        assert each.until is not None


def test_lexical_recall_of_one_conversation(tmp_path: Path) -> None:
    """The whole way on real data, without a model: words alone find about half of the evidence."""
    read("locomo/locomo5.json", "locomo")
    result = evaluate(
        "locomo",
        DATA / "locomo" / "locomo5.json",
        ks=[10],
        users=["conv-26"],
        embedder="hash:32",
        store_dir=tmp_path,
        options={"views": ["lexical"]},
    )
    group = result.groups()[0]
    assert group.scored == 150
    assert 0.4 < group.scores["recall@10"].mean < 0.8
