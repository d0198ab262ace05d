"""The calls of a `UserMemory` about secrets and about what lies elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memspan.memory import Memory
    from memspan.vault import Vault

__all__ = ["UserSafekeeping"]


class UserSafekeeping:
    """See `UserMemory`, which sets the attributes."""

    _memory: Memory
    name: str

    def vault(self, key: bytes | str | None = None, *, passphrase: str | None = None) -> Vault:
        """See `Memory.vault`."""
        return self._memory.vault(self.name, key, passphrase=passphrase)
