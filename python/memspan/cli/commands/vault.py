"""`memspan vault`: secrets, encrypted with a key that is not in the store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError, as_input
from memspan.cli.opening import note_unknown, open_memory
from memspan.cli.status import ExitStatus
from memspan.cli.tables import cell, counted, moment, plain_table, print_figures
from memspan.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memspan.memory import Memory
    from memspan.vault import Vault

__all__ = ["vault"]

_KEY = "MEMSPAN_VAULT_KEY"
_PASSPHRASE = "MEMSPAN_VAULT_PASSPHRASE"  # noqa: S105 - a name of a variable


@click.group(
    epilog=options.examples(
        "(umask 077 && memspan vault new-key > vault.key)",
        "memspan vault put --store chat.memspan --user ana --key-file vault.key --label 'passport number'",
    )
)
def vault() -> None:
    """Keep secrets that only a key of yours opens.

    The key comes from --key-file, else from MEMSPAN_VAULT_KEY, else it is made of MEMSPAN_VAULT_PASSPHRASE, or of a
    passphrase that is asked for. Labels are in clear; every reading is in `memspan audit`.
    """


def _key_options(command: Any) -> Any:
    return click.option(
        "--key-file",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="A file with the key that `memspan vault new-key` made.",
    )(command)


@vault.command(
    "new-key",
    epilog=options.examples(
        "(umask 077 && memspan vault new-key > vault.key)", "memspan vault new-key --json"
    ),
)
@options.as_json
@pass_environment
def new_key_(env: Environment, as_json: bool) -> None:
    """Print a new random key. Keep it where the store is not; nobody can make it again."""
    from memspan.vault.keys import new_key

    key = new_key()
    if as_json:
        env.write_json({"key": key})
    else:
        env.write(key + "\n")


@vault.command(
    short_help="Keep a secret, typed unseen or from standard input.",
    epilog=options.examples(
        "memspan vault put --store chat.memspan --user ana --label 'passport number' < secret.txt"
    ),
)
@options.existing_store
@options.one_user
@click.option("--label", required=True, metavar="TEXT", help="What the secret is called, in clear.")
@click.option("--id", "id_", metavar="ID", help="Of a new secret, or of the one that it takes the place of.")
@click.option("--another-key", is_flag=True, help="Begin with a key that opens none of the user's secrets.")
@_key_options
@options.embedder_of_store
@options.as_json
@pass_environment
def put(
    env: Environment,
    store: Path,
    user: str,
    label: str,
    id_: str | None,
    another_key: bool,
    key_file: Path | None,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Keep a secret: what standard input says, without the last line break, or what is typed unseen."""
    with open_memory(store, embedder) as memory:
        # Nothing would open what a mistyped passphrase begins with.
        begins = another_key or not memory.stats(user)["secrets"]
        given = _given_key(env, key_file, confirmed=begins)
        secret: str | bytes
        if env.interactive:
            secret = click.prompt("Secret", hide_input=True, confirmation_prompt=True, err=True)
        else:
            secret = _read_secret(env)
            if not secret:
                raise CommandError("standard input holds no secret", ExitStatus.BAD_INPUT)
        kept = _open(memory, user, given).put(label, secret, id=id_, another_key=another_key)
    if as_json:
        env.write_json({"store": str(store), "user": user, "id": kept, "label": label})
    else:
        env.note(f"kept as {kept}")


@vault.command(
    epilog=options.examples("memspan vault get --store chat.memspan --user ana --key-file vault.key --id p1")
)
@options.existing_store
@options.one_user
@click.option(
    "--id", "id_", required=True, metavar="ID", help="Of the secret, as `memspan vault list` shows it."
)
@_key_options
@options.as_json
@pass_environment
def get(env: Environment, store: Path, user: str, id_: str, key_file: Path | None, as_json: bool) -> None:
    """Print a secret as it was put. That it was read is in the audit."""
    given = _given_key(env, key_file)
    with open_memory(store) as memory:
        secret = _open(memory, user, given).get(id_)
    if secret is None:
        raise CommandError(f"user '{user}' has no secret '{id_}'")
    if isinstance(secret, bytes) and not as_json and not env.out.is_terminal:
        env.write_bytes(secret + b"\n")
        return
    text = secret if isinstance(secret, str) else secret.decode("utf-8", "backslashreplace")
    if as_json:
        env.write_json({"store": str(store), "user": user, "id": id_, "secret": text})
    else:
        env.write(text + "\n")


