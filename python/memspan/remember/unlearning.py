"""Remember that procedures are not to be learnt again, when they go and the transcripts that show them stay."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memspan.lifecycle.procedures.procedure import actions_of, is_learnt, last_run
from memspan.records import Record

from .change import Change

__all__ = ["unlearn"]


def unlearn(change: Change, user: str, records: Iterable[Record], gone: Collection[str] = ()) -> None:
    """Let the runs that learnt procedures were made of count no more for these very steps: later runs alone decide
    whether they are learnt again.

    A procedure that goes because one of its sources does is none of these: it is learnt again from what is left.

    Args:
        records: what goes; those that are no learnt procedures are passed over.
        gone: ids of all that goes.
    """
    for record in records:
        if is_learnt(record) and not any(source in gone for source in record.sources):
            change.writer.unlearnt.add(user, actions_of(record), last_run(record))
