"""The calls of `Memory` about secrets and about what lies elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memspan.remember.fields import checked_name

from .base import Calls

if TYPE_CHECKING:
    from memspan.vault import Vault

__all__ = ["SafekeepingCalls"]


class SafekeepingCalls(Calls):
    """See `Memory`."""

    def vault(self, user: str, key: bytes | str | None = None, *, passphrase: str | None = None) -> Vault:
        """The secrets of a user, under a key that only the caller has.

        A secret is a record of kind `vault`. Its text is the label, in clear: embedded, indexed, and found by searches
        that name the kind. What the label stands for is encrypted with AES-256-GCM before it reaches the disk, bound to
        its user and record, and neither embedded nor indexed nor shown to a model. Each reading is in the audit. The
        key is not stored: who loses it has lost the secrets, though nothing destroys them.

        (`add(..., kind="vault")` keeps its whole text as such a label, in clear.)

        Args:
            key: 32 bytes, or the text that `memspan.vault.new_key()` makes.
            passphrase: instead of a key; it is stretched with scrypt, some tenth of a second and 32 MiB.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            MissingExtraError: the package `cryptography` is not installed.
        """
        from memspan.vault.keys import KeyRing
        from memspan.vault.sealing import require_cryptography
        from memspan.vault.vault import Vault

        checked_name(user, "user")
        ring = KeyRing(key, passphrase)
        require_cryptography()
        self._engine.require_open()
        return Vault(self._engine, user, ring)
