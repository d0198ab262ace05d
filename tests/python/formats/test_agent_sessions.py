"""Session files of Claude Code and Codex CLI."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats import Turn, detect, read_turns
from memspan.formats.injected import without_injected

WriteJson = Callable[..., Path]


def read(path: Path) -> list[Turn]:
    return list(read_turns(path, user="ana"))


def said(turns: list[Turn]) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in turns]


def line(uuid: str, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": role,
        "sessionId": "s-1",
        "uuid": uuid,
        "timestamp": "2025-05-26T07:27:40Z",
        "message": {"role": role, "content": content},
        **more,
    }


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2025-10-29T01:00:00Z", "type": "response_item", "payload": payload}


def message(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text} for text in texts])


def test_a_session_of_claude_code(write_json: WriteJson) -> None:
    result = {"type": "tool_result", "tool_use_id": "t-1", "content": "no such file", "is_error": True}
    path = write_json(
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}, "isSnapshotUpdate": False},
        line("l1", "user", "Caveat: written by the program", isMeta=True),
        line("l2", "user", "<command-name>/clear</command-name>"),
        line("l3", "user", "Fix the timer."),
        line("l4", "assistant", [{"type": "thinking", "thinking": "Hm.", "signature": "x"}]),
        line(
            "l5",
            "assistant",
            [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t-1", "name": "Read", "input": {"file_path": "a.py"}},
            ],
        ),
        line("l6", "user", [result]),
        line("l7", "user", "Find the file", isSidechain=True),
        {"type": "system", "subtype": "local_command", "content": "x", "sessionId": "s-1"},
        line("l8", "user", "What was said before: ...", isCompactSummary=True),
        line("l0", "assistant", [{"type": "text", "text": "API Error: 529"}], isApiErrorMessage=True),
        line(
            "l9",
            "user",
            [{"type": "text", "text": "Look in b."}, {"type": "text", "text": "<system-reminder>Hurry"}],
            sessionId="s-2",
            timestamp="2025-05-27T08:00:00Z",
        ),
    )
    assert detect(path) == "claude-code"
    turns = read(path)
    assert [turn.id for turn in turns] == ["l3", "l5", "l6", "l9"]
    assert [turn.speaker for turn in turns] == ["user", "assistant", "tool", "user"]
    assert [turn.session for turn in turns] == ["s-1", "s-1", "s-1", "s-2"]
    assert turns[0].text == "Fix the timer."
    assert turns[1].text.startswith("I look.\nRead")
    assert turns[3].text == "Look in b."
    assert turns[2].metadata["outcomes"] == [{"call": "t-1", "success": False}]
    times = [turn.at for turn in turns if turn.at is not None]
    assert len(times) == 4
    assert times == sorted(set(times))


OPENED = "<ide_opened_file>The user opened the file /kiln/b.py in the IDE.</ide_opened_file>"
REMINDER = "<system-reminder>\nHurry\n</system-reminder>"


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": OPENED}, {"type": "text", "text": "Look in b."}],
        [{"type": "text", "text": f"{OPENED}\n{REMINDER}\n\nLook in b."}],
        f"{OPENED} Look in b.",
        f"{REMINDER}{OPENED}Look in b.",
        "Look in b.",
    ],
)
def test_what_an_editor_writes_before_a_message_is_not_said(write_json: WriteJson, content: Any) -> None:
    alone = [line("l1", "user", text) for text in (OPENED, f"{OPENED}\n{REMINDER}", "<ide_selection>a cut")]
    path = write_json(*alone, line("l2", "user", content))
    assert said(read(path)) == [("user", "Look in b.")]


def test_thousands_of_reminders_before_a_message_are_passed_over_once() -> None:
    reminders = "<system-reminder>x</system-reminder>\n" * 100_000
    started = time.thread_time()
    assert without_injected(f"{reminders} Look in b. ", (), ("system-reminder",)) == "Look in b. "
    assert without_injected(reminders, ("Hurry",), ("system-reminder",)) == ""
    assert time.thread_time() - started < 5


def test_a_session_of_claude_code_that_breaks_off_is_read_up_to_there(write_json: WriteJson) -> None:
    path = write_json(line("l1", "user", "Fix it."))
    with path.open("a") as file:
        file.write('{"type": "assistant", "sess')
    turns = read_turns(path, user="ana")
    assert next(turns).text == "Fix it."
    with pytest.raises(FormatError, match=r":2: not JSON"):
        next(turns)


def test_a_session_of_codex(write_json: WriteJson) -> None:
    meta = {"id": "c-1", "timestamp": "2025-10-29T00:59:38Z", "cwd": "/kiln", "cli_version": "0.46.0"}
    path = write_json(
        {"timestamp": "2025-10-29T00:59:38Z", "type": "session_meta", "payload": meta},
        {"timestamp": "2025-10-29T00:59:38Z", "type": "session_meta", "payload": {**meta, "id": "c-0"}},
        message("developer", "<permissions instructions>"),
        message(
            "user", "# AGENTS.md instructions for /kiln", "<environment_context>\n</environment_context>"
        ),
        message("user", "List the glazes."),
        {"timestamp": "x", "type": "event_msg", "payload": {"type": "user_message", "message": "List them."}},
        item(type="reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="g"),
        item(type="function_call", name="shell", arguments='{"command": ["ls"]}', call_id="k-1"),
        item(
            type="function_call_output",
            call_id="k-1",
            output='{"output": "none", "metadata": {"exit_code": 2, "duration_seconds": 0.0}}',
        ),
        item(type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="k-2"),
        item(type="custom_tool_call_output", call_id="k-2", output="Exit code: 0\nOutput:\nSuccess"),
        item(type="ghost_snapshot", ghost_commit={"id": "x"}),
        message("assistant", "There is one."),
    )
    assert detect(path) == "codex"
    turns = read(path)
    assert [turn.id for turn in turns] == ["c-1:2", "c-1:4", "c-1:5", "c-1:6", "c-1:7", "c-1:9"]
    assert said(turns)[0] == ("user", "List the glazes.")
    assert said(turns)[-1] == ("assistant", "There is one.")
    assert [turn.speaker for turn in turns[1:5]] == ["assistant", "tool", "assistant", "tool"]
    assert {turn.session for turn in turns} == {"c-1"}
    assert turns[2].metadata["outcomes"] == [{"call": "k-1", "success": False}]
    assert turns[4].metadata["outcomes"] == [{"call": "k-2", "success": True}]
    assert not any("Hm." in turn.text for turn in turns)


@pytest.mark.parametrize("name", ["claude-code", "codex", "telegram"])
def test_a_file_that_names_nobody_wants_a_user(sample_file: Callable[[str], Path], name: str) -> None:
    with pytest.raises(FormatError, match="names no user"):
        list(read_turns(sample_file(name)))


def test_a_message_with_a_session_beside_it_is_a_chat() -> None:
    assert detect(b'{"type": "message", "sessionId": "s", "role": "user", "content": "x"}') == "chat"


def test_other_logs_with_a_session_are_none_of_claude_code() -> None:
    with pytest.raises(FormatError, match="of no known format"):
        detect(b'[{"sessionId": "s", "messageId": 0, "type": "user", "message": "x"}]')
