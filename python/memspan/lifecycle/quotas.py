"""`Quotas`: how many records a user may have, by kind, and which go first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from memspan.arguments import as_choice, as_integer
from memspan.errors import InvalidArgumentError, invalid

from .allocations import DEFAULT_ALLOCATION, SHARED_KINDS, apportioned, checked_shares

__all__ = ["EVICTIONS", "MAX_CAPACITY", "Quotas", "as_quotas"]

MAX_CAPACITY: Final = 2**31 - 1

EVICTIONS: Final = ("value", "oldest")
"""The orders of eviction: the lowest value first, or the oldest (by `at`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """How many records a user may have in memory, by kind ("Store, Compress, Staleness", 3.2).

    When a kind is full, each new record of it sends another one to the cold tier of the store, from where it can be
    restored. Retired and expired records go first, then the order of `eviction` decides; pinned records never go.

    Raises:
        InvalidArgumentError: an argument is not acceptable.
    """

    capacity: int | None = None
    """Of all kinds together, at least 1 for each kind that has a limit; `None`: what is said below are the only
    limits. The kinds `episodic`, `semantic` and `procedural` share what `resource` and `vault` leave of it."""
    shares: str | Mapping[str, float] = DEFAULT_ALLOCATION
    """Of `episodic`, `semantic` and `procedural`: one of `ALLOCATIONS` by its name, or a mapping with numbers above 0
    that sum to 1."""
    resource: int | None = None
    """Of this kind alone; `None`: no limit, and `capacity` does not count it."""
    vault: int | None = None
    """The same for `vault`."""
    eviction: str = "value"
    """`value`: the lowest value first, made of importance, use and redundancy, which is known of records that came, or
    were read from the file, while their kind had such a limit; `oldest`: the oldest of the kind, as in the paper."""

    def __post_init__(self) -> None:
        for name in ("capacity", "resource", "vault"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_integer(value, name, 1, MAX_CAPACITY))
        as_choice(self.eviction, "eviction", EVICTIONS)
        if not isinstance(self.shares, str):
            object.__setattr__(self, "shares", dict(checked_shares(self.shares)))
        _ = self.capacities

    @property
    def capacities(self) -> dict[str, int | None]:
        """Records of each of `KINDS`, `None` for no limit; what `Index.set_quotas` takes.

        Raises:
            InvalidArgumentError: a capacity without room for one record of each kind; the constructor asks.
        """
        shares = checked_shares(self.shares)
        shared: Mapping[str, int | None] = dict.fromkeys(SHARED_KINDS)
        if self.capacity is not None:
            reserved = (self.resource or 0) + (self.vault or 0)
            least = reserved + len(SHARED_KINDS)
            if self.capacity < least:
                accepted = (
                    f"at least {least}: {reserved} for resource and vault, and one record for each other kind"
                )
                raise invalid("capacity", self.capacity, accepted)
            shared = apportioned(self.capacity - reserved, shares)
        return {**shared, "resource": self.resource, "vault": self.vault}

    @property
    def limited(self) -> bool:
        """Whether any kind has a limit."""
        return any(capacity is not None for capacity in self.capacities.values())

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        shares = self.shares if isinstance(self.shares, str) else dict(self.shares)
        return {
            "capacity": self.capacity,
            "shares": shares,
            "resource": self.resource,
            "vault": self.vault,
            "eviction": self.eviction,
        }

    def dump(self) -> str:
        """As text for the store; equal quotas make equal texts."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> Quotas:
        """What `dump` made.

        Raises:
            InvalidArgumentError: it is something else, such as what a newer memspan wrote.
        """
        try:
            return cls(**json.loads(text))
        except InvalidArgumentError:
            raise
        except (TypeError, ValueError):
            raise invalid("quotas", text, "what `Quotas.dump` wrote") from None


def as_quotas(value: Any, argument: str = "quotas") -> Quotas | None:
    """Quotas, a capacity with the default shares, or `None` for none.

    Raises:
        InvalidArgumentError: something else.
    """
    if value is None or isinstance(value, Quotas):
        return value
    if hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_, np.ndarray)):
        return Quotas(capacity=value)
    raise invalid(argument, value, "memspan.Quotas, a capacity, or None for no limits")
