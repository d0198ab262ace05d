"""Small conversations of our own, written in the layout of every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LOCOMO = [
    {
        "qa": [{"question": "What did Ilka plant?", "answer": "quince", "evidence": ["D1:1"], "category": 4}],
        "conversation": {
            "speaker_a": "Ilka",
            "speaker_b": "Tomasz",
            "session_10_date_time": "12:05 am on 2 March, 2022",
            "session_10": [{"speaker": "Tomasz", "dia_id": "D10:1", "text": "The quince is in flower!"}],
            "session_2_date_time": "11:59 pm on 31 October, 2021",
            "session_2": [
                {
                    "speaker": "Ilka",
                    "dia_id": "D2:1",
                    "text": "Look at this.",
                    "img_url": ["https://example.org/1.jpg"],
                    "blip_caption": "a photo of a small tree in a pot",
                    "query": "quince tree",
                },
                {"speaker": "Tomasz", "dia_id": "D2:1", "text": "Lovely, is it a quince?"},
            ],
            "session_3_date_time": "1:00 pm on 3 November, 2021",
        },
        "sample_id": "garden-1",
    },
    {
        "conversation": {
            "session_1_date_time": "9:30 am on 5 May, 2022",
            "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "Second garden here."}],
        },
        "sample_id": "garden-2",
    },
]

REALTALK = {
    "name": {"speaker_1": "Noor", "speaker_2": "Piet"},
    "session_1": [
        {
            "clean_text": "Did the parcel arrive?",
            "speaker": "Noor",
            "date_time": "08.01.2024, 22:23:07",
            "img_file": [],
            "img_url": [],
            "dia_id": "D1:2",
        },
        {
            "clean_text": "Yes, look",
            "speaker": "Piet",
            "date_time": "08.01.2024, 22:23:07",
            "img_file": ["a.jpg"],
            "img_url": [],
            "dia_id": "D1:2",
            "blip_caption": "a parcel on a doormat",
        },
    ],
    "events_session_1": {"agent_a": [], "agent_b": []},
    "session_1_date_time": "08.01.2024, 22:23:07",
    "qa": [{"question": "?", "answer": "!", "evidence": ["D1:2"], "category": 1}],
}

BEAM = [
    {
        "batch_number": 1,
        "time_anchor": None,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 0,
                    "time_anchor": "March-15-2024",
                    "index": "1,1",
                    "question_type": "main_question",
                    "content": "How do I size a sail? ->-> 1,1",
                },
                {"role": "assistant", "id": 1, "content": "Measure the spars first."},
            ],
            [
                {
                    "role": "user",
                    "id": 2,
                    "question_type": "followup_question",
                    "content": "x ->-> y, done ->-> 2,N/A",
                }
            ],
        ],
    },
    {
        "batch_number": 2,
        "time_anchor": "April-5-2024",
        "turns": [[{"role": "user", "id": 3, "content": "It is sewn."}]],
    },
]

HALUMEM = [
    {
        "uuid": "u-17",
        "persona_info": "Name: Greta",
        "sessions": [
            {
                "start_time": "Sep 04, 2025, 09:05:32",
                "dialogue": [
                    {"role": "user", "content": "I moved to Lund.", "timestamp": "Sep 04, 2025, 09:05:32"},
                    {"role": "assistant", "content": "Noted.", "timestamp": "Sep 04, 2025, 09:05:32"},
                ],
                "memory_points": [
                    {"index": 1, "memory_content": "Greta lives in Lund", "is_update": "False"}
                ],
            },
            {
                "dialogue": [
                    {"role": "user", "content": "Now in Malmo.", "timestamp": "Dec 31, 2025, 23:59:59"},
                ]
            },
        ],
    },
    {"uuid": "u-18", "sessions": [{"dialogue": []}]},
]

LONGMEMEVAL = [
    {
        "question_id": "q-1",
        "question_type": "knowledge-update",
        "question": "Where is the ladder?",
        "answer": "in the shed",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["s-b"],
        "haystack_session_ids": ["s-a", "s-b", "s-a"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 00:00", "2023/05/22 (Mon) 07:10"],
        "haystack_sessions": [
            [{"role": "user", "content": "Where do ladders go?"}, {"role": "assistant", "content": " "}],
            [{"role": "user", "content": "Mine is in the shed.", "has_answer": True}],
            [{"role": "assistant", "content": "Good."}],
        ],
    },
    {
        "question_id": "q-2",
        "questions": ["a?", "b?"],
        "answers": ["a", "b"],
        "haystack_session_ids": ["s-c"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "Hello."}]],
    },
]

CHAT = {
    "id": "talk-1",
    "at": "2024-06-01T10:00:00Z",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "My boat is called Merlin.", "name": "Ansel"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "A fine name."},
                {"type": "image_url", "image_url": {"url": "data:", "caption": "a sloop at anchor"}},
            ],
            "timestamp": 1717236000,
            "tags": ["boats"],
        },
    ],
}

JSONL = [
    {
        "text": "The kiln reaches 1,280 degrees.",
        "id": 7,
        "user": "mo",
        "at": "2024-02-03T04:05:06+02:00",
        "until": 1735689600000000,
        "session": "workshop",
        "speaker": "Mo",
        "kind": "semantic",
        "tags": ["kiln", "pottery"],
        "images": ["a red kiln"],
        "metadata": {"page": 3, "deep": {"list": [1, 2.5, None]}},
    },
    {"text": "Glaze needs two coats.", "user": "mo"},
]

CLAUDE_CODE = [
    {"type": "summary", "summary": "Kiln timer", "leafUuid": "l-3"},
    {
        "type": "user",
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s-1",
        "uuid": "l-1",
        "timestamp": "2025-05-26T07:27:40.079Z",
        "message": {"role": "user", "content": "Fix the kiln timer."},
    },
    {
        "type": "assistant",
        "parentUuid": "l-1",
        "isSidechain": False,
        "sessionId": "s-1",
        "uuid": "l-2",
        "timestamp": "2025-05-26T07:27:44.000Z",
        "message": {
            "id": "msg-1",
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Where is it?", "signature": "x"},
                {"type": "text", "text": "I look at it."},
                {"type": "tool_use", "id": "t-1", "name": "Read", "input": {"file_path": "timer.py"}},
            ],
        },
    },
]

CODEX = [
    {
        "timestamp": "2025-10-29T00:59:38.317Z",
        "type": "session_meta",
        "payload": {"id": "c-1", "timestamp": "2025-10-29T00:59:38.308Z", "cwd": "/kiln"},
    },
    {
        "timestamp": "2025-10-29T00:59:38.400Z",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "List the glazes."}],
        },
    },
    {
        "timestamp": "2025-10-29T00:59:39.500Z",
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "arguments": '{"command": ["ls"]}',
            "call_id": "k-1",
        },
    },
]

OPEN_WEBUI = [
    {
        "id": "w-1",
        "user_id": "u-1",
        "title": "Sails",
        "created_at": 1717236000,
        "chat": {
            "title": "Sails",
            "history": {
                "currentId": "m-2",
                "messages": {
                    "m-1": {
                        "id": "m-1",
                        "parentId": None,
                        "childrenIds": ["m-2"],
                        "role": "user",
                        "content": "How do I patch a sail?",
                        "timestamp": 1717236001,
                    },
                    "m-2": {
                        "id": "m-2",
                        "parentId": "m-1",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": "With tape.",
                        "timestamp": 1717236005,
                    },
                },
            },
        },
    }
]

TELEGRAM = {
    "name": "Rowing club",
    "type": "private_group",
    "id": 4711,
    "messages": [
        {
            "id": 1,
            "type": "service",
            "date": "2024-05-19T09:00:00",
            "date_unixtime": "1716109200",
            "actor": "Noor",
            "action": "create_group",
            "text": "",
        },
        {
            "id": 2,
            "type": "message",
            "date": "2024-05-19T09:01:00",
            "date_unixtime": "1716109260",
            "from": "Noor",
            "from_id": "user1",
            "text": ["See ", {"type": "link", "text": "https://example.org"}, "!"],
        },
    ],
}


def lines(values: list[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


SAMPLES = {
    "locomo": ("locomo.json", json.dumps(LOCOMO)),
    "realtalk": ("Chat_9_Noor_Piet.json", json.dumps(REALTALK, indent=4)),
    "beam": ("100K/7/chat.json", json.dumps(BEAM, indent=2)),
    "halumem": ("halumem.jsonl", lines(HALUMEM)),
    "longmemeval": ("longmemeval.json", json.dumps(LONGMEMEVAL, indent=2)),
    "chat": ("chat.jsonl", lines([CHAT])),
    "claude-code": ("s-1.jsonl", lines(CLAUDE_CODE)),
    "codex": ("rollout-c-1.jsonl", lines(CODEX)),
    "open-webui": ("chat-export.json", json.dumps(OPEN_WEBUI)),
    "telegram": ("result.json", json.dumps(TELEGRAM, indent=1)),
    "jsonl": ("records.jsonl", lines(JSONL)),
}


@pytest.fixture(scope="session")
def samples() -> dict[str, str]:
    """The text of a valid file of every format."""
    return {name: text for name, (_, text) in SAMPLES.items()}


@pytest.fixture
def sample_file(tmp_path: Path) -> Callable[[str], Path]:
    """Writes the valid file of a format under a name that such files have, and returns its path."""

    def write(name: str) -> Path:
        file, text = SAMPLES[name]
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_json(tmp_path: Path) -> Callable[..., Path]:
    """Writes its arguments as JSON Lines, or as one indented document when `document` is set."""

    def write(*values: Any, document: bool = False, name: str = "input.json") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps(values[0], indent=1) if document else lines(list(values)), encoding="utf-8"
        )
        return path

    return write
