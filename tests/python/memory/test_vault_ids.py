"""No record takes the place of a secret, and no secret that of a record, whatever writes it and wherever they lie."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import NoteTurns, ScriptedModel, derived, recipe_of

from memspan import Quotas, errors
from memspan.formats import Turn
from memspan.ingestion import IngestReport, ingest_turns
from memspan.memory import Memory
from memspan.records import Record
from memspan.times import from_micros
from memspan.vault import Vault

pytest.importorskip("cryptography")

Open = Callable[..., Memory]
KEY, OTHER = bytes(range(32)), bytes(32)
AT = from_micros(1_700_000_000_000_000)
REFUSED = "^id: got 'p'; accepted: .* no secret"


@pytest.fixture(params=["in memory", "evicted"])
def kept(memory: Memory, request: pytest.FixtureRequest) -> Vault:
    """A vault with the secret p, which is also tried while it lies in the cold tier."""
    vault = memory.vault("ana", KEY)
    vault.put("bank pin", "1234", id="p")
    if request.param == "evicted":
        memory.set_quotas(Quotas(vault=1))
        vault.put("another", "5678", id="q")
        memory.set_quotas(None)
        assert memory.get(user="ana", id="p") is None
    return vault


def is_whole(memory: Memory) -> bool:
    vault = memory.vault("ana", KEY)
    (entry,) = [entry for entry in vault.labels() if entry.id == "p"]
    return (entry.label, entry.opens, vault.get("p"), memory.verify()) == ("bank pin", True, "1234", [])


@pytest.mark.parametrize("kind", ["episodic", "vault"])
def test_adding_is_refused(memory: Memory, kept: Vault, kind: str) -> None:
    record = Record(id="p", user="ana", text="in clear", at=AT, kind=kind)
    for add in (
        lambda: memory.add(
            [{"id": "new", "text": "x"}, {"id": "p", "text": "in clear"}], user="ana", kind=kind
        ),
        lambda: memory.add({"id": "p", "text": "in clear"}, user="ana", kind=kind, ttl=5),
        lambda: memory.add_records([record]),
        lambda: ingest_turns(
            memory, [Turn(user="ana", id="p", text="in clear", at=AT, kind=kind, position=0)], IngestReport()
        ),
    ):
        with pytest.raises(errors.InvalidArgumentError, match=REFUSED):
            add()
    assert memory.get(user="ana", id="new") is None
    assert is_whole(memory)


def test_pointing_is_refused(memory: Memory, kept: Vault, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(errors.InvalidArgumentError, match=REFUSED):
        memory.add_resource(tmp_path / "file", user="ana", id="p")
    assert memory.resources() == []
    assert is_whole(memory)


def test_the_same_again_is_not(memory: Memory, kept: Vault) -> None:
    memory.add({"id": "p", "text": "bank pin"}, user="ana", kind="vault")
    assert memory.get(user="ana", id="p") is not None
    assert is_whole(memory)


def test_what_has_expired_is_no_free_id_either(memory: Memory) -> None:
    memory.set_lifetime("vault", 0.000001)
    memory.vault("ana", KEY).put("bank pin", "1234", id="p")
    with pytest.raises(errors.InvalidArgumentError, match=REFUSED):
        memory.add({"id": "p", "text": "in clear"}, user="ana")
    memory.consolidate("ana")
    memory.add({"id": "p", "text": "in clear"}, user="ana")
    assert memory.vault("ana", KEY).get("p") is None


def test_no_clear_text_supersedes_a_secret(memory: Memory) -> None:
    memory.vault("ana", KEY).put("bank pin", "1234", id="p")
    with pytest.raises(errors.InvalidArgumentError, match="^id: got 'p'; accepted: .* no secret"):
        memory.supersede(user="ana", id="p", text="the bank pin is 4321")
    assert is_whole(memory)


def test_a_job_leaves_it_alone(open_memory: Open) -> None:
    model = ScriptedModel()
    memory = open_memory(recipe=recipe_of(NoteTurns()), llm=model)
    memory.add([{"id": "m1", "text": "one"}], user="ana")
    memory.process()
    (made,) = derived(memory)
    memory.forget(user="ana", id=made.id)
    vault = memory.vault("ana", KEY)
    vault.put("bank pin", "1234", id=made.id)
    memory.add([{"id": "m1", "text": "two"}], user="ana")
    memory.process()
    memory.add([{"id": "m1", "text": "nothing to note"}], user="ana")
    memory.process()
    assert [(entry.id, entry.label) for entry in vault.labels()] == [(made.id, "bank pin")]
    assert vault.get(made.id) == "1234"
    assert memory.verify() == []


@pytest.mark.parametrize("cold", [False, True])
def test_secrets_replace_no_record(memory: Memory, cold: bool) -> None:
    memory.set_quotas(Quotas(capacity=3))
    memory.add([{"id": "turn", "text": "a turn"}], user="ana")
    if cold:
        memory.add([{"id": "next", "text": "the next"}], user="ana", at="2100-01-01")
        memory.restore(user="ana", ids=["next"])
        assert [each.id for each in memory.evicted(user="ana")] == ["turn"]
    vault = memory.vault("ana", KEY)
    for call in (lambda: vault.put("label", "secret", id="turn"), lambda: vault.delete("turn")):
        with pytest.raises(errors.InvalidArgumentError, match="^id: got 'turn'"):
            call()
    assert vault.labels() == []
    memory.restore(user="ana", ids=["turn"])
    assert memory.get(user="ana", id="turn").text == "a turn"  # type: ignore[union-attr]


def test_evicted_secrets_are_listed_opened_and_deleted(memory: Memory) -> None:
    memory.set_quotas(Quotas(vault=1))
    vault = memory.vault("ana", KEY)
    for id_ in ("a", "b", "c"):
        vault.put(f"label {id_}", f"secret {id_}", id=id_)
    assert memory.stats("ana")["cold"]["evicted"] == 2
    assert [(entry.id, entry.label) for entry in vault.labels()] == [(i, f"label {i}") for i in "abc"]
    assert [vault.get(id_) for id_ in "abc"] == ["secret a", "secret b", "secret c"]
    assert vault.delete("a") == 1
    assert memory.forget(user="ana", kinds=["vault"]) == 2
    assert vault.labels() == []
    assert memory.verify() == []


def test_held_secrets_are_not_replaced(memory: Memory) -> None:
    vault = memory.vault("ana", KEY)
    vault.put("bank pin", "1234", id="p")
    text = io.StringIO()
    memory.export("ana", text)
    vault.put("bank pin", "5678", id="p")
    memory.hold(user="ana", kinds=["vault"])
    with pytest.raises(errors.HeldError, match="to overwrite is held"):
        vault.put("bank pin", "9999", id="p")
    memory.load(io.StringIO(text.getvalue()))
    assert vault.get("p") == "5678"
    memory.release(user="ana")
    memory.load(io.StringIO(text.getvalue()))
    assert vault.get("p") == "1234"


def relabelled(export: str, **fields: Any) -> str:
    lines = [json.loads(line) for line in export.splitlines()]
    return "\n".join(
        json.dumps({**line, **fields} if line["type"] in ("record", "cold") else line) for line in lines
    )


def test_loading_under_the_same_key_brings_labels_up_to_date(memory: Memory, kept: Vault) -> None:
    output = io.StringIO()
    memory.export("ana", output)
    memory.load(io.StringIO(output.getvalue()))
    assert is_whole(memory)
    cold = memory.get(user="ana", id="p") is None
    memory.load(io.StringIO(relabelled(output.getvalue(), text="pin of the bank")))
    (entry,) = [entry for entry in kept.labels() if entry.id == "p"]
    assert entry.label == ("bank pin" if cold else "pin of the bank")
    assert kept.get("p") == "1234"
    assert memory.verify() == []


def test_loading_replaces_no_secret_of_another_key(
    memory: Memory, kept: Vault, open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = open_memory(path.with_name("other"))
    other.vault("ana", OTHER).put("garage", "0000", id="p")
    other.add("a turn", user="ana")
    output = io.StringIO()
    other.export("ana", output)
    with caplog.at_level(logging.WARNING, "memspan"):
        assert memory.load(io.StringIO(output.getvalue())) == 1
    assert "under another key" in caplog.text
    assert is_whole(memory)


@pytest.mark.parametrize("line", ["record", "cold"])
def test_loading_another_kind_is_refused(memory: Memory, kept: Vault, line: str) -> None:
    output = io.StringIO()
    memory.export("ana", output, records_only=True)
    record = {"id": "p", "user": "ana", "text": "in clear", "at": "2024-01-01T00:00:00Z", "kind": "episodic"}
    more = {"reason": "evicted", "moved_at": "2024-01-01T00:00:00Z"} if line == "cold" else {}
    head, *_, end = output.getvalue().splitlines()
    last = {**record, "id": "after", "text": "what comes after"}
    text = "\n".join(
        [head, json.dumps({"type": line, **record, **more}), json.dumps({"type": "record", **last}), end]
    )
    if line == "record":
        with pytest.raises(errors.InvalidArgumentError, match=REFUSED):
            memory.load(io.StringIO(text))
    else:
        memory.load(io.StringIO(text))
    assert is_whole(memory)
    assert memory.get(user="ana", id="after") is not None
