"""Keys of a vault: 32 random bytes, or a passphrase stretched to as many."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from memspan.errors import InvalidArgumentError

__all__ = ["Key", "KeyRing", "new_key"]

KEY_BYTES: Final = 32
_ACCEPTED: Final = "32 bytes, or the text that `memspan.vault.new_key` makes of them"
_SALT_BYTES: Final = 16
_COST: Final = 1 << 15
"""scrypt's N with r = 8 and p = 1: 32 MiB and about a tenth of a second a guess (RFC 7914, section 2)."""

_LEAST_CHARACTERS: Final = 8


class Key(NamedTuple):
    """A key for AES-256, with the name that secrets under it carry."""

    id: str
    """A keyed hash of the key; for a passphrase also how it was stretched, so that it can be done again."""
    secret: bytes

    def __repr__(self) -> str:
        return f"Key(id={self.id!r})"


def new_key() -> str:
    """A new random key as text of 43 characters. Keep it where this memory is not: without it the secrets are lost."""
    return base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode().rstrip("=")


class KeyRing:
    """What a caller can open: one random key, or what one passphrase becomes with different salts.

    Never shows the key. Errors about keys do not repeat them, unlike other errors.
    """

    def __init__(self, key: bytes | str | None, passphrase: str | None) -> None:
        if (key is None) == (passphrase is None):
            raise InvalidArgumentError("key: got both or none; accepted: either `key` or `passphrase`")
        self._key = None if key is None else _random_key(_checked_key(key))
        self._passphrase = None if passphrase is None else _checked_passphrase(passphrase)
        self._stretched: dict[str, Key] = {}
        self._new: Key | None = None

    def __repr__(self) -> str:
        return f"KeyRing({'passphrase' if self._key is None else self._key.id})"

    def find(self, key_id: str) -> Key | None:
        """The key of that name, if this is it."""
        if self._key is not None:
            return self._key if self._key.id == key_id else None
        parameters = key_id.split(":")
        if len(parameters) != 4 or parameters[:2] != ["scrypt", str(_COST)]:
            return None
        key = self._stretch(parameters[2])
        return key if key.id == key_id else None

    def current(self, key_ids: Iterable[str]) -> Key:
        """The key to seal with: the one that there are secrets under already, or a new one of this passphrase."""
        for key_id in key_ids:
            if (key := self.find(key_id)) is not None:
                return key
        if self._key is not None:
            return self._key
        if self._new is None:
            self._new = self._stretch(secrets.token_hex(_SALT_BYTES))
        return self._new

    def _stretch(self, salt: str) -> Key:
        if salt not in self._stretched:
            assert self._passphrase is not None
            secret = hashlib.scrypt(
                self._passphrase.encode(),
                salt=salt.encode(),
                n=_COST,
                r=8,
                p=1,
                maxmem=64 << 20,
                dklen=KEY_BYTES,
            )
            self._stretched[salt] = Key(f"scrypt:{_COST}:{salt}:{_fingerprint(secret)}", secret)
        return self._stretched[salt]


def _random_key(secret: bytes) -> Key:
    return Key(f"key:{_fingerprint(secret)}", secret)


def _fingerprint(secret: bytes) -> str:
    return hmac.new(secret, b"memspan vault key", hashlib.sha256).hexdigest()[:16]


def _checked_key(key: Any) -> bytes:
    if isinstance(key, str):
        try:
            key = base64.b64decode(key + "=" * (-len(key) % 4), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            key = None
    if not isinstance(key, (bytes, bytearray)) or len(key) != KEY_BYTES:
        # The value is not repeated: it may be a key with a typing mistake.
        raise InvalidArgumentError(f"key: got something else; accepted: {_ACCEPTED}") from None
    return bytes(key)


def _checked_passphrase(passphrase: Any) -> str:
    if not isinstance(passphrase, str) or len(passphrase) < _LEAST_CHARACTERS:
        raise InvalidArgumentError(
            f"passphrase: got something else; accepted: a text of at least {_LEAST_CHARACTERS} characters"
        )
    try:
        passphrase.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(
            "passphrase: got lone surrogates; accepted: text that UTF-8 can hold"
        ) from None
    return passphrase
