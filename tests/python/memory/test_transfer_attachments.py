"""Secrets and targets of resources survive export and load, and nothing in the vault is lost by it."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan import Quotas, errors
from memspan.memory import Memory
from memspan.store import SqliteStore

pytest.importorskip("cryptography")

KEY, OTHER = bytes(range(32)), bytes(32)
Open = Callable[..., Memory]


def exported(memory: Memory, user: str | None = None) -> str:
    output = io.StringIO()
    memory.export(user, output)
    return output.getvalue()


@pytest.fixture
def filled(memory: Memory, tmp_path: Path) -> Memory:
    file = tmp_path / "report"
    file.write_text("x")
    for user in ("ana", "ben"):
        memory.vault(user, KEY).put("passport", f"Wolfsbane of {user}", id="p1")
        memory.vault(user, passphrase="correct horse").put("pin", b"\0\1", id="p2", another_key=True)
        memory.add_resource(file, user=user, id="r1")
    memory.add_resource("http://127.0.0.1:9/", user="ana", id="r2")
    return memory


def test_they_come_back(filled: Memory, open_memory: Open, path: Path) -> None:
    text = exported(filled)
    assert "Wolfsbane" not in text
    other = open_memory(path.parent / "other.memspan")
    other.load(io.StringIO(text))
    for user in ("ana", "ben"):
        assert other.vault(user, KEY).get("p1") == f"Wolfsbane of {user}"
        assert other.vault(user, passphrase="correct horse").get("p2") == b"\0\1"
    assert other.resources() == filled.resources()
    assert other.verify() == []
    assert exported(other, "ana") == exported(filled, "ana")
    assert '"ben"' not in exported(filled, "ana")


@pytest.mark.parametrize("cold", [False, True])
def test_secrets_whose_life_is_over_stay_away(
    memory: Memory, open_memory: Open, path: Path, cold: bool
) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("door code", "1234", id="gone")
    vault.put("seized", "5678", id="held")
    memory.hold(user="ana", id="held")
    if cold:
        memory.set_quotas(Quotas(vault=1), user="ana")
        assert [one.record.id for one in memory.evicted(user="ana")] == ["gone"]
    memory.set_lifetime("vault", 0.01, user="ana")
    time.sleep(0.02)
    text = exported(memory, "ana")
    assert "gone" not in text
    assert "door code" not in text
    only_records = io.StringIO()
    memory.export("ana", only_records, records_only=True)
    assert "gone" not in only_records.getvalue()
    other = open_memory(path.parent / "other.memspan")
    assert other.load(io.StringIO(text)) == 1, "what is held is copied: sleep would not erase it either"
    with other._engine.store.reading() as reader:
        assert [secret.record for secret in reader.secrets.all("ana")] == ["held"]
    assert other.verify() == []


def test_a_secret_under_another_key_stays(
    filled: Memory, open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = open_memory(path.parent / "other.memspan")
    other.vault("ana", OTHER).put("passport", "kept", id="p1")
    with caplog.at_level(logging.WARNING, "memspan"):
        other.load(io.StringIO(exported(filled)))
    assert "it stays" in caplog.text
    assert other.vault("ana", OTHER).get("p1") == "kept"
    assert other.vault("ben", KEY).get("p1") == "Wolfsbane of ben"


@pytest.mark.parametrize(
    ("kind", "change", "named"),
    [
        ("secret", {"nonce": "not base64!"}, "nonce"),
        ("secret", {"ciphertext": 5}, "ciphertext"),
        ("secret", {"key_id": ""}, "key_id"),
        ("secret", {"user": None}, "user"),
        ("secret", {"id": "m9"}, "m9"),
        ("resource", {"state": "gone"}, "state"),
        ("resource", {"size": -1}, "size"),
        ("resource", {"seen_at": "soon"}, "seen_at"),
        ("resource", {"uri": 5}, "uri"),
        ("other", {"type": "other"}, "type"),
    ],
)
def test_broken_lines(
    filled: Memory, open_memory: Open, path: Path, kind: str, change: dict[str, Any], named: str
) -> None:
    lines = [json.loads(line) for line in exported(filled, "ana").splitlines()]
    broken = next(
        line for line in lines if line["type"] == kind or (kind == "other" and line["type"] == "secret")
    )
    broken.update(change)
    other = open_memory(path.parent / "other.memspan")
    with pytest.raises(errors.FormatError, match=named):
        other.load(io.StringIO("\n".join(map(json.dumps, lines))))
    assert other.verify() == []


def lines_of(memory: Memory) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(memory, "ana").splitlines()]


def load_lines(memory: Memory, lines: list[dict[str, Any]]) -> None:
    memory.load(io.StringIO("\n".join(map(json.dumps, lines))))


@pytest.mark.parametrize(("alone", "kind"), [("p2", "vault"), ("r1", "resource")])
def test_what_has_no_record_keeps_nothing_else_away(
    filled: Memory, open_memory: Open, path: Path, alone: str, kind: str
) -> None:
    filled.set_lifetime("episodic", 60, user="ana")
    lines = [line for line in lines_of(filled) if (line.get("type"), line.get("id")) != ("record", alone)]
    place = 1 + next(number for number, line in enumerate(lines) if line.get("id") == alone)
    other = open_memory(path.parent / "other.memspan")
    with pytest.raises(errors.FormatError, match=f"^<stream>:{place}: got no {kind} record '{alone}'; "):
        load_lines(other, lines)
    assert other.vault("ana", KEY).get("p1") == "Wolfsbane of ana"
    assert {each.id for each in other.resources("ana")} == {"r1", "r2"} - {alone}
    assert other.lifetimes("ana") == {"episodic": 60}
    assert other.verify() == []


def test_what_belongs_to_a_record_that_stays_away_stays_away_too(
    filled: Memory, open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    filled.vault("ana", KEY).put("door", "1234", id="p3", at="2020-01-01")
    filled.set_quotas(Quotas(vault=2, resource=1, eviction="oldest"), user="ana")
    away = {one.id for one in filled.evicted("ana")}
    assert "p3" in away
    assert len(away) == 2
    other = open_memory(path.parent / "other.memspan")
    other.add([{"id": id_, "text": "a turn that was here before"} for id_ in sorted(away)], user="ana")
    with caplog.at_level(logging.WARNING, "memspan"):
        load_lines(other, lines_of(filled))
    assert caplog.text.count("the one here is of kind 'episodic'") == 2
    assert other.vault("ana", KEY).get("p1") == "Wolfsbane of ana"
    assert other.vault("ana", KEY).get("p3") is None
    assert {each.id for each in other.resources("ana")} == {"r1", "r2"} - away
    for id_ in away:
        record = other.get(user="ana", id=id_)
        assert record is not None
        assert record.kind == "episodic"
    assert other.verify() == []


def test_what_is_refused_keeps_no_label_away(memory: Memory, open_memory: Open, path: Path) -> None:
    vault = memory.vault("ana", KEY)
    for id_ in ("p1", "p2"):
        vault.put(f"label of {id_}", "old", id=id_)
    memory.relate(user="ana", parent="garden", child="rose")
    other = open_memory(path.parent / "other.memspan")
    other.add([{"id": "p1", "text": "no secret"}], user="ana")
    other.vault("ana", KEY).put("another label", "new", id="p2")
    other.relate(user="ana", parent="rose", child="garden")
    with pytest.raises(errors.FormatError, match="rose"):
        load_lines(memory, lines_of(other))
    assert {entry.id: entry.label for entry in vault.labels()} == {"p1": "label of p1", "p2": "another label"}
    assert [vault.get(id_) for id_ in ("p1", "p2")] == ["old", "new"]


def test_many_come_in_several_transactions(
    filled: Memory, open_memory: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.remember.transfer.attachments._SLICE", 3)
    other = open_memory(path.parent / "other.memspan")
    there: list[int] = []
    commit = SqliteStore._commit

    def counted(self: SqliteStore, *arguments: Any, **options: Any) -> None:
        commit(self, *arguments, **options)
        there.append(sum(other.stats()[name] for name in ("secrets", "resources")))

    monkeypatch.setattr(SqliteStore, "_commit", counted)
    header, *lines = exported(filled).splitlines(keepends=True)
    unknown = '{"type": "resource", "user": "ana", "id": "unknown", "uri": "http://a/", "state": "missing"}\n'
    with pytest.raises(errors.FormatError, match="^<stream>:2: got no resource record 'unknown'"):
        other.load(io.StringIO("".join((header, unknown, *lines))))
    assert other.resources() == filled.resources()
    assert there[-1] == 7
    assert max(after - before for before, after in zip([0, *there], there, strict=False)) == 3
    assert other.verify() == []
