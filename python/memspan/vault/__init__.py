"""Secrets, encrypted with a key that only the caller has."""

from .entries import Rekeyed, VaultEntry
from .keys import new_key
from .vault import Vault

__all__ = ["Rekeyed", "Vault", "VaultEntry", "new_key"]
