"""`Vault`: the secrets of one user under one key."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memspan.errors import HeldError, StoreError, VaultError, VaultKeyError, invalid
from memspan.remember.asynchronous import in_thread
from memspan.remember.audit.auditing import audited
from memspan.remember.endings.life import is_expired
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import forget
from memspan.remember.input.fields import checked_name, checked_text
from memspan.remember.input.messages import to_drafts
from memspan.remember.selecting import checked_selection
from memspan.remember.transfer.attachments import record_of
from memspan.remember.writing.adding import add_drafts
from memspan.remember.writing.change import Change
from memspan.store import StoreReader
from memspan.times import TimeLike, from_micros, now_micros

from .entries import Rekeyed, VaultEntry
from .keys import Key, KeyRing
from .sealing import checked_secret, opened, sealed

__all__ = ["Vault"]

_logger: Final = logging.getLogger("memspan")


class Vault:
    """The secrets of one user; made by `Memory.vault`, which says what a vault keeps and what it does not.

    Thread-safe. The key stays in this object alone; there is no way to ask for it.
    """

    def __init__(self, engine: Engine, user: str, ring: KeyRing) -> None:
        self._engine = engine
        self._ring = ring
        self.user = user

    def __repr__(self) -> str:
        return f"Vault(user={self.user!r})"

    def put(
        self,
        label: str,
        secret: str | bytes,
        *,
        id: str | None = None,
        at: TimeLike | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        another_key: bool = False,
    ) -> str:
        """Keep a secret under a label; returns its id. On disk, encrypted, when the call returns.

        Args:
            label: what the secret is called, such as "passport number". In clear: it is embedded and indexed, and found
                by searches that name the kind `vault`, as are its tags and metadata.
            secret: text or bytes, up to a mebibyte.
            id: of the record; a new one by default. A secret with this id is replaced, if the key opens it.
            at: when it became known; now by default.
            another_key: begin with a key that opens none of the user's secrets. Without this it is taken for a mistake.

        Raises:
            InvalidArgumentError: an argument is not acceptable, or the id is that of a record outside the vault.
            VaultKeyError: the key opens none of the user's secrets, or not the one that would be replaced; nothing was
                changed.
            HeldError: the secret that would be replaced is held.
            QuotaError, EmbedderError: as in `Memory.add`.
        """
        kept = checked_secret(secret)
        message: dict[str, Any] = {"text": checked_text(label, "label"), "kind": "vault"}
        if id is not None:
            message["id"] = checked_name(id, "id")
        if not label.strip():
            raise invalid("label", label, "a text that is not blank")
        drafts = to_drafts(
            message, user=self.user, at=at, session=None, metadata=metadata, tags=tags, kind="vault"
        )
        record = drafts[0].record.id
        with self._engine.store.reading() as reader:
            self._key(reader, record, another_key)

        def keep(change: Change) -> None:
            # Somebody may have changed it since, however unlikely.
            key = self._key(change.writer, record, another_key)
            change.writer.secrets.put(self.user, [sealed(key, self.user, record, kept)])
            audited(change, "vault.put", user=self.user, ids=[record])

        add_drafts(self._engine, drafts, within=keep, sealing=True)
        return record

    def _key(self, reader: StoreReader, record: str, another_key: bool) -> Key:
        """The key to seal the secret of a record with, if it may be sealed."""
        known = record_of(reader, self.user, record)
        if known is not None and known.kind != "vault":
            raise invalid("id", record, "an id that no record outside the vault has")
        stored = reader.secrets.one(self.user, record)
        if stored is not None:
            opened(self._ring, self.user, stored)
            if known is not None and known.held:
                raise HeldError(1, 1, "overwrite")
        key_ids = reader.secrets.key_ids(self.user)
        key = self._ring.current(key_ids)
        if key_ids and key.id not in key_ids and not another_key:
            raise VaultKeyError(
                "this key opens none of the user's secrets; nothing was kept. With `another_key` it can begin"
            )
        return key

    def get(self, id: str) -> str | bytes | None:
        """The secret with this id, as it was put; `None` when there is none, or its time to live is over.

        Each reading, also one that fails or comes too late, is in the audit before anything is given out.

        Raises:
            VaultKeyError: it is under another key.
            VaultError: it is damaged, or was moved from another record.
        """
        checked_name(id, "id")
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            stored = reader.secrets.one(self.user, id)
            record = record_of(reader, self.user, id)
        if stored is None:
            return None
        failure: Exception | None = None
        secret: str | bytes | None = None
        if record is None or not is_expired(record):
            try:
                secret = opened(self._ring, self.user, stored)
            except VaultError as error:
                failure = error
        with self._engine.changing() as change:
            audited(change, "vault.read", user=self.user, ids=[id], opened=secret is not None)
        if failure is not None:
            raise failure
        return secret

    def labels(self) -> list[VaultEntry]:
        """Every secret of the user, under whatever key, in the order of ids; no secret is read. Those in the cold tier
        are among them: no search finds these until they are restored, but `get` opens and `delete` erases them. Those
        whose time to live is over are not: sleep erases them, and those that are pinned or held wait for a longer one.
        """
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            stored = reader.secrets.keys(self.user)
            away = reader.cold.fetch(self.user, list(stored))
            records = {id_: copy.record for id_, copy in away.items()}
            records |= reader.fetch(self.user, list(stored))
        now = from_micros(now_micros())
        opens = {key_id: self._ring.find(key_id) is not None for key_id in set(stored.values())}
        return [
            VaultEntry(id_, record.text, record.at, record.tags, opens[key_id])
            for id_, key_id in stored.items()
            if (record := records.get(id_)) is not None and not is_expired(record, now)
        ]

    def delete(self, id: str) -> int:
        """Erase a secret and its label, as `Memory.forget` does, which needs no key either; returns how many records
        that were.

        Raises:
            InvalidArgumentError: the id is that of a record outside the vault.
            HeldError: the record is held.
        """
        selection = checked_selection(id=checked_name(id, "id"))
        with self._engine.store.reading() as reader:
            known = record_of(reader, self.user, id)
        if known is not None and known.kind != "vault":
            raise invalid("id", id, "the id of a secret")
        return forget(self._engine, user=self.user, selection=selection) or 0

    def rekey(self, *, key: bytes | str | None = None, passphrase: str | None = None) -> Rekeyed:
        """Put the secrets of this vault under another key, all or none, and go on with that one.

        What the old key could open is erased from the files, as `Memory.forget` does it; copies elsewhere are not.
        Bytes that cannot be erased yet, as another process reads an older state, are by the next open, or `forget`; the
        log says so.
        Secrets under keys that this vault does not have are left as they are, if it opens any at all.

        Raises:
            InvalidArgumentError: the new key is not acceptable.
            VaultKeyError: there are secrets, and the key of this vault opens none of them; nothing was changed.
            VaultError: a secret is damaged; nothing was changed.
        """
        ring = KeyRing(key, passphrase)
        changed: list[str] = []
        others = 0
        with self._engine.changing() as change:
            secrets = change.writer.secrets
            new = ring.current(secrets.key_ids(self.user))
            for stored in secrets.all(self.user):
                if self._ring.find(stored.key_id) is None:
                    others += stored.key_id != new.id
                else:
                    secret = opened(self._ring, self.user, stored)
                    # One by one: each may take a mebibyte.
                    secrets.put(self.user, [sealed(new, self.user, stored.record, secret)])
                    changed.append(stored.record)
            if not changed and secrets.key_ids(self.user):
                # The vault would go on with a key that opens nothing, and the caller might throw the right one away.
                already = "" if others else "; the new key opens them already"
                raise VaultKeyError(
                    f"the key opens none of the secrets of user {self.user!r}; nothing was changed{already}"
                )
            if changed:
                audited(change, "vault.rekey", user=self.user, ids=changed, records=len(changed))
                change.writer.request_erasure()
        self._ring = ring
        if changed:
            try:
                self._engine.store.erase()
            except StoreError as error:
                # The new key is the only one now: an error would look as if nothing had changed.
                _logger.warning("%s", error)
        return Rekeyed(len(changed), others)

    aput = in_thread(put)
    aget = in_thread(get)
    alabels = in_thread(labels, reads=True)
    adelete = in_thread(delete)
    arekey = in_thread(rekey)
