"""Take out what a job made, and with it what was made of that, but for what another job made as well."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from memspan.records import Record
from memspan.remember.endings.believing_again import believe_again
from memspan.remember.endings.taken_over import let_go, stays
from memspan.remember.tagging.dropping_relations import unrelate_within
from memspan.remember.tagging.made_tags import write_made_tags
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.store import StoreWriter

__all__ = ["begin_without", "remove_made"]


def remove_made(
    change: Change, user: str, ids: Collection[str], reworded: Collection[str] = (), but: Collection[str] = ()
) -> set[str]:
    """Take records out, with what was derived from them, what runs could undo of them, and how often they were used.
    Returns the ids of those that are gone.

    Those that are held stay. So do those that only got these as sources when sleep found that both say the same, and
    now rest on their own alone: what took over the others', and what another job made of its own turns.

    Args:
        reworded: ids of records that say something else now; what was derived from these goes, too.
        but: ids of records that stay, whatever they were derived from.
    """
    writer, chosen = change.writer, set(ids)
    going = chosen.union(reworded)
    reached = going | writer.traces.derived(user, going)
    spared = stays(
        writer, user, going, reached, lambda some: going | writer.traces.derived(user, going, some)
    )
    gone = chosen | writer.traces.derived(user, going, spared).difference(but)
    stored = writer.fetch(user, sorted(gone))
    held = {id_ for id_, record in stored.items() if record.held}
    _rest_on_their_own(change, user, own := _made_by_others(writer, user, gone - chosen - held))
    gone -= own.keys()
    if not writer.cold.empty:
        held |= writer.cold.held(user, sorted(gone))
    let_go(change, user, (gone - held).union(reworded))
    if not writer.cold.empty:
        writer.cold.forget(user, sorted(gone - held))
        writer.jobs.lose(user, sorted(gone - held))
    free = sorted((stored.keys() & gone) - held)
    if free:
        writer.remove(user, free)
        change.remove(user, free)
    # The job does not know it for its own any more, so that forgetting what it was shown would miss it.
    writer.runs.forget(user, sorted(gone - held))
    writer.uses.forget(user, sorted(gone - held))
    return gone - held


def begin_without(change: Change, user: str, ids: Collection[str]) -> None:
    """Let the jobs that were shown records which go begin anew, without these, and without what they made: that may
    repeat what these said. What is held stays."""
    writer, jobs = change.writer, change.writer.jobs
    shown: set[int] = set().union(*jobs.seeing(user, sorted(ids)).values())
    gone = remove_made(change, user, set(jobs.made(shown)).difference(ids))
    believe_again(change, user, gone)
    tagged = jobs.tagged(shown)
    write_made_tags(change, user, dict.fromkeys(tagged, ()))
    writer.cold.untag(user, tagged)
    for job in sorted(shown):
        for parent, child in jobs.dissolve(job):
            unrelate_within(change, user, parent, child)
    jobs.lose(user, sorted(gone.union(ids)))
    jobs.forget_results(shown)
    jobs.restart(shown, erase=False)


def _made_by_others(writer: StoreWriter, user: str, ids: Collection[str]) -> dict[str, Record]:
    """The records of these that jobs made of turns, with these alone as sources."""
    found = {}
    for id_ in sorted(ids):
        jobs = writer.jobs.making(user, [id_])
        turns = {turn for job in jobs for part in writer.jobs.turns(job) for turn in part}
        for record in writer.fetch(user, [id_], embeddings=True).values() if turns else ():
            sources = tuple(source for source in record.sources if source in turns)
            if sources:
                found[id_] = replace(record, sources=sources)
    return found


def _rest_on_their_own(change: Change, user: str, own: dict[str, Record]) -> None:
    if own:
        made = change.writer.made_tags(user, list(own))
        write_records(change, list(own.values()))
        change.writer.set_made_tags(user, made)
