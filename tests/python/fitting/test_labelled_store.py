"""Labelled questions about a store of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memspan import errors
from memspan.fitting.labelled_store import collect_own
from memspan.memory import Memory

TURNS = ["The kite is red.", "Who has the kite?", "Bo has it in the shed.", "It rained all day."]


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with Memory(tmp_path / "own.memspan", "hash:32") as memory:
        for user in ("ana", "bo"):
            memory.add(
                [
                    {"id": f"{user}{i}", "text": text, "at": f"2024-05-0{i + 1}", "session": "s"}
                    for i, text in enumerate(TURNS)
                ],
                user=user,
            )
        yield memory


def line(**fields: Any) -> str:
    return json.dumps({"user": "ana", "question": "Where is the kite?", "evidence": ["ana2"]} | fields)


def test_each_line_is_an_example(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    lines = [
        line(),
        "",
        line(user="bo", question="What did it do on 4 May 2024?", evidence=["bo3", "gone"], now="2024-05-10"),
        line(evidence=["bo2"]),  # another user's record answers nothing here
        line(now=None),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    examples = collect_own(memory, path)
    assert [each.conversation for each in examples] == ["ana", "bo", "ana", "ana"]
    assert [int(each.relevant.sum()) for each in examples] == [1, 1, 0, 1]
    assert [each.evidence for each in examples] == [1, 2, 1, 1]
    assert all(len(each.relevant) == len(TURNS) for each in examples)
    assert "timed" in examples[1].conditions
    assert {each.data_set for each in examples} == {"own"}


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[" * 100_000,
        "[]",
        "null",
        '"text"',
        line(user=""),
        line(user=7),
        line(user=None),
        line(question=" "),
        line(question=None),
        line(evidence=[]),
        line(evidence="ana2"),
        line(evidence=[7]),
        line(evidence=None),
        line(now="never"),
        line(now=[2024]),
        line(question="x" * (1 << 20)),
    ],
)
def test_a_broken_line_is_named(memory: Memory, tmp_path: Path, bad: str) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text(line() + "\n" + bad + "\n" + line() + "\n", encoding="utf-8")
    with pytest.raises(errors.FormatError) as raised:
        collect_own(memory, path)
    assert f"{path}: line 2" in str(raised.value)


def test_bytes_that_are_no_text_are_named(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_bytes(b"\xff\xfe{}\n")
    with pytest.raises(errors.FormatError, match="line 1"):
        collect_own(memory, path)


def test_an_empty_file_has_no_examples(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_bytes(b"\n\n")
    assert collect_own(memory, path) == []
    with pytest.raises(FileNotFoundError):
        collect_own(memory, tmp_path / "gone.jsonl")
