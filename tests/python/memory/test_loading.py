"""Files are loaded as they are read, under the quotas that they bring, and nothing is lost where those do not fit."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memspan import FormatError, Memory, QuotaError, Quotas

Open = Callable[..., Memory]
ONE_KIND = {"episodic": 0.98, "semantic": 0.01, "procedural": 0.01}


def few(records: int) -> Quotas:
    """Room for that many episodic records, and next to none for others."""
    return Quotas(capacity=records + 2, shares=ONE_KIND)


def exported(memory: Memory, user: str | None = None, **options: Any) -> str:
    output = io.StringIO()
    memory.export(user, output, **options)
    return output.getvalue()


def turns(count: int, start: int = 0, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"m{i}", "text": f"turn {i} of many", "at": i, **more} for i in range(start, start + count)
    ]


@pytest.fixture
def other(open_memory: Open, tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "other.memspan")


class Watched(io.StringIO):
    """A file that tells what a store holds while it is read."""

    def __init__(self, text: str, memory: Memory) -> None:
        super().__init__(text)
        self._memory = memory
        self.cold: list[int] = []

    def __iter__(self) -> Iterator[str]:
        for line in self.getvalue().splitlines(keepends=True):
            if '"cold"' in line:
                self.cold.append(self._memory.stats()["cold"]["evicted"])
            yield line


def test_cold_copies_are_written_while_the_file_is_read(memory: Memory, other: Memory) -> None:
    memory.set_quotas(few(10), user="ana")
    memory.add(turns(1500), user="ana")
    file = Watched(exported(memory), other)
    assert other.load(file) == 10
    assert len(file.cold) == 1490
    assert max(later - known for later, known in enumerate(file.cold)) <= 512
    assert other.stats()["cold"] == memory.stats()["cold"]
    assert other.verify() == []


def test_lines_in_another_order_come_to_the_same(memory: Memory, other: Memory) -> None:
    long = "I went to the market in the morning, and I bought three green apples and some bread there. " * 4
    memory.add([{"id": "long", "text": long, "at": 0, "tags": ["a"]}, *turns(5)], user="ana")
    memory.relate(user="ana", parent="b", child="a")
    memory.compress("ana", "uniform", 0.5)
    memory.pin(user="ana", ids=["long"])
    memory.set_quotas(few(3), user="ana")
    memory.set_lifetime("semantic", 60, user="ana")
    text = exported(memory)
    other.add([{"id": "long", "text": "something else", "at": 0}], user="ana")
    header, *lines = text.splitlines(keepends=True)
    other.load(io.StringIO(header + "".join(reversed(lines))))
    kept = other.original(user="ana", id="long")
    assert kept is not None
    assert kept.text == memory.original(user="ana", id="long").text  # type: ignore[union-attr]
    away = {one.id for one in other.evicted(user="ana")}
    (version,) = (id_ for id_ in away if id_.startswith("long@"))
    assert away - {version} == {one.id for one in memory.evicted(user="ana")}
    assert other.quotas("ana") == memory.quotas("ana")
    assert other.lifetimes("ana") == memory.lifetimes("ana")
    assert other.verify() == []


def test_records_come_under_the_quotas_of_the_file(memory: Memory, other: Memory) -> None:
    memory.set_quotas(few(50), user="ana")
    memory.add(turns(50), user="ana")
    memory.pin(user="ana", ids=[f"m{i}" for i in range(20)])
    other.set_quotas(few(5))
    assert other.load(io.StringIO(exported(memory, "ana"))) == 50
    assert other.stats("ana")["records"] == 50
    assert other.stats("ana")["cold"]["evicted"] == 0


def test_quotas_without_room_for_what_is_pinned_here_are_left_out(
    memory: Memory, other: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    memory.set_quotas(few(3), user="ana")
    memory.set_quotas(few(1000), user="ben")
    memory.add(turns(3), user="ana")
    memory.add(turns(2), user="ben")
    other.add(turns(4, start=10), user="ana")
    other.pin(user="ana", ids=[f"m{i}" for i in range(10, 14)])
    with caplog.at_level(logging.WARNING, "memspan"):
        assert other.load(io.StringIO(exported(memory))) == 5
    assert "quotas of user 'ana'" in caplog.text
    assert other.quotas("ana") is None
    assert other.quotas("ben") == few(1000)
    assert other.stats("ana")["records"] == 7


@pytest.mark.parametrize("before", [None, few(100)])
@pytest.mark.parametrize("everybody", [True, False])
def test_quotas_that_pins_of_both_fill_are_taken_back(
    memory: Memory, other: Memory, caplog: pytest.LogCaptureFixture, before: Quotas | None, everybody: bool
) -> None:
    owner = None if everybody else "ana"
    memory.set_quotas(few(4), user=owner)
    memory.add(turns(3), user="ana")
    memory.pin(user="ana", ids=["m0", "m1", "m2"])
    other.set_quotas(before, user=owner)
    other.add(turns(4, start=10), user="ana")
    other.pin(user="ana", ids=["m10", "m11"])
    with caplog.at_level(logging.WARNING, "memspan"):
        assert other.load(io.StringIO(exported(memory))) == 3
    assert ("everybody" if everybody else "user 'ana'") in caplog.text
    assert other.quotas(owner) == before
    assert other.stats("ana")["pinned"] == 5
    assert other.stats("ana")["records"] + other.stats("ana")["cold"]["evicted"] == 7
    assert other.verify() == []


def test_what_follows_from_an_error_does_not_hide_it(memory: Memory, other: Memory) -> None:
    memory.add(turns(1), user="ana")
    memory.pin(user="ana", ids=["m0"])
    memory.vault("ana", b"k" * 32).put("a label", "a secret")
    other.set_quotas(few(1))
    other.add(turns(1, start=10), user="ana")
    other.pin(user="ana", ids=["m10"])
    with pytest.raises(QuotaError, match="no room for 'm0'"):
        other.load(io.StringIO(exported(memory)))


def test_the_quotas_of_this_store_are_kept(memory: Memory, other: Memory) -> None:
    memory.add(turns(600), user="ana")
    memory.add([{"id": "last", "text": "the last", "at": 1000}], user="ana")
    memory.pin(user="ana", ids=["last"])
    other.set_quotas(few(3))
    other.add(turns(3, start=2000), user="ana")
    other.pin(user="ana", ids=["m2000", "m2001", "m2002"])
    before = exported(other)
    with pytest.raises(QuotaError, match="no room for"):
        other.load(io.StringIO(exported(memory)))
    assert exported(other) == before
    other.unpin(user="ana", ids=["m2001", "m2002"])
    assert other.load(io.StringIO(exported(memory))) == 601
    assert {recall.id for recall in other.latest(user="ana")} >= {"m2000", "last"}
    assert other.stats("ana")["records"] == 3
    assert other.stats("ana")["cold"]["evicted"] == 601


def test_secrets_and_targets_of_evicted_records_go_along(
    memory: Memory, other: Memory, tmp_path: Path
) -> None:
    pytest.importorskip("cryptography")
    key = bytes(range(32))
    for id_ in ("v1", "v2"):
        memory.vault("ana", key).put(f"label {id_}", f"secret {id_}", id=id_)
        (tmp_path / id_).write_text(id_)
        memory.add_resource(tmp_path / id_, user="ana", id=f"r{id_}")
    memory.set_quotas(Quotas(vault=1, resource=1), user="ana")
    text = exported(memory)
    other.load(io.StringIO(text))
    assert sorted(exported(other).splitlines()) == sorted(text.splitlines())
    evicted = [one.id for one in other.evicted(user="ana")]
    assert sorted(evicted) == ["rv1", "v1"]
    other.restore(user="ana", ids=evicted)
    assert other.vault("ana", key).get("v1") == "secret v1"
    assert [one.id for one in other.resources()] == ["rv1"]
    alone = exported(memory, records_only=True)
    assert {json.loads(line).get("id") for line in alone.splitlines()} == {None, "v2", "rv2"}


@pytest.mark.parametrize("batch", [2, 512])
def test_an_error_says_how_much_is_kept(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr("memspan.remember.transfer.loading._BATCH", batch)
    memory.add(turns(4), user="ana")
    header, *lines, end = exported(memory).splitlines(keepends=True)
    alone = '{"type": "relation", "user": "ana", "parent": "a", "child": "a"}\n'
    for held, broken, told in (
        (lines[:3], "{}\n", r"^<stream>:5: .* \(kept: 3 records before it\)$"),
        (lines[:1], "{}\n", r"^<stream>:3: .* \(kept: 1 record before it\)$"),
        (lines[:3], alone, r"^<stream>:5: .* \(kept: 4 records\)$"),
        ([], "{}\n", r"^<stream>:2: (?!.*kept)"),
    ):
        with pytest.raises(FormatError, match=told):
            other.load(io.StringIO("".join([header, *held, broken, lines[3], end])))


def test_a_file_that_was_cut_off_between_two_lines_is_told(memory: Memory, other: Memory) -> None:
    memory.add(turns(3), user="ana")
    memory.relate(user="ana", parent="a", child="b")
    lines = exported(memory).splitlines(keepends=True)
    for there in range(1, len(lines)):
        kept = "" if there == 1 else rf" \(kept: {min(there - 1, 3)} record"
        with pytest.raises(FormatError, match=rf"^<stream>: cut off after line {there}; .*{kept}"):
            other.load(io.StringIO("".join(lines[:there])))
    assert len(other.latest(user="ana")) == 3
    assert other.tags("ana") == memory.tags("ana")
    assert other.load(io.StringIO("".join(lines))) == 3


def test_exports_had_no_last_line_once(memory: Memory, other: Memory) -> None:
    memory.add(turns(3), user="ana")
    header, *records, _ = exported(memory).splitlines(keepends=True)
    old = {key: value for key, value in json.loads(header).items() if key != "ends"}
    assert other.load(io.StringIO("".join([json.dumps(old) + "\n", *records]))) == 3
