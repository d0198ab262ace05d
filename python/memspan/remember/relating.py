"""Change the tag hierarchy."""

from __future__ import annotations

from .damage import survives_damage
from .engine import Engine
from .fields import checked_name
from .tags import checked_tag

__all__ = ["relate", "unrelate"]


@survives_damage
def relate(engine: Engine, *, user: str, parent: str, child: str) -> bool:
    """See `Memory.relate`. The index decides whether the edge closes a cycle, inside the transaction."""
    checked_name(user, "user")
    above, below = checked_tag(parent, "parent"), checked_tag(child, "child")
    with engine.changing() as change:
        change.apply(lambda index: index.relate(user=user, parent=above, child=below))
        return change.writer.relate(user, above, below)


@survives_damage
def unrelate(engine: Engine, *, user: str, parent: str, child: str) -> bool:
    """See `Memory.unrelate`."""
    checked_name(user, "user")
    above, below = checked_tag(parent, "parent"), checked_tag(child, "child")
    with engine.changing() as change:
        removed = change.writer.unrelate(user, above, below)
        if removed:
            change.apply(lambda index: index.unrelate(user=user, parent=above, child=below))
        return removed
