"""`memspan vault`."""

from __future__ import annotations

import pytest

from memspan.cli.environment import Environment

pytest.importorskip("cryptography")


@pytest.fixture
def key_file(tmp_path, run, store):
    run("ingest", "-", "--store", store, "--user", "ana", "--format", "jsonl", stdin='{"text": "hello"}\n')
    file = tmp_path / "vault.key"
    file.write_text(run("vault", "new-key").stdout)
    return file


def test_secrets_go_in_and_come_out(store, key_file, run, run_json):
    mine = ("--store", store, "--user", "ana", "--key-file", key_file)
    assert (
        "kept as p1" in run("vault", "put", *mine, "--label", "passport", "--id", "p1", stdin="4711\n").stderr
    )
    assert run("vault", "get", *mine, "--id", "p1").stdout == "4711\n"
    assert run_json("vault", "get", *mine, "--id", "p1")["secret"] == "4711"
    assert "passport" in run("vault", "list", *mine).stdout
    (entry,) = run_json("vault", "list", *mine)["secrets"]
    assert (entry["id"], entry["label"], entry["opens"]) == ("p1", "passport", True)
    assert "no secret 'p2'" in run("vault", "get", *mine, "--id", "p2", code=1).stderr
    actions = [entry["action"] for entry in run_json("audit", "--store", store)["entries"]]
    assert actions == ["add", "vault.put", "add", "vault.read", "vault.read"]
    assert b"4711" not in store.read_bytes()


def test_a_secret_may_be_no_text(store, key_file, run, run_json):
    mine = ("--store", store, "--user", "ana", "--key-file", key_file)
    run("vault", "put", *mine, "--label", "l", "--id", "p1", stdin=b"a\r\n\xff\x00\n")
    assert run("vault", "get", *mine, "--id", "p1").stdout_bytes == b"a\r\n\xff\x00\n"
    assert run_json("vault", "get", *mine, "--id", "p1")["secret"] == "a\r\n\\xff\x00"


def test_wrong_and_missing_keys(store, key_file, run, monkeypatch, tmp_path):
    mine = ("--store", store, "--user", "ana")
    run("vault", "put", *mine, "--key-file", key_file, "--label", "l", "--id", "p1", stdin="4711")
    assert "no key" in run("vault", "get", *mine, "--id", "p1", code=2).stderr
    monkeypatch.setenv("MEMSPAN_VAULT_PASSPHRASE", "correct horse")
    assert "under another key" in run("vault", "get", *mine, "--id", "p1", code=1).stderr
    assert "another key" in run("vault", "list", *mine).stdout
    monkeypatch.setenv("MEMSPAN_VAULT_KEY", "nonsense")
    assert "accepted: 32 bytes" in run("vault", "get", *mine, "--id", "p1", code=3).stderr
    monkeypatch.setenv("MEMSPAN_VAULT_KEY", key_file.read_text().strip())
    assert run("vault", "get", *mine, "--id", "p1").stdout == "4711\n"
    new = tmp_path / "new.key"
    new.write_text(run("vault", "new-key").stdout)
    assert "1 secret under the new key" in run("vault", "rekey", *mine, "--new-key-file", new).stderr
    run("vault", "get", *mine, "--id", "p1", code=1)
    assert run("vault", "get", *mine, "--key-file", new, "--id", "p1").stdout == "4711\n"


def test_erasing_needs_no_key(store, key_file, run, run_json):
    mine = ("--store", store, "--user", "ana")
    run("vault", "put", *mine, "--key-file", key_file, "--label", "l", "--id", "p1", stdin="4711")
    assert "--yes" in run("vault", "delete", *mine, "--id", "p1", code=2).stderr
    assert run_json("vault", "delete", *mine, "--id", "p1", "--yes")["records"] == 1
    assert "no secrets" in run("vault", "list", *mine, "--key-file", key_file).stdout
    (turn,) = run_json("latest", *mine)["records"]
    assert "is no secret" in run("vault", "delete", *mine, "--id", turn["id"], "--yes", code=1).stderr


