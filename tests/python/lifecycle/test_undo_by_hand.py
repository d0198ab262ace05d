"""`retire` and `supersede` are runs, and `undo` takes them back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import Custom, ScriptedModel, recipe_of

from memspan import Memory, Quotas, Record
from memspan.embed import HashEmbedder
from memspan.encode.values import Statement, Work
from memspan.errors import HeldError, LLMError, StoreError, UndoError, UnknownIdError
from memspan.lifecycle.undo.journal import fingerprint
from memspan.llm import Prompt
from memspan.remember.endings import retiring
from memspan.remember.endings.life import is_expired
from memspan.remember.jobs.pace import Pace
from memspan.remember.tagging.made_tags import write_made_tags
from memspan.store.sqlite.reader import SqliteReader

from .test_undo import answers, fact, rows


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=64), auto_consolidate=False) as opened:
        opened.add_records([fact("a"), fact("b", 1, tags=("given",)), fact("c", text="Ana bought a saw.")])
        with opened._engine.changing() as change:
            write_made_tags(change, "ana", {"a": ("made",), "b": ("made",)})
        yield opened


def path(memory: Memory) -> Path:
    return Path(memory._engine.store.path)


def test_what_was_retired_is_believed_again(memory: Memory):
    before, answered = rows(path(memory)), answers(memory)
    assert memory.retire(user="ana", ids=["a", "b"]) == 2
    (run,) = memory.runs("ana")
    assert (run.action, run.state, run.changes) == ("retire", "done", 2)
    assert memory.undo(run.id) == (run.id, 2, 0, (), ())
    assert rows(path(memory)) == before
    assert answers(memory) == answered
    assert memory.retire(user="ana", ids=["a"]) == 1
    assert memory.retire(user="ana", ids=["a"]) == 0
    assert len(memory.runs("ana")) == 2
    assert memory.verify() == []


def test_nobody_used_what_was_undone(memory: Memory):
    new = memory.supersede(user="ana", id="c", text="Ana bought a hammer.")
    memory.search("hammer", user="ana", k=1)
    memory._engine.write_uses()
    (run,) = memory.runs("ana")
    memory.undo(run.id)
    with memory._engine.store.reading() as reader:
        assert reader.uses.of("ana", [new]) == []


def test_what_undoing_left_does_not_name_what_is_forgotten(memory: Memory):
    memory.add([{"id": "secret-name", "text": "Ana has an old lamp."}], user="ana")
    new = memory.supersede(user="ana", id="secret-name", text="Ana has a new lamp.")
    memory.add([{"id": new, "text": "Ana has no lamp."}], user="ana")
    assert memory.undo(memory.runs("ana")[0].id, leave_changed=True).left == (new,)
    memory.forget(user="ana", id="secret-name")
    history = memory.history(user="ana", id=new)
    assert history is not None
    assert len(history.versions) == 2
    memory.close()
    files = [file for file in path(memory).parent.iterdir() if file.is_file()]
    assert not any(b"secret-name" in file.read_bytes() for file in files)


def test_many_are_retired_in_parts_of_one_run(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(retiring, "_PIECE", 2, raising=False)
    memory.add_records([fact(f"d{n}", n) for n in range(7)])
    ids = ["c", *(f"d{n}" for n in range(7))]
    before, answered = rows(path(memory)), answers(memory)
    read: list[int] = []
    fetch = SqliteReader.fetch

    def note(self: SqliteReader, user: str, ids: Sequence[str], **options: Any) -> Any:
        read.append(len(ids))
        return fetch(self, user, ids, **options)

    monkeypatch.setattr(SqliteReader, "fetch", note)
    with pytest.raises(UnknownIdError):
        memory.retire(user="ana", ids=[*ids, "nobody"])
    memory.hold(user="ana", id="d6")
    with pytest.raises(HeldError, match="1 of the 8 records"):
        memory.retire(user="ana", ids=ids)
    memory.release(user="ana", id="d6")
    assert rows(path(memory)) == before
    assert answers(memory) == answered
    read.clear()
    assert memory.retire(user="ana", ids=ids) == 8
    assert max(read) == 2
    ended = [memory.get(user="ana", id=id_) for id_ in ids]
    assert len({one.retired_at for one in ended if one is not None}) == 1
    (run,) = memory.runs("ana")
    assert run.changes == 8
    assert memory.undo(run.id) == (run.id, 8, 0, (), ())
    assert rows(path(memory)) == before
    assert memory.verify() == []


def test_tags_that_were_composed_since_are_no_change(memory: Memory):
    """As the conversion of stores of schema 11 did, which a journal tells by its fingerprints alone."""
    memory.add_records([fact("d", tags=("caf\u00e9",))])
    memory.retire(user="ana", ids=["d"])
    (run,) = memory.runs("ana")
    ended = memory.get(user="ana", id="d")
    assert ended is not None
    assert ended.tags == ("caf\u00e9",)
    with memory._engine.store.writing() as writer:
        apart = fingerprint(replace(ended, tags=("cafe\u0301",)))
        writer._connection.execute("UPDATE run_changes SET after = ?", (apart,))
    assert memory.undo(run.id).restored == 1


def test_what_was_superseded_is_believed_again(memory: Memory):
    before, answered = rows(path(memory)), answers(memory)
    new = memory.supersede(user="ana", id="a", text="Ana drinks coffee.")
    (run,) = memory.runs("ana")
    assert (run.action, run.changes) == ("supersede", 2)
    assert memory.undo(run.id) == (run.id, 1, 1, (), ())
    assert memory.get(user="ana", id=new) is None
    assert rows(path(memory)) == before
    assert answers(memory) == answered
    memory.supersede(user="ana", id="a", by="b")
    assert memory.undo(memory.runs("ana")[0].id).restored == 1
    assert rows(path(memory)) == before
    assert memory.verify() == []


def test_times_to_live_of_now_are_kept(memory: Memory):
    memory.retire(user="ana", ids=["a", "b"])
    (run,) = memory.runs("ana")
    assert memory.set_lifetime("semantic", 3600, "ana") == 3
    ends = {id_: memory.get(user="ana", id=id_).expires_at for id_ in ("a", "b", "c")}
    assert None not in ends.values()
    assert memory.undo(run.id).restored == 2
    back = {id_: memory.get(user="ana", id=id_) for id_ in ends}
    assert {id_: one.expires_at for id_, one in back.items()} == ends
    assert {one.retired_at for one in back.values()} == {None}
    memory.supersede(user="ana", id="a", text="Ana drinks coffee.")
    assert memory.set_lifetime("semantic", None, "ana") == 4
    memory.undo(memory.runs("ana")[0].id)
    assert memory.get(user="ana", id="a").expires_at is None
    assert memory.verify() == []


@pytest.mark.parametrize("evicted", [False, True])
def test_jobs_forget_the_successor_of_a_turn(tmp_path: Path, evicted: bool) -> None:
    def fails_in_the_end(prompt: Prompt) -> None:
        if prompt.name == "sum":
            raise LLMError("the server is gone")

    model = ScriptedModel(fails_in_the_end)
    with Memory(tmp_path / "jobs", HashEmbedder(dim=32), llm=model, recipe=recipe_of()) as memory:
        memory._processing.pace = Pace(first_pause=0.001, attempts=1)
        memory.add({"id": "t", "text": "The guest is Ben.", "session": "s"}, user="ana")
        new = memory.supersede(user="ana", id="t", text="The guest is Xyzzy.", at=0)
        memory.process()
        if evicted:
            memory.set_quotas(Quotas(capacity=3, eviction="oldest"), user="ana")
            memory.add({"id": "other", "text": "The saw is new."}, user="ana")
            assert new in [one.record.id for one in memory.evicted("ana")]
        assert memory.undo(memory.runs("ana")[0].id).removed == 1
        assert memory.verify() == []
        with memory._engine.store.reading() as reader:
            kept = str(
                [reader._all(f"SELECT * FROM {table}") for table in ("job_steps", "job_log", "job_turns")]
            )
        assert "Xyzzy" not in kept
        assert new not in kept


def kept_words(memory: Memory) -> str:
    with memory._engine.store.reading() as reader:
        return " ".join(text for (text,) in reader._all("SELECT before FROM run_changes"))


def test_what_an_overwrite_leaves_no_version_of_is_not_kept_for_undoing(memory: Memory):
    memory.add({"id": "v", "text": "The code is plugh."}, user="ana", kind="vault")
    memory.add({"id": "t", "text": "The guest is Xyzzy."}, user="ana")
    memory.retire(user="ana", ids=["v", "t", "c"])
    (run,) = memory.runs("ana")
    assert all(word in kept_words(memory) for word in ("plugh", "Xyzzy", "saw"))
    memory.add({"id": "t", "text": "The guest is Xyzzy."}, user="ana", ttl=0.001)
    wait_until_gone(memory, "t")
    memory.add({"id": "v", "text": "The code is lost."}, user="ana", kind="vault")
    memory.add({"id": "t", "text": "The guest is gone."}, user="ana")
    memory.add({"id": "a", "text": "Ana drinks coffee."}, user="ana", kind="semantic")
    assert "saw" in kept_words(memory)
    assert "plugh" not in kept_words(memory)
    assert "Xyzzy" not in kept_words(memory)
    assert memory.undo(run.id).restored == 1
    assert memory.verify() == []


def wait_until_gone(memory: Memory, id_: str) -> None:
    record = memory.get(user="ana", id=id_)
    assert record is not None
    while not is_expired(record):
        time.sleep(0.002)


def test_what_was_made_of_the_successor_keeps_it(memory: Memory):
    new = memory.supersede(user="ana", id="a", text="Ana drinks coffee.")
    memory.add_records([Record(id="d", user="ana", text="Coffee.", at="2023-05-09", sources=(new,))])
    with pytest.raises(UndoError, match="made of them"):
        memory.undo(memory.runs("ana")[0].id)


def test_forgetting_the_successor_leaves_the_rest_to_be_undone(memory: Memory):
    new = memory.supersede(user="ana", id="a", text="Ana drinks coffee.")
    assert memory.forget(user="ana", id=new) == 1
    (run,) = memory.runs("ana")
    assert run.changes == 1
    assert memory.undo(run.id) == (run.id, 1, 0, (), ())
    assert memory.get(user="ana", id="a").retired_at is None
    assert memory.get(user="ana", id=new) is None


def test_sleep_does_not_take_them_for_its_own(memory: Memory):
    memory.consolidate("ana")
    memory.retire(user="ana", ids=["c"])
    assert memory.consolidate("ana").upkeep.compared == 0
    assert memory.sleep_log("ana") == []


def test_what_is_removed_leaves_no_bytes(memory: Memory):
    def files() -> list[str]:
        found = (file for file in path(memory).parent.iterdir() if file.is_file())
        return [file.name for file in found if b"xylophone" in file.read_bytes()]

    new = memory.supersede(user="ana", id="a", text="Ana plays the xylophone.")
    memory.supersede(user="ana", id=new, text="Ana plays the harp.")
    second, first = memory.runs("ana")
    assert memory.undo(second.id).removed == 1
    assert files()
    assert memory.undo(first.id).removed == 1
    assert files() == []
    assert [run.changes for run in memory.runs("ana")] == [second.changes, first.changes]


def test_bytes_that_cannot_be_erased_yet_are_by_the_next_open(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def busy(self: object) -> None:
        raise StoreError("another process is reading")

    memory.supersede(user="ana", id="a", text="Ana plays the xylophone.")
    with monkeypatch.context() as patch:
        patch.setattr(type(memory._engine.store), "erase", busy)
        assert memory.undo(memory.runs("ana")[0].id).removed == 1
    assert "another process is reading" in caplog.text
    with memory._engine.store.reading() as reader:
        assert reader.erasure_pending()


def test_what_jobs_made_that_were_shown_a_successor_goes_with_it(tmp_path: Path) -> None:
    async def all_of_the_first(work: Work, tools: Any) -> Work:
        """As a model may: everything is said to come of one turn."""
        text = " ".join(turn.text for turn in work.turns)
        fact = Statement(text=text, at=work.turns[0].at, sources=(work.turns[0].id,))
        tags = {turn.id: ("xyzzy",) for turn in work.turns if "Xyzzy" in text}
        relations = (("guests", "xyzzy"),) if tags else ()
        return replace(work, statements=(fact,), turn_tags=tags, relations=relations)

    recipe = recipe_of(Custom(do=all_of_the_first))
    with Memory(tmp_path / "jobs", HashEmbedder(dim=32), llm=ScriptedModel(), recipe=recipe) as memory:
        memory.add({"id": "s", "text": "Tea is at four.", "session": "s"}, user="ana", at=0)
        memory.add({"id": "t", "text": "The guest is Ben.", "session": "s"}, user="ana", at=1)
        memory.supersede(user="ana", id="t", text="The guest is Xyzzy.", at=2)
        memory.process()
        assert "Tea is at four. The guest is Xyzzy." in {hit.text for hit in memory.latest(user="ana")}
        assert memory.undo(memory.runs("ana")[0].id).removed == 1
        files = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
        assert b"xyzzy" not in files.lower()
        assert memory.verify() == []
        memory.process()
        texts = {hit.text for hit in memory.latest(user="ana")}
        assert texts == {"Tea is at four.", "The guest is Ben.", "Tea is at four. The guest is Ben."}
