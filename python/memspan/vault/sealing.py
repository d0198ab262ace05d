"""Seal secrets with AES-256-GCM (NIST SP 800-38D), bound to the record they belong to."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from memspan.errors import VaultError, VaultKeyError, invalid, missing_extra
from memspan.store.secrets import SealedSecret

from .keys import Key, KeyRing

__all__ = ["MAX_SECRET_BYTES", "checked_secret", "opened", "require_cryptography", "sealed"]

MAX_SECRET_BYTES: Final = 1 << 20

_NONCE_BYTES: Final = 12
"""Random, so that a key should seal at most 2**32 secrets (section 8.3)."""

_BLOCK: Final = 32
"""Secrets are filled up to a multiple of this, so that their lengths say little."""

_TEXT: Final = b"t"
_BYTES: Final = b"b"


def require_cryptography() -> Any:
    """The AES-GCM of the package `cryptography`.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise missing_extra("cryptography", "a vault", "vault") from error
    return AESGCM


def sealed(key: Key, user: str, record: str, secret: str | bytes) -> SealedSecret:
    """The secret, encrypted for one record of one user: elsewhere it does not open."""
    nonce = os.urandom(_NONCE_BYTES)
    ciphertext = require_cryptography()(key.secret).encrypt(nonce, _packed(secret), _bound(user, record))
    return SealedSecret(record, key.id, nonce, ciphertext)


def opened(ring: KeyRing, user: str, secret: SealedSecret) -> str | bytes:
    """What was sealed.

    Raises:
        VaultKeyError: it is under another key.
        VaultError: it was changed, or is another record's.
    """
    aes = require_cryptography()
    key = ring.find(secret.key_id)
    if key is None:
        raise VaultKeyError(
            f"the secret of record {secret.record!r} is under another key; nothing was given out or changed"
        )
    from cryptography.exceptions import InvalidTag

    try:
        packed = aes(key.secret).decrypt(secret.nonce, secret.ciphertext, _bound(user, secret.record))
        return _unpacked(packed)
    except (InvalidTag, ValueError) as error:
        raise VaultError(
            f"the secret of record {secret.record!r} is damaged, or belongs to another record; restore it from a backup"
        ) from error


def checked_secret(secret: Any) -> str | bytes:
    """A text or bytes of up to a mebibyte; errors do not repeat it."""
    accepted = f"text or bytes, 1 to {MAX_SECRET_BYTES} bytes"
    if not isinstance(secret, (str, bytes)) or not secret:
        raise invalid("secret", type(secret).__name__, accepted)
    try:
        size = len(secret.encode() if isinstance(secret, str) else secret)
    except UnicodeEncodeError:
        raise invalid("secret", "text with lone surrogates", accepted) from None
    if size > MAX_SECRET_BYTES:
        raise invalid("secret", f"{size} bytes", accepted)
    return secret


def _packed(secret: str | bytes) -> bytes:
    marked = _TEXT + secret.encode() if isinstance(secret, str) else _BYTES + secret
    marked += b"\x80"
    return marked + b"\0" * (-len(marked) % _BLOCK)


def _unpacked(packed: bytes) -> str | bytes:
    marked = packed.rstrip(b"\0")
    if marked[:1] not in (_TEXT, _BYTES) or marked[-1:] != b"\x80":
        raise ValueError("of another form")
    secret = marked[1:-1]
    return secret.decode() if marked[:1] == _TEXT else secret


def _bound(user: str, record: str) -> bytes:
    """What the ciphertext is authenticated with."""
    return json.dumps(["memspan vault 1", user, record]).encode()