def test_a_wrong_key_changes_no_keys(store, key_file, run, tmp_path):
    mine = ("--store", store, "--user", "ana")
    wrong = tmp_path / "wrong.key"
    wrong.write_text(run("vault", "new-key").stdout)
    rekey = ("vault", "rekey", *mine, "--key-file", wrong)
    assert "has no secrets" in run(*rekey, "--new-key-file", key_file, code=1).stderr
    run("vault", "put", *mine, "--key-file", key_file, "--label", "l", "--id", "p1", stdin="4711")
    for new in (wrong, key_file):
        refused = run(*rekey, "--new-key-file", new, code=1).stderr
        assert "opens none of the secrets of user 'ana'; nothing was changed" in refused
    assert run("vault", "get", *mine, "--key-file", key_file, "--id", "p1").stdout == "4711\n"


def test_errors_name_what_can_be_typed(store, key_file, run, tmp_path):
    mine = ("--store", store, "--user", "ana")
    run("vault", "put", *mine, "--key-file", key_file, "--label", "l", "--id", "p1", stdin="4711")
    other = tmp_path / "other.key"
    other.write_text(run("vault", "new-key").stdout)
    put = ("vault", "put", *mine, "--key-file", other, "--label", "m")
    refused = run(*put, stdin="0815", code=1).stderr
    assert "--another-key" in refused
    assert "another_key" not in refused
    assert "kept as" in run(*put, "--another-key", stdin="0815").stderr
    other.write_text("nonsense")
    refused = run(*put, stdin="0815", code=3).stderr
    assert "`memspan vault new-key`" in refused
    assert "new_key" not in refused


def test_deleting_spares_evicted_turns(store, key_file, run, run_json):
    mine = ("--store", store, "--user", "ana")
    run("quotas", "--store", store, "--capacity", 3)
    run("ingest", "-", "--store", store, "--user", "ana", stdin='{"text": "hello again"}\n')
    (evicted,) = run_json("evicted", *mine)["records"]
    assert "secret" in run("vault", "delete", *mine, "--id", evicted["id"], "--yes", code=1).stderr
    assert len(run_json("evicted", *mine)["records"]) == 1


def test_standard_input_without_a_secret(store, key_file, run):
    put = ("vault", "put", "--store", store, "--user", "ana", "--key-file", key_file, "--label", "l")
    for nothing in ("", "\n"):
        assert "standard input holds no secret" in run(*put, stdin=nothing, code=3).stderr


def test_a_passphrase_that_is_mistyped_begins_no_vault(store, key_file, run, run_json, monkeypatch):
    """Nothing would open the secret again; against secrets that are there a wrong one is refused anyway."""
    monkeypatch.setattr(Environment, "interactive", True)
    mine = ("--store", store, "--user", "ana")
    put = ("vault", "put", *mine, "--label", "l")
    typed = ["correct horse", "corect horse", "correct horse", "correct horse", "4711", "4711"]
    asked = run(*put, "--id", "p1", stdin="".join(f"{line}\n" for line in typed)).output
    assert "do not match" in asked
    assert run("vault", "get", *mine, "--id", "p1", stdin="correct horse\n").output.endswith("4711\n")
    run(*put, "--id", "p2", stdin="correct horse\n0815\n0815\n")
    assert "opens none" in run(*put, stdin="corect horse\n0815\n0815\n", code=1).output
    assert len(run_json("latest", *mine, "--kind", "vault")["records"]) == 2


def test_a_key_file_that_an_editor_of_windows_has_saved(store, key_file, run, tmp_path):
    mine = ("--store", store, "--user", "ana")
    run("vault", "put", *mine, "--key-file", key_file, "--label", "l", "--id", "p1", stdin="4711")
    saved = tmp_path / "saved.key"
    saved.write_bytes(b"\xef\xbb\xbf" + key_file.read_bytes().replace(b"\n", b"\r\n"))
    assert run("vault", "get", *mine, "--key-file", saved, "--id", "p1").stdout == "4711\n"
