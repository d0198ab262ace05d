"""Secrets: only the key opens them, nothing leaks, and nothing is lost by a wrong one."""

from __future__ import annotations

import asyncio
import base64
import os
import sqlite3
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memspan import Quotas, errors
from memspan.memory import Memory
from memspan.store import SqliteStore
from memspan.vault import Rekeyed, new_key

pytest.importorskip("cryptography")

Open = Callable[..., Memory]
KEY, OTHER = bytes(range(32)), bytes(32)
SECRET = "Wolfsbane 4711"


def files(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_a_secret_comes_back_and_is_nowhere_in_clear(memory: Memory, path: Path) -> None:
    vault = memory.vault("ana", KEY)
    id_ = vault.put("passport number", SECRET, tags=["papers"], metadata={"country": "NO"})
    assert vault.get(id_) == SECRET
    assert memory.user("ana").vault(KEY).get(id_) == SECRET
    (found,) = memory.search("passport", user="ana", kinds=["vault"])
    assert (found.id, found.text, found.record.tags) == (id_, "passport number", ("papers",))
    assert memory.search("passport", user="ana") == []
    assert memory.verify() == []
    memory.close()
    content = files(path)
    assert SECRET.encode() not in content
    assert KEY not in content
    assert base64.b64encode(KEY) not in content
    assert KEY.hex().encode() not in content


@pytest.mark.parametrize(
    "secret", ["x", "ä€🔑\0\0", b"\0", b"\x80\0\0", bytes(range(256)) * 20, "y" * (1 << 20)]
)
def test_any_secret(memory: Memory, secret: str | bytes) -> None:
    vault = memory.vault("ana", KEY)
    got = vault.get(vault.put("label", secret))
    assert got == secret
    assert type(got) is type(secret)


def test_lengths_say_little(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    for length in range(1, 31):
        vault.put("label", "x" * length, id=f"{length}")
    with memory._engine.store.reading() as reader:
        assert len({len(each.ciphertext) for each in reader.secrets.all("ana")}) == 1
        assert len({each.nonce for each in reader.secrets.all("ana")}) == 30


def test_a_wrong_key_gets_nothing_and_destroys_nothing(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    id_ = vault.put("passport", SECRET, id="p1")
    for wrong in (memory.vault("ana", OTHER), memory.vault("ana", passphrase="correct horse")):
        with pytest.raises(errors.VaultKeyError) as caught:
            wrong.get(id_)
        assert SECRET not in str(caught.value)
        with pytest.raises(errors.VaultKeyError):
            wrong.put("passport", "overwritten", id=id_)
        with pytest.raises(errors.VaultKeyError):
            wrong.put("passport", "overwritten", id=id_, another_key=True)
        with pytest.raises(errors.VaultKeyError, match="another_key"):
            wrong.put("another", "typing mistake in the key")
        for new in (new_key(), OTHER, KEY):
            with pytest.raises(errors.VaultKeyError, match="opens none of the secrets of user 'ana'"):
                wrong.rekey(key=new)
    assert memory.vault("ben", OTHER).rekey(key=KEY) == Rekeyed(0, 0), "there was nothing to open"
    assert vault.get(id_) == SECRET
    assert memory.audit(action="vault.rekey") == []
    assert memory.stats("ana")["records"] == 1
    assert memory.verify() == []


def test_another_key_can_begin_when_one_is_lost(memory: Memory) -> None:
    memory.vault("ana", KEY).put("old", SECRET, id="old")
    vault = memory.vault("ana", OTHER)
    vault.put("new", "fresh", id="new", another_key=True)
    vault.put("new, too", "fresher", id="two")
    assert [(entry.id, entry.label, entry.opens) for entry in vault.labels()] == [
        ("new", "new", True),
        ("old", "old", False),
        ("two", "new, too", True),
    ]
    assert memory.vault("ana", KEY).get("old") == SECRET
    assert vault.delete("old") == 1, "erasing needs no key"
    assert vault.get("old") is None


def test_a_key_that_opens_some_takes_those_over(memory: Memory) -> None:
    for number, key in enumerate((KEY, OTHER, OTHER)):
        memory.vault("ana", key).put("label", f"{number}", id=f"{number}", another_key=True)
    vault = memory.vault("ana", KEY)
    new = new_key()
    assert vault.rekey(key=new) == Rekeyed(1, 2)
    assert vault.get("0") == memory.vault("ana", new).get("0") == "0"
    assert memory.vault("ana", OTHER).get("1") == "1"
    with pytest.raises(errors.VaultKeyError):
        memory.vault("ana", KEY).rekey(key=new)


def test_a_handle_whose_key_was_wrong_keeps_it(memory: Memory) -> None:
    memory.vault("ana", KEY).put("label", SECRET, id="p1")
    wrong = memory.vault("ana", OTHER)
    with pytest.raises(errors.VaultKeyError):
        wrong.rekey(key=KEY)
    with pytest.raises(errors.VaultKeyError):
        wrong.get("p1")


def test_passphrases(memory: Memory, open_memory: Open) -> None:
    vault = memory.vault("ana", passphrase="correct horse")
    vault.put("a", "one", id="a")
    vault.put("b", "two", id="b")
    memory.close()
    again = open_memory().vault("ana", passphrase="correct horse")
    assert (again.get("a"), again.get("b")) == ("one", "two")
    again.put("c", "three", id="c")
    with again._engine.store.reading() as reader:
        (key_id,) = reader.secrets.key_ids("ana")
    ben = again._engine
    with ben.store.reading() as reader:
        assert reader.secrets.key_ids("ben") == []
    other = open_memory().vault("ben", passphrase="correct horse")
    other.put("a", "one")
    with other._engine.store.reading() as reader:
        assert reader.secrets.key_ids("ben") != [key_id], "the same passphrase is stretched with another salt"


def test_every_reading_is_in_the_audit(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("passport", SECRET, id="p1")
    with memory.acting("dr. smith"):
        vault.get("p1")
    with pytest.raises(errors.VaultKeyError):
        memory.vault("ana", OTHER).get("p1")
    vault.get("unknown")
    vault.labels()
    vault.rekey(key=OTHER)
    entries = memory.audit(user="ana", id="p1")
    assert [(entry.actor, entry.action, dict(entry.details)) for entry in entries] == [
        ("", "vault.put", {}),
        ("dr. smith", "vault.read", {"opened": True}),
        ("", "vault.read", {"opened": False}),
        ("", "vault.rekey", {"records": 1}),
    ]


def test_nothing_is_given_out_unless_the_audit_has_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("passport", SECRET, id="p1")

    def fail(*arguments: object, **more: object) -> None:
        raise errors.StoreError("the disk is full")

    monkeypatch.setattr("memspan.vault.vault.audited", fail)
    with pytest.raises(errors.StoreError, match="full"):
        vault.get("p1")
    with pytest.raises(errors.StoreError, match="full"):
        vault.put("passport", "changed", id="p1")
    monkeypatch.undo()
    assert vault.get("p1") == SECRET


def test_another_key_takes_over(memory: Memory, path: Path) -> None:
    vault = memory.vault("ana", KEY)
    for i in range(20):
        vault.put(f"label {i}", f"secret {i}", id=f"{i}")
    memory.vault("ben", KEY).put("label", "of ben", id="b")
    with memory._engine.store.reading() as reader:
        old = [each.ciphertext for each in reader.secrets.all("ana")]
    assert vault.rekey(passphrase="correct horse") == Rekeyed(20, 0)
    assert vault.get("7") == "secret 7", "the handle goes on with the new key"
    assert all(each not in files(path) for each in old), "what the old key opens is erased"
    with pytest.raises(errors.VaultKeyError):
        memory.vault("ana", KEY).get("7")
    assert memory.vault("ana", passphrase="correct horse").get("19") == "secret 19"
    assert memory.vault("ben", KEY).get("b") == "of ben"
    assert vault.rekey(passphrase="correct horse") == Rekeyed(20, 0)
    assert memory.verify() == []


def test_another_key_takes_over_beside_somebody_who_reads_for_long(
    memory: Memory, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An error would look as if nothing had changed, and the new key, which alone opens them now, be thrown away."""
    vault = memory.vault("ana", KEY)
    vault.put("passport", SECRET, id="p1")
    memory._engine.store._busy_seconds = 0.05  # type: ignore[attr-defined]
    with SqliteStore(path).reading() as reader:
        reader.users()
        assert vault.rekey(passphrase="correct horse") == Rekeyed(1, 0)
    assert "their bytes are still there" in caplog.text
    assert memory.vault("ana", passphrase="correct horse").get("p1") == SECRET


@pytest.mark.parametrize("how", ["bit", "short", "swapped", "user", "nonce", "form"])
def test_damage_is_told_and_destroys_nothing(memory: Memory, path: Path, open_memory: Open, how: str) -> None:
    memory.vault("ana", KEY).put("a", "one", id="a")
    memory.vault("ana", KEY).put("b", "two", id="b")
    memory.vault("ben", KEY).put("a", "of ben", id="a")
    memory.close()
    change = {
        "bit": "UPDATE secrets SET ciphertext = CAST(CASE substr(ciphertext, 1, 1) WHEN x'00' THEN x'01' "
        "ELSE x'00' END || substr(ciphertext, 2) AS BLOB) WHERE record = 'a'",
        "short": "UPDATE secrets SET ciphertext = x'00' WHERE record = 'a'",
        "swapped": "UPDATE secrets SET (nonce, ciphertext) = "
        "(SELECT nonce, ciphertext FROM secrets o WHERE o.record = 'b') WHERE record = 'a'",
        "user": "UPDATE secrets SET (nonce, ciphertext) = (SELECT nonce, ciphertext FROM secrets o "
        "JOIN users u ON u.pk = o.user_pk WHERE o.record = 'a' AND u.name = 'ben') WHERE record = 'a'",
        "nonce": "UPDATE secrets SET nonce = x'' WHERE record = 'a'",
        "form": "UPDATE secrets SET key_id = 'key:ä' WHERE record = 'a'",
    }[how]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    memory = open_memory()
    vault = memory.vault("ana", KEY)
    error = errors.VaultKeyError if how == "form" else errors.VaultError
    with pytest.raises(error):
        vault.get("a")
    with pytest.raises(error):
        vault.put("a", "overwritten", id="a")
    if how != "form":
        with pytest.raises(error):
            vault.rekey(key=OTHER)
    assert vault.get("b") == "two"
    assert [entry.details["opened"] for entry in memory.audit(action="vault.read")] == [False, True]


def test_all_or_none_get_another_key_one_at_a_time(memory: Memory, path: Path) -> None:
    vault = memory.vault("ana", KEY)
    for i in range(40):
        vault.put(f"label {i}", bytes([i]) * (1 << 16), id=f"{i:02}")
    tracemalloc.start()
    try:
        assert vault.rekey(key=OTHER) == Rekeyed(40, 0)
        assert tracemalloc.get_traced_memory()[1] < 20 * (1 << 16)
    finally:
        tracemalloc.stop()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE secrets SET ciphertext = x'00' WHERE record = '39'")
    with pytest.raises(errors.VaultError):
        vault.rekey(key=KEY)
    assert memory.vault("ana", OTHER).get("00") == vault.get("00") == bytes([0]) * (1 << 16)


def test_forgetting_takes_secrets_along(memory: Memory, path: Path) -> None:
    vault = memory.vault("ana", KEY)
    for i in range(3):
        vault.put(f"label {i}", f"secret {i}", id=f"{i}")
    with memory._engine.store.reading() as reader:
        sealed = [each.ciphertext for each in reader.secrets.all("ana")]
    assert vault.delete("0") == 1
    assert memory.forget(user="ana", kinds=["vault"]) == 2
    assert all(each not in files(path) for each in sealed)
    assert vault.labels() == []
    memory.vault("ana", OTHER).put("new", "new", id="n")
    memory.hold(user="ana", id="n")
    with pytest.raises(errors.HeldError):
        vault.delete("n")


@pytest.mark.parametrize("cold", [False, True])
def test_what_has_expired_is_not_there_any_more(memory: Memory, cold: bool) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("door code", SECRET, id="p1")
    if cold:
        vault.put("alarm", "1234", id="p2")
        memory.pin(user="ana", ids=["p2"])
        memory.set_quotas(Quotas(vault=1), user="ana")
        assert [one.record.id for one in memory.evicted(user="ana")] == ["p1"]
    assert vault.get("p1") == SECRET
    memory.set_lifetime("vault", 0.01, user="ana")
    time.sleep(0.02)
    assert vault.get("p1") is None
    assert memory.vault("ana", OTHER).get("p1") is None, "whatever the key"
    assert vault.labels() == []
    reads = [entry.details["opened"] for entry in memory.audit(user="ana", id="p1", action="vault.read")]
    assert reads == [True, False, False], "that somebody asked for it is kept"


def test_one_that_is_held_is_hidden_and_stays(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("door code", SECRET, id="p1")
    memory.hold(user="ana", id="p1")
    memory.set_lifetime("vault", 0.01, user="ana")
    time.sleep(0.02)
    assert vault.get("p1") is None
    memory.consolidate(user="ana")
    assert vault.rekey(key=OTHER) == Rekeyed(1, 0)
    memory.set_lifetime("vault", None, user="ana")
    assert vault.get("p1") == SECRET, "it lives again, and under the new key"


def test_replacing_and_relabelling(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("passport", "old", id="p1")
    vault.put("passport", "new", id="p1")
    assert vault.get("p1") == "new"
    vault.put("passport of 2025", "new", id="p1")
    (entry,) = [entry for entry in vault.labels() if entry.id == "p1"]
    assert entry.label == "passport of 2025"
    memory.add([{"id": "plain", "text": "in clear", "kind": "vault"}], user="ana")
    assert "plain" not in [each.id for each in vault.labels()]
    assert vault.get("plain") is None
    vault.put("now a secret", SECRET, id="plain")
    assert vault.get("plain") == SECRET


def test_records_outside_the_vault_are_safe(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "a turn"}], user="ana")
    vault = memory.vault("ana", KEY)
    with pytest.raises(errors.InvalidArgumentError, match="^id: got 'm1'"):
        vault.put("label", "secret", id="m1")
    with pytest.raises(errors.InvalidArgumentError, match="^id: got 'm1'"):
        vault.delete("m1")
    record = memory.get(user="ana", id="m1")
    assert record is not None
    assert record.kind == "episodic"


@pytest.mark.parametrize(
    "key",
    [
        None,
        b"",
        b"x" * 31,
        b"x" * 33,
        "short",
        "x" * 43 + "!",
        5,
        "ä" * 43,
        base64.b64encode(KEY).decode()[:-4],
    ],
)
def test_bad_keys_are_refused_and_not_repeated(memory: Memory, key: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^key: got .*; accepted: ") as caught:
        memory.vault("ana", key)  # type: ignore[arg-type]
    assert not isinstance(key, str) or not key or key not in str(caught.value)


def test_bad_arguments(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    memory.vault("ana", passphrase="8 signs.")
    for passphrase in ("short", "7 signs", 5, "\ud800" * 9):
        with pytest.raises(errors.InvalidArgumentError, match="^passphrase: got .*; accepted: "):
            memory.vault("ana", passphrase=passphrase)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="either"):
        memory.vault("ana", KEY, passphrase="correct horse")
    with pytest.raises(errors.InvalidArgumentError, match="^user"):
        memory.vault("", KEY)
    for secret in ("", b"", None, 5, "\ud800", "x" * ((1 << 20) + 1)):
        with pytest.raises(errors.InvalidArgumentError, match="^secret: got .*; accepted: ") as caught:
            vault.put("label", secret)  # type: ignore[arg-type]
        assert "xxxx" not in str(caught.value)
    for label in ("", "  ", 5, None):
        with pytest.raises(errors.InvalidArgumentError, match="^label: got"):
            vault.put(label, "secret")  # type: ignore[arg-type]
    for tags in (None, 5, "tag", [5], np.array("tag")):
        with pytest.raises(errors.InvalidArgumentError, match="^tags"):
            vault.put("label", "secret", tags=tags)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="^id"):
        vault.get("")
    assert memory.users() == []


def test_keys_do_not_show(memory: Memory) -> None:
    key = new_key()
    vault = memory.vault("ana", key)
    assert len(key) == 43
    for shown in (repr(vault), repr(vault._ring), repr(vault._ring.current([]))):
        assert key not in shown
        assert base64.urlsafe_b64decode(key + "=").hex() not in shown


def test_without_the_package(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith("cryptography"):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(errors.MissingExtraError, match=r"memspan\[vault\]"):
        memory.vault("ana", KEY)


def test_asynchronous_forms(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)

    async def run() -> tuple[object, ...]:
        id_ = await vault.aput("label", SECRET)
        read = await vault.aget(id_)
        labels = await vault.alabels()
        done = await vault.arekey(key=OTHER)
        return read, len(labels), done, await vault.adelete(id_)

    assert asyncio.run(run()) == (SECRET, 1, Rekeyed(1, 0), 1)


def test_a_secret_without_a_record_is_a_problem(memory: Memory) -> None:
    memory.vault("ana", KEY).put("label", SECRET, id="p1")
    assert memory.verify() == []
    with memory._engine.store.writing() as writer:
        writer._connection.execute("UPDATE secrets SET record = 'lost'")
    assert memory.verify() == ["database: secrets name record 'lost' of user 'ana', which does not exist"]


@pytest.mark.parametrize("what", ["labels", "export"])
def test_not_all_secrets_are_in_memory_at_once(memory: Memory, what: str) -> None:
    vault = memory.vault("ana", KEY)
    for number in range(40):
        vault.put("label", "x" * (1 << 18), id=f"{number}")
    with open(os.devnull, "w", encoding="utf-8") as file:
        call = {"labels": vault.labels, "export": lambda: memory.export("ana", file)}[what]
        tracemalloc.start()
        try:
            call()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 20 * (1 << 18)