@vault.command(
    "list",
    epilog=options.examples("memspan vault list --store chat.memspan --user ana --key-file vault.key"),
)
@options.existing_store
@options.one_user
@_key_options
@options.as_json
@pass_environment
def list_(env: Environment, store: Path, user: str, key_file: Path | None, as_json: bool) -> None:
    """List labels, and which of the secrets the key opens."""
    given = _given_key(env, key_file)
    with open_memory(store) as memory:
        entries = _open(memory, user, given).labels()
        if not entries:
            note_unknown(env, memory, user)
    if as_json:
        env.write_json({"store": str(store), "user": user, "secrets": [entry._asdict() for entry in entries]})
        return
    if not entries:
        env.say("no secrets")
        return
    table = plain_table()
    for name in ("id", "at (UTC)", "label", "opens"):
        table.add_column(name, overflow="fold", ratio=1 if name == "label" else None)
    for entry in entries:
        opens = "yes" if entry.opens else "another key"
        table.add_row(cell(entry.id), cell(moment(entry.at)), cell(entry.label), cell(opens))
    print_figures(env.out, table)


@vault.command(epilog=options.examples("memspan vault delete --store chat.memspan --user ana --id p1 --yes"))
@options.existing_store
@options.one_user
@click.option("--id", "id_", required=True, metavar="ID", help="Of the secret.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.as_json
@pass_environment
def delete(env: Environment, store: Path, user: str, id_: str, yes: bool, as_json: bool) -> None:
    """Erase a secret and its label. Needs no key."""
    from memspan.vault.keys import new_key

    if not yes:
        if not env.interactive:
            raise click.UsageError("nobody to ask here; add --yes to erase without asking")
        if not click.confirm(f"Erase secret '{id_}' of user '{user}'? This cannot be undone.", err=True):
            raise CommandError("nothing was erased")
    with open_memory(store) as memory:
        # Any key will do: deleting opens nothing.
        vault = memory.vault(user, new_key())
        try:
            records = vault.delete(id_)
        except InvalidArgumentError as error:
            raise CommandError(f"record '{id_}' of user '{user}' is no secret; nothing was erased") from error
    if as_json:
        env.write_json({"store": str(store), "user": user, "id": id_, "records": records})
    else:
        env.note(f"{counted(records, 'record')} erased")


@vault.command(
    short_help="Put the secrets under another key.",
    epilog=options.examples(
        "memspan vault rekey --store chat.memspan --user ana --key-file old.key --new-key-file new.key"
    ),
)
@options.existing_store
@options.one_user
@_key_options
@click.option(
    "--new-key-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="A file with the key that opens them from now on.",
)
@options.as_json
@pass_environment
def rekey(
    env: Environment, store: Path, user: str, key_file: Path | None, new_key_file: Path, as_json: bool
) -> None:
    """Put the secrets under another key, all or none, and erase what the old one opens.

    Ends with 1 if the old key opens none.
    """
    given = _given_key(env, key_file)
    with open_memory(store) as memory:
        opened = _open(memory, user, given)
        with as_input():
            done = opened.rekey(key=_read_key(new_key_file))
        if not done.changed:
            raise CommandError(f"user '{user}' has no secrets")
    if as_json:
        env.write_json({"store": str(store), "user": user, **done._asdict()})
    else:
        env.note(
            f"{counted(done.changed, 'secret')} under the new key, {done.others:,} under keys that are not here"
        )


def _read_secret(env: Environment) -> str | bytes:
    """What standard input says without the last line break: text, or bytes where it is none."""
    given = env.stdin_bytes.read()
    data = given if isinstance(given, bytes) else given.encode("utf-8", "surrogateescape")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data.removesuffix(b"\n")
    return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")


def _given_key(env: Environment, key_file: Path | None, *, confirmed: bool = False) -> dict[str, str]:
    """The key or passphrase that was given, in this order; a passphrase that is typed is typed twice if `confirmed`."""
    if key_file is not None:
        return {"key": _read_key(key_file)}
    for name, argument in ((_KEY, "key"), (_PASSPHRASE, "passphrase")):
        if os.environ.get(name):
            return {argument: os.environ[name]}
    if not env.interactive:
        raise click.UsageError(f"no key; give --key-file, {_KEY} or {_PASSPHRASE}")
    typed = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirmed, err=True)
    return {"passphrase": typed}


def _read_key(file: Path) -> str:
    """As an editor of Windows saves it, too: behind a mark of byte order."""
    return file.read_text(encoding="utf-8-sig", errors="replace").strip()


def _open(memory: Memory, user: str, given: dict[str, Any]) -> Vault:
    with as_input():  # the key, or passphrase
        return memory.vault(user, **given)
