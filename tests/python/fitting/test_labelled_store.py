"""Labelled questions about a store of one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.fitting import labelled_store as module
from memspan.fitting.examples import Example
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


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_each_line_is_an_example(memory: Memory, tmp_path: Path) -> None:
    lines = [
        line(),
        "",
        line(user="bo", question="What did it do on 4 May 2024?", evidence=["bo3", "bo1"], now="2024-05-10"),
        line(question="Who has the kite?", now=None),
    ]
    own = collect_own(memory, write(tmp_path, *lines))
    assert own.read == 3
    assert own.flaws == ()
    examples = own.examples
    assert [each.conversation for each in examples] == ["ana", "bo", "ana"]
    assert [int(each.relevant.sum()) for each in examples] == [1, 2, 1]
    assert [each.evidence for each in examples] == [1, 2, 1]
    assert all(len(each.relevant) == len(TURNS) for each in examples)
    assert "timed" in examples[1].conditions
    assert {each.data_set for each in examples} == {"own"}
    assert {each.session for each in own.questions} == {"s"}
    assert [each.question.evidence for each in own.questions] == [{"ana2"}, {"bo1", "bo3"}, {"ana2"}]


def test_days_are_those_of_the_zone_that_now_names(memory: Memory, tmp_path: Path) -> None:
    text, now = "What did it do yesterday?", "2024-05-05T00:30:00+02:00"
    own = collect_own(memory, write(tmp_path, line(question=text, evidence=["ana3"], now=now)))
    (found,) = own.questions
    plan = memory.search(text, user="ana", now=found.question.now).plan
    assert plan == memory.search(text, user="ana", now=now).plan
    assert plan != memory.search(text, user="ana", now="2024-05-04T22:30:00Z").plan


def test_lines_that_ask_the_same_are_one_question(memory: Memory, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        line(evidence=["ana2"]),
        line(evidence=["nowhere"]),
        line(question=" where IS the kite?", evidence=["ana1", "ana2"]),
        line(evidence=["ana2"], now="2024-05-10"),
        line(user="bo", evidence=["bo2"]),
    )
    own = collect_own(memory, path)
    assert own.read == 5
    assert [each.question.evidence for each in own.questions] == [{"ana1", "ana2"}, {"ana2"}, {"bo2"}]
    places = [(each.place.rpartition(": ")[2], each.field) for each in own.flaws]
    assert places == [("line 1", "evidence"), ("line 2", "question"), ("line 3", "question")]
    assert str(own.flaws[2]).endswith(f"its evidence counts as that of {path}: line 1")


def test_ids_that_no_record_can_have_are_named_in_short(memory: Memory, tmp_path: Path) -> None:
    own = collect_own(
        memory,
        write(tmp_path, line(evidence=["ana\ud8002", "ana2"]), line(question="Who?", evidence=["e" * 5000])),
    )
    assert [each.question.evidence for each in own.questions] == [{"ana2"}]
    assert own.flaws[0].got == "'ana\ufffd2'"
    assert len(own.flaws[1].got) < 100


def test_what_teaches_nothing_is_named(memory: Memory, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        line(),
        line(question="Who has it?", evidence=["ana2", "gone"]),
        line(question="Is it red?", evidence=["bo2"]),  # another user's record answers nothing here
        line(user="eve"),
    )
    own = collect_own(memory, path)
    assert own.read == 4
    assert [each.evidence for each in own.examples] == [1, 1]
    assert own.questions[1].question.evidence == {"ana2"}
    assert [(each.place, each.field, each.got) for each in own.flaws] == [
        (f"{path}: line 2", "evidence", "'gone'"),
        (f"{path}: line 3", "evidence", "'bo2'"),
        (f"{path}: line 4", "user", "'eve'"),
    ]
    assert "'ana'" in own.flaws[1].accepted
    assert "'bo'" in own.flaws[2].accepted
    own.require_some(path)


def test_evidence_that_is_no_candidate_counts_as_not_found(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module.example_of

    def without_candidates(*arguments: Any) -> Example:
        example = real(*arguments)
        return replace(example, relevant=np.zeros_like(example.relevant))

    monkeypatch.setattr(module, "example_of", without_candidates)
    path = write(tmp_path, line())
    own = collect_own(memory, path)
    assert len(own.questions) == 1
    assert "candidates" in own.flaws[0].accepted
    with pytest.raises(
        errors.FormatError, match="nothing to learn from in its 1 question;.*line 1: evidence"
    ):
        own.require_some(path)


def test_only_a_file_with_nothing_to_learn_from_is_refused(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path, line(user="eve"), line(evidence=["gone"]))
    with pytest.raises(errors.FormatError) as raised:
        collect_own(memory, path).require_some(path)
    for part in ("2 questions", "line 1: user: got 'eve'", "line 2: evidence: got 'gone'", "accepted"):
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (line(user=7), "user: got 7; accepted: the name"),
        (line(question=" "), 'question: got " "; accepted: text'),
        (line(evidence="ana2"), 'evidence: got "ana2"; accepted: a list'),
        ('{"user": "ana", "question": "x"}', "evidence: got nothing; accepted: a list"),
        ("[7]", "got [7]; accepted: {"),
    ],
)
def test_a_broken_field_is_named(memory: Memory, tmp_path: Path, bad: str, told: str) -> None:
    path = write(tmp_path, line(), bad)
    with pytest.raises(errors.FormatError) as raised:
        collect_own(memory, path)
    assert f"{path}: line 2: {told}" in str(raised.value)


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
        line(now=1_714_867_200),
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
    assert collect_own(memory, path).questions == ()
    with pytest.raises(FileNotFoundError):
        collect_own(memory, tmp_path / "gone.jsonl")
