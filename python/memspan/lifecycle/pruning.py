"""Send to the cold tier what a policy holds for too stale (store-compress-staleness, 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.searching.aging import tracked_staleness, unwritten_uses
from memspan.store.sqlite.statements import chunks

from .sleep.survey import StalenessSurvey, may_be_pruned
from .staleness import StalenessPolicy
from .undo.journal import Journal

__all__ = ["prune"]

_SLICE: Final = 32
"""Records of a transaction; other writers wait for it."""


def prune(
    engine: Engine,
    survey: StalenessSurvey,
    policy: StalenessPolicy,
    journal: Journal,
    in_time: Callable[[], bool] = lambda: True,
) -> int:
    """Move what a survey found prunable to the cold tier, from which `Memory.restore` and `Memory.undo` bring it back;
    returns how many records went. In slices; what was pinned, used, ended or forgotten meanwhile stays as it is.
    """
    pruned = 0
    for piece in chunks(list(survey.prunable), _SLICE):
        if not in_time():
            break
        pruned += _prune_slice(engine, survey, piece, policy, journal)
    return pruned


@survives_damage
def _prune_slice(
    engine: Engine, survey: StalenessSurvey, ids: Sequence[str], policy: StalenessPolicy, journal: Journal
) -> int:
    user = journal.user
    unwritten = unwritten_uses(engine, user, policy)
    with engine.changing() as change:
        records = list(change.writer.fetch(user, list(ids)).values())
        found = tracked_staleness(engine, user, records, policy, survey.now, unwritten)
        going = [
            record.id
            for record, above in zip(records, policy.prunable(found), strict=True)
            if above and may_be_pruned(record)
        ]
        if going:
            journal.follow(change)
            change.remove(user, going)
            # From here on they go the way of all that is evicted.
            change.evicted += [(user, id_) for id_ in going]
            audited(change, "prune", user=user, records=len(going), policy=policy.name)
    engine.note_unsaved(len(going))
    return len(going)
