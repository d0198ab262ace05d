"""What only shows in a real process: terminals, pipes, signals, tracebacks."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time

import pytest

from memspan.errors import StoreError
from memspan.store import inspect


def command(*arguments):
    return [sys.executable, "-m", "memspan", *map(str, arguments)]


class Terminal:
    """A command whose three streams are a terminal."""

    def __init__(self, *arguments, **environment):
        self._leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            command(*arguments),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
        )
        os.close(follower)
        self.output = ""

    def read(self, until=None):
        """Read until some text was shown, or to the end."""
        deadline = time.monotonic() + 60
        while until is None or until not in self.output:
            assert time.monotonic() < deadline, self.output
            if not select.select([self._leader], [], [], 1)[0]:
                continue
            try:
                chunk = os.read(self._leader, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                break
            self.output += chunk.decode("utf-8", "replace")
        return self.output

    def type(self, text):
        os.write(self._leader, text.encode())

    def interrupt(self):
        """Press Ctrl-C until it is noticed: a signal right before a blocking read waits for the next."""
        deadline = time.monotonic() + 60
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.output
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(2)

    def end(self):
        """Read what is left and return the exit code."""
        self.read()
        return self.process.wait(60)

    def discard(self):
        self.process.kill()
        self.process.wait()
        os.close(self._leader)


@pytest.fixture
def terminal():
    """Start commands on a terminal; whatever still runs at the end is killed."""
    with contextlib.ExitStack() as started:

        def start(*arguments, **environment):
            session = Terminal(*arguments, **environment)
            started.callback(session.discard)
            return session

        yield start


def test_forget_asks_on_a_terminal(terminal, filled, run_json):
    for answer, code, left in (("n\n", 1, ["demo"]), ("y\n", 0, [])):
        session = terminal("forget", "--store", filled, "--user", "demo")
        session.read(until="cannot be undone")
        session.type(answer)
        assert session.end() == code, session.output
        assert run_json("stats", "--store", filled)["users"] == left


def test_ctrl_c_at_the_question_changes_nothing(terminal, filled, run_json):
    session = terminal("forget", "--store", filled, "--user", "demo")
    session.read(until="cannot be undone")
    session.interrupt()
    assert session.end() == 130
    assert "interrupted" in session.output
    assert run_json("stats", "--store", filled)["users"] == ["demo"]


def test_progress_and_colour_only_on_a_terminal(terminal, store, conversation_file):
    session = terminal("ingest", conversation_file, "--store", store, "--batch", 10)
    assert session.end() == 0, session.output
    assert "ingesting" in session.output
    assert "169/169" in session.output


def test_loading_shows_that_it_goes_on(terminal, filled, run, tmp_path):
    run("export", "demo.jsonl", "--store", filled, "--user", "demo")
    session = terminal("load", "demo.jsonl", "--store", tmp_path / "copy.memspan")
    assert session.end() == 0, session.output
    assert "169/" in session.output
    assert "169 records loaded" in session.output


def test_a_pipe_under_a_name_is_read_once(terminal, store, tmp_path):
    pipe = tmp_path / "turns"
    os.mkfifo(pipe)
    session = terminal("ingest", pipe, "--store", store)
    with open(pipe, "w", encoding="utf-8") as lines:
        for number in range(3000):
            lines.write(json.dumps({"user": "ana", "text": f"turn number {number} of a long file"}) + "\n")
    assert "3,000 turns of 1 user" in session.read()
    assert session.process.wait(60) == 0


def test_no_color(terminal, filled):
    session = terminal("search", "ferry", "--store", filled, "--user", "demo", NO_COLOR="1")
    assert session.end() == 0
    assert "\x1b[3" not in session.output


def test_interrupted_ingest_keeps_what_was_committed(store, run_json):
    arguments = command("ingest", "-", "--store", store, "--batch", 2)
    pipe = subprocess.PIPE
    # Leaving the block closes the input, which ends the process whatever failed.
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        for number in range(5):
            record = {"user": "ana", "id": f"t{number}", "text": "tea", "at": f"2024-01-0{number + 1}"}
            process.stdin.write(json.dumps(record) + "\n")
            process.stdin.flush()
        deadline = time.monotonic() + 60
        while _stored(store, run_json) < 4:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert stderr == "Error: interrupted (kept: 4 turns before it)\n"
    assert "4 turns" in stdout
    assert _stored(store, run_json) == 4


def _stored(store, run_json):
    with contextlib.suppress(StoreError):
        inspection = inspect(store)
        if inspection is not None and "embedder" in inspection.settings:
            return len(run_json("latest", "--store", store, "--user", "ana")["records"])
    return 0


def test_a_closed_pipe_is_no_error_worth_a_word(filled):
    process = subprocess.Popen(
        command("export", "-", "--store", filled, "--user", "demo", "--embeddings"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.wait(60)
    process.stderr.close()
    assert b"Traceback" not in stderr
    assert b"Exception ignored" not in stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a file that is always full")
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_that_cannot_be_written_ends_with_a_line(option):
    with open("/dev/full", "w") as full:
        done = subprocess.run(command(option), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "Error: No space left on device\n"


@pytest.mark.parametrize(("debug", "expected"), [("0", False), ("1", True)])
def test_traceback_only_on_request(spawn, filled, debug, expected):
    bad = ("--where", '{"city": {"$near": 1}}')
    done = spawn("search", "x", "--store", filled, "--user", "demo", *bad, env={"MEMSPAN_DEBUG": debug})
    assert done.returncode == 2
    assert ("Traceback" in done.stderr) is expected
    assert done.stderr.splitlines()[-1].startswith("Error: Invalid value for '--where'")


def test_a_folder_that_cannot_be_written(spawn, conversation_file, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    done = spawn("ingest", conversation_file, "--store", blocker / "chat.memspan")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


def test_a_terminal_that_cannot_show_a_letter_gets_its_escape(terminal, run, store, write_lines):
    run(
        "ingest",
        write_lines({"user": "ana", "id": "a", "text": "Gjógv ⛴", "at": "2024-01-01"}),
        "--store",
        store,
    )
    session = terminal("latest", "--store", store, "--user", "ana", PYTHONIOENCODING="ascii")
    assert session.end() == 0, session.output
    assert "Gj\\xf3gv" in session.output


ACTING = "a \x1b[31m b \x9b32m c \x7f d \u202e e \u2066 f"


def test_json_holds_no_sign_that_acts_on_a_terminal(run, run_json, store, write_lines):
    line = {"user": "ana", "id": "a", "text": ACTING, "at": "2024-01-01"}
    run("ingest", write_lines(line), "--store", store)
    latest = ("latest", "--store", store, "--user", "ana")
    assert not set(ACTING) - set(" abcdef[312m") & set(run(*latest, "--json").stdout)
    (record,) = run_json(*latest)["records"]
    assert record["text"] == ACTING


def test_an_export_on_a_terminal_does_not_act_on_it(terminal, run, store, write_lines):
    line = {"user": "ana", "id": "a", "text": ACTING, "at": "2024-01-01"}
    run("ingest", write_lines(line), "--store", store)
    session = terminal("export", "-", "--store", store, "--user", "ana")
    assert session.end() == 0, session.output
    record = next(line for line in session.output.splitlines() if '"record"' in line)
    assert not set(ACTING) - set(" abcdef[312m") & set(record)
    assert json.loads(record)["text"] == ACTING


def test_pipes_are_utf8_whatever_the_locale(spawn, run, store, write_lines):
    run(
        "ingest",
        write_lines({"user": "ana", "id": "a", "text": "Gjógv ⛴", "at": "2024-01-01"}),
        "--store",
        store,
    )
    locale = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    exported = spawn("export", "-", "--store", store, "--user", "ana", env=locale).stdout
    assert "Gjógv ⛴" in exported
    done = spawn("load", "-", "--store", "copy.memspan", input=exported, env=locale)
    assert done.returncode == 0, done.stderr
    assert (
        "Gjógv ⛴" in spawn("latest", "--store", "copy.memspan", "--user", "ana", "--json", env=locale).stdout
    )


@pytest.mark.parametrize(("closed", "shown"), [(">&-", ""), ("2>&-", "s14-14")])
def test_a_closed_output_takes_nothing(filled, closed, shown):
    asked = shlex.join(command("latest", "--store", filled, "--user", "demo", "-k", "1"))
    done = subprocess.run(
        ["sh", "-c", f"{asked} {closed}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in done.stdout


def test_nobody_answers_where_the_input_is_closed(filled):
    asked = shlex.join(command("forget", "--store", filled, "--user", "demo"))
    done = subprocess.run(
        ["sh", "-c", f"{asked} <&-"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "nobody to ask here" in done.stderr
