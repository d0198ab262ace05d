"""Small conversations of our own with labelled questions, in the layout of every data set."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest


def _turn(id_: str, speaker: str, text: str) -> dict[str, Any]:
    return {"dia_id": id_, "speaker": speaker, "text": text}


def _asked(question: str, evidence: list[str], category: int) -> dict[str, Any]:
    return {"question": question, "answer": "-", "evidence": evidence, "category": category}


LOCOMO = [
    {
        "sample_id": "orchard",
        "conversation": {
            "session_1_date_time": "9:00 am on 4 April, 2022",
            "session_1": [
                _turn("D1:1", "Ilka", "I planted a quince by the well."),
                _turn("D1:2", "Tomasz", "My bees moved into the blue hive."),
                _turn("D1:3", "Ilka", "The well froze in winter."),
            ],
            "session_2_date_time": "6:30 pm on 9 June, 2022",
            "session_2": [
                _turn("D2:1", "Tomasz", "We pressed cider on Saturday."),
                _turn("D2:2", "Ilka", "The quince has its first flower."),
            ],
        },
        "qa": [
            _asked("What happened to the quince?", ["D1:1; D2:02"], 1),
            _asked("When did they press cider?", ["D2:1"], 2),
            _asked("Would Ilka like jam?", [], 3),
            _asked("Which hive did the bees move into?", ["D1:2", "D9:9", "D:1:2"], 4),
            _asked("When did Ilka press cider in the blue hive?", ["D2:1"], 5),
        ],
    },
    {
        "sample_id": "harbour",
        "conversation": {
            "session_1_date_time": "8:00 am on 1 May, 2022",
            "session_1": [_turn("D1:1", "Ada", "The ferry leaves at noon.")],
        },
        "qa": [_asked("When does the ferry leave?", ["D1:1"], 4)],
    },
]

REALTALK = {
    "name": {"speaker_1": "Noor", "speaker_2": "Piet"},
    "session_1": [
        {
            "clean_text": text,
            "speaker": "Noor",
            "date_time": f"08.01.2024, 22:23:{number:02d}",
            "dia_id": f"D1:{number}",
        }
        for number, text in enumerate(["The parcel came.", "It held a lamp.", "The lamp is green."], 1)
    ],
    "qa": [
        _asked("What came?", ["D1:1-D1:3"], 1),
        _asked("When did it come?", ["D1:1.", "D1:7"], 2),
        _asked("Is Noor reading at night?", ["D1:2"], 3),
    ],
}


def _said(number: int, text: str) -> dict[str, Any]:
    return {"role": "user" if number % 2 == 0 else "assistant", "id": number, "content": text}


BEAM = [
    {
        "batch_number": 1,
        "time_anchor": "March-15-2024",
        "turns": [[_said(0, "How do I size a sail?"), _said(1, "Measure the spars.")]],
    },
    {
        "batch_number": 2,
        "time_anchor": "April-5-2024",
        "turns": [[_said(2, "The sail is sewn."), _said(3, "Well done.")], [_said(4, "It tore.")]],
    },
]

BEAM_QUESTIONS = {
    "abstention": [{"question": "Which thread did I use?", "rubric": []}],
    "contradiction_resolution": [
        {
            "question": "Did the sail hold?",
            "source_chat_ids": {"first_statement": [2], "second_statement": [4, [2]]},
        }
    ],
    "event_ordering": [
        {"question": "What came first?", "source_chat_ids": [0, 2, 99]},
        {"question": "What else?", "source_chat_ids": None},
    ],
}

HALUMEM = [
    {
        "uuid": "u-17",
        "sessions": [
            {
                "dialogue": [
                    {"role": "user", "content": "I moved to Lund.", "timestamp": "Sep 04, 2025, 09:05:32"},
                    {"role": "assistant", "content": "Noted.", "timestamp": "Sep 04, 2025, 09:06:00"},
                ],
                "memory_points": [{"memory_content": "Greta lives in Lund"}],
                "questions": [
                    {
                        "question": "Where does Greta live?",
                        "question_type": "Basic Fact Recall",
                        "evidence": [{"memory_content": "Greta lives in Lund"}],
                    }
                ],
            },
            {
                "dialogue": [
                    {"role": "user", "content": "Now in Lund again.", "timestamp": "Dec 31, 2025, 23:59:59"},
                ],
                "memory_points": [
                    {"memory_content": "Greta came back"},
                    {"memory_content": "Greta lives in Lund "},
                ],
                "questions": [
                    {
                        "question": "Did Greta come back to Lund?",
                        "question_type": "Dynamic Update",
                        "evidence": [
                            {"memory_content": "Greta lives in Lund"},
                            {"memory_content": "Greta came back"},
                            {"memory_content": "Greta has a boat"},
                        ],
                    },
                    {"question": "What is her boat?", "question_type": "Memory Boundary", "evidence": []},
                ],
            },
            {
                "dialogue": [
                    {"role": "user", "content": "I left Lund.", "timestamp": "Feb 01, 2026, 10:00:00"},
                ],
                "memory_points": [{"memory_content": "Greta has a boat"}],
            },
        ],
    }
]

LONGMEMEVAL = [
    {
        "question_id": "q-1",
        "question_type": "knowledge-update",
        "question": "Where is the ladder?",
        "answer": "in the shed",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["answer_b"],
        "haystack_session_ids": ["s-a", "answer_b", "s-c"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 00:00", "2023/05/22 (Mon) 07:10"],
        "haystack_sessions": [
            [{"role": "user", "content": "Where do ladders go?"}, {"role": "assistant", "content": "Up."}],
            [
                {"role": "user", "content": "My ladder is in the shed.", "has_answer": True},
                {"role": "assistant", "content": "A shed keeps a ladder dry.", "has_answer": True},
                {"role": "user", "content": "The shed is green.", "has_answer": False},
            ],
            [{"role": "user", "content": "Paint the fence."}],
        ],
    },
    {
        "question_id": "q-2_abs",
        "question_type": "multi-session",
        "question": "Where is the anvil?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["s-d"],
        "haystack_session_ids": ["s-d"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "I own no anvil.", "has_answer": True}]],
    },
    {
        "question_id": "q-3",
        "question_type": "single-session-assistant",
        "questions": ["What did you call my dog?", "Which tea?"],
        "answers": ["Rex", "mint"],
        "answer_session_ids": [["s-e"], ["s-f", "s-gone"]],
        "haystack_session_ids": ["s-e", "s-f", "s-e"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 00:00", "2023/05/22 (Mon) 00:00"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "Name my dog."},
                {"role": "assistant", "content": "Call the dog Rex.", "has_answer": True},
            ],
            [{"role": "user", "content": "I drink mint tea."}],
            [{"role": "user", "content": "A dog again."}],
        ],
    },
]

LABELLED: dict[str, tuple[str, Any]] = {
    "locomo": ("locomo.json", LOCOMO),
    "realtalk": ("Chat_9_Noor_Piet.json", REALTALK),
    "beam": ("100K/7/chat.json", BEAM),
    "halumem": ("halumem.jsonl", HALUMEM),
    "longmemeval": ("longmemeval.json", LONGMEMEVAL),
}
PROBING = "100K/7/probing_questions/probing_questions.json"

WriteLabelled = Callable[..., Path]


def write_as(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> WriteLabelled:
    """Writes the file of a data set, after `change` did something to its values, and returns its path.

    For BEAM, `change` is given the questions.
    """

    def write(name: str, change: Callable[[Any], object] = lambda value: None) -> Path:
        file, value = LABELLED[name]
        value, questions = copy.deepcopy(value), copy.deepcopy(BEAM_QUESTIONS)
        change(questions if name == "beam" else value)
        if name == "beam":
            write_as(tmp_path, PROBING, questions)
        return write_as(tmp_path, file, value[0] if name == "halumem" else value)

    return write


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    """A folder for stores that is not there yet."""
    return tmp_path / "cache" / "eval"


@pytest.fixture
def answered(labelled: WriteLabelled) -> Callable[[Sequence[str | None]], Path]:
    """Writes the first conversation of LoCoMo's layout, its questions with these answers, or with none."""

    def write(golds: Sequence[str | None]) -> Path:
        def change(samples: Any) -> None:
            for question, gold in zip(samples[0]["qa"], golds, strict=True):
                question["answer"] = gold
                if gold is None:
                    del question["answer"]
            del samples[1]

        return labelled("locomo", change)

    return write
