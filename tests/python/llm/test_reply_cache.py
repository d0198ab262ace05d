"""Answers on disk: what they are kept under, by whom they are shared, and what happens when the file is bad."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llm_faults import FAULTS
from pydantic import BaseModel
from scripted_llm import ScriptedLLM

from memspan.errors import BadReplyError, StoreError
from memspan.llm import OpenAIModel, Prompt
from memspan.llm.reply_cache import ReplyCache, reply_key
from memspan.memory import Memory


class Items(BaseModel):
    items: list[str]


class MoreItems(BaseModel):
    items: list[str]
    more: int = 0


def test_the_same_prompt_is_paid_for_once(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, tmp_path: Path
) -> None:
    cache = tmp_path / "folder" / "replies"
    first = model_of(server, cache=cache).complete(prompt, Items, stage="test")
    again = model_of(server, cache=cache).complete(prompt, Items, stage="other")

    assert again.value == first.value
    assert again.model == "scripted-1"
    assert (again.usage.reused, again.usage.calls, again.usage.prompt_tokens) == (1, 0, 0)
    assert (first.usage.reused, first.usage.calls) == (0, 1)
    assert len(server.asked) == 1
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("options", "change", "schema"),
    [
        ({"temperature": 1}, {}, Items),
        ({"max_tokens": 9}, {}, Items),
        ({"extra": {"seed": 1}}, {}, Items),
        ({}, {"system": "Task: shout\nLouder."}, Items),
        ({}, {"user": '<items>\n"A"\n</items>'}, Items),
        ({}, {}, MoreItems),
    ],
)
def test_whatever_an_answer_depends_on_is_in_the_key(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    tmp_path: Path,
    options: dict[str, Any],
    change: dict[str, str],
    schema: type[BaseModel],
) -> None:
    model_of(server, cache=tmp_path / "replies").complete(prompt, Items, stage="test")

    other = model_of(server, cache=tmp_path / "replies", **options)
    other.complete(replace(prompt, **change), schema, stage="test")

    assert len(server.asked) == 2


def test_another_address_and_another_way_of_asking_are_not(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, tmp_path: Path
) -> None:
    model_of(server, cache=tmp_path / "replies").complete(prompt, Items, stage="test")

    with ScriptedLLM() as elsewhere:
        elsewhere.refused = {"json_schema"}
        model_of(elsewhere, cache=tmp_path / "replies").complete(prompt, Items, stage="test")
        assert not elsewhere.asked


def test_bad_answers_are_not_kept(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, tmp_path: Path
) -> None:
    model = model_of(server, cache=tmp_path / "replies")
    server.misbehave(FAULTS["prose"], FAULTS["prose"], FAULTS["prose"])

    with pytest.raises(BadReplyError):
        model.complete(prompt, Items, stage="test")
    reply = model.complete(prompt, Items, stage="test")
    again = model.complete(prompt, Items, stage="test")

    assert (reply.usage.calls, again.usage.reused) == (2, 1)
    assert again.value == Items(items=["A", "B"])
    assert again.remarks == ()


def test_a_kept_answer_that_no_longer_fits_is_asked_for_again(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, tmp_path: Path
) -> None:
    model = model_of(server, cache=tmp_path / "replies")
    model.complete(prompt, Items, stage="test")
    cache = ReplyCache(tmp_path / "replies")
    with cache._connected() as connection:
        connection.execute("UPDATE replies SET text = '{}'")

    assert model.complete(prompt, Items, stage="test").usage.calls == 1
    assert model.complete(prompt, Items, stage="test").usage.reused == 1, "and kept in its place"


def test_files_that_are_no_cache_are_refused(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("my diary " * 1000)

    with pytest.raises(StoreError, match=r"note\.txt: cannot be used as a cache of replies"):
        OpenAIModel("m", base_url="http://127.0.0.1:1", cache=tmp_path / "note.txt")
    with pytest.raises(StoreError):
        ReplyCache(tmp_path / "note.txt" / "inside")
    assert (tmp_path / "note.txt").read_text() == "my diary " * 1000


def test_a_cache_that_fails_in_use_is_passed_over(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = model_of(server, cache=tmp_path / "replies")
    with ReplyCache(tmp_path / "replies")._connected() as connection:
        connection.execute("DROP TABLE replies")

    with caplog.at_level(logging.WARNING, "memspan"):
        assert model.complete(prompt, Items, stage="test").value == Items(items=["A", "B"])
    assert "the cache of replies is passed over" in caplog.text


def test_the_first_of_two_answers_is_kept(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies")
    key = reply_key("m", "s", "u", {}, {})

    cache.put(key, "m", "first")
    cache.put(key, "m", "second")

    assert cache.get(key) == ("m", "first")
    assert cache.get(reply_key("m", "s", "v", {}, {})) is None
    assert len(cache) == 1
    cache.close()
    assert len(cache) == 1
    cache.close()


WRITER = """
import sys
from memspan.llm.reply_cache import ReplyCache
cache = ReplyCache(sys.argv[1])
for number in range(100):
    cache.put(f"{sys.argv[2]}-{number}".encode(), "m", "t" * 1000)
    cache.put(f"both-{number}".encode(), "m", "t")
