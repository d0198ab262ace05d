"""Remember that procedures are not to be learnt again, when they go and the transcripts that show them stay."""

from __future__ import annotations

from memspan.lifecycle.procedures.procedure import actions_of, is_learnt, last_run
from memspan.records import Record
from memspan.remember.writing.change import Change

__all__ = ["unlearn"]


def unlearn(change: Change, user: str, record: Record) -> None:
    """Let the runs that a learnt procedure was made of count no more for these very steps, whichever transcripts stay:
    later runs alone decide whether it is learnt again. Any other record is passed over."""
    if is_learnt(record):
        change.writer.unlearnt.add(user, actions_of(record), last_run(record))