"""


def test_several_processes_write_one_file(tmp_path: Path) -> None:
    path = str(tmp_path / "replies")
    running = [subprocess.Popen([sys.executable, "-c", WRITER, path, name]) for name in "abc"]

    assert [one.wait(60) for one in running] == [0, 0, 0]
    cache = ReplyCache(path)
    assert len(cache) == 400
    cache.close()


FORK = """
import os, sys
from memspan.llm.reply_cache import ReplyCache

def put(cache, name, count):
    for number in range(count):
        cache.put(f"{name}-{number}".encode(), "m", name * 500)

cache = ReplyCache(sys.argv[1])
put(cache, "before", 50)
(told, telling), (asked, asking) = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    for count in (50, 100, 2000):
        put(cache, f"child{count}", count)
        os.write(telling, b".")
        os.read(asked, 1)
    os._exit(0)
os.read(told, 1)
cache.close()  # To whom the log seems to be of no use to anybody.
os.write(asking, b".")
os.read(told, 1)
cache = ReplyCache(sys.argv[1])
put(cache, "after", 500)
os.write(asking, b".")
os.read(told, 1)
os.write(asking, b".")
assert os.waitpid(child, 0)[1] == 0
assert len(cache) == 50 + 50 + 100 + 2000 + 500, len(cache)
with cache._connected() as connection:
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
cache.forget()
print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_and_its_parent_write_one_file(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK, str(tmp_path / "replies")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_forgetting_leaves_no_answer_and_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "replies"
    cache, other = ReplyCache(path), ReplyCache(path)
    for i in range(200):
        cache.put(b"%d" % i, "model", f"Wolfsbane {i}")
    age = other.age()
    cache.forget()
    assert len(cache) == len(other) == 0
    other.put(b"late", "model", "Wolfsbane", age)
    assert other.get(b"late") is None, "an answer to what was asked before may repeat what was forgotten"
    assert all(b"Wolfsbane" not in file.read_bytes() for file in tmp_path.iterdir())
    other.put(b"new", "model", "harmless", other.age())
    assert cache.get(b"new") == ("model", "harmless")
    cache.forget()
    assert len(other) == 0
    cache.close()
    other.close()


def test_forgetting_reaches_the_cache_of_the_model(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, tmp_path: Path
) -> None:
    model = model_of(server, cache=tmp_path / "replies")
    model.complete(prompt, Items, stage="test")
    with Memory(tmp_path / "agent.memspan", "hash:32", llm=model) as memory:
        memory.add([{"id": "m1", "text": "x"}], user="ana")
        assert memory.forget(user="ana", id="unknown") == 0
        assert len(ReplyCache(tmp_path / "replies")) == 1
        assert memory.forget(user="ana", id="m1") == 1
    assert len(ReplyCache(tmp_path / "replies")) == 0
    model_of(server).forget_replies()


def test_a_busy_cache_that_cannot_be_emptied_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.llm.reply_cache._BUSY_SECONDS", 0.05)
    cache, other = ReplyCache(tmp_path / "replies"), ReplyCache(tmp_path / "replies")
    cache.put(b"a", "model", "text")
    with other._connected() as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="cannot be emptied"):
            cache.forget()
    cache.forget()
    assert len(cache) == 0
