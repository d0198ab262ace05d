"""`mine_procedures`: learn a user's procedures from the transcripts in the store, and write them down."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.encode.procedure_text import Wording, wording_of
from memspan.record_order import record_order
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.endings.endings import ended, ended_by
from memspan.remember.endings.lifetimes import with_lifetimes
from memspan.remember.engine import Engine
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.reports.procedure_info import ProcedureReport
from memspan.store.transcripts import TranscriptTurn
from memspan.times import from_micros, now_micros

from .learning import Learned, learn
from .matching import matched
from .patterns import Mining
from .procedure import actions_of, is_learnt, new_id, recorded
from .transcript import transcripts_of

__all__ = ["Proposal", "Proposals", "Write", "apply", "mine_procedures", "propose", "report_of"]

Write: TypeAlias = Callable[[Change, Sequence[Record]], None]
"""Writes records within a change, as `write_records`; a journal keeps what they replace before it does."""

_CHARS: Final = 2_000
"""Of a turn's text that are looked at: requests, and results that arguments come from."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A procedure that is new or says something else than its record."""

    learned: Learned
    id: str
    before: Record | None
    """The record that it changes."""
    wording: Wording | None
    """A model's, if it was asked."""
    example: tuple[TranscriptTurn, ...]
    """The turns of its last run that worked, with what was asked, in the order of time."""

    def record(self, user: str) -> Record:
        """See `recorded`."""
        return recorded(user, self.id, self.learned, self.before, self.wording)


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a look at a user's transcripts found."""

    user: str
    sessions: int
    actions: int
    found: int
    """Procedures, those included that stay as they are."""
    changes: tuple[Proposal, ...]
    ending: tuple[tuple[Record, str], ...]
    """What gives way, each with the id of the procedure that takes its place: records of single runs, made by the stage
    `procedures`, and procedures that turned out to be a part of a longer one."""
    seconds: float


def mine_procedures(
    engine: Engine,
    user: str,
    settings: Mining | None = None,
    *,
    dry_run: bool = False,
    write: Write = write_records,
    gone: Container[str] = (),
) -> ProcedureReport:
    """Learn the procedures of a user without a model and store what changed in one transaction.

    A procedure that is known keeps its id, and its counts grow. One that somebody ended or wrote anew is left
    alone, and one that was evicted stays so; one that is not found any more, because its transcripts are gone,
    stays as it is, and one that turned out to be a part of a longer one gives way to it. Interrupted, it has done
    all or nothing; nothing new in the transcripts changes nothing. Reads the metadata of all of the user's records,
    and the turns of sessions with actions; next to nothing where no turn has one.

    Args:
        dry_run: only tell what would be done.
        write: writes records within the transaction.
        gone: ids of records that a dry run takes for evicted.

    Raises:
        EmbedderError: nothing was changed.
    """
    proposals = propose(engine, user, settings, gone)
    return report_of(proposals) if dry_run else apply(engine, proposals, write)


def propose(
    engine: Engine, user: str, settings: Mining | None = None, gone: Container[str] = ()
) -> Proposals:
    """What `mine_procedures` would change. Takes no lock."""
    start = perf_counter()
    with engine.store.reading() as reader:
        turns = [turn for turn in reader.transcripts.turns(user, _CHARS) if turn.id not in gone]
        every = reader.transcripts.procedures(user) if turns else []
        stored = [record for record in every if record.id not in gone]
        cold: Any = getattr(reader, "cold", None)
        evicted = set() if cold is None or not turns else set(cold.ids(user))
        evicted.update(record.id for record in every if record.id in gone)
        transcripts = transcripts_of(turns)
        learnt = learn(transcripts, settings)
        unlearnt = reader.unlearnt.through(user, [one.actions for one in learnt])
    by_turn = {turn.id: turn for turn in turns}
    by_id = {record.id: record for record in stored}
    ours = [record for record in stored if is_learnt(record)]
    known = [record for record in ours if not _gave_way(record)]
    pairs = matched([one.actions for one in learnt], [actions_of(record) for record in known])
    changes = []
    least = (settings or Mining()).least
    whole: dict[tuple[str, ...], str] = {}
    for position, one in enumerate(learnt):
        before = known[pairs[position]] if position in pairs else None
        if (through := unlearnt[position]) is not None:
            # It was forgotten: the runs that it was learnt from then do not count.
            one = one.since(through)
            if len(one.runs) < (least if before is None else 1):
                continue
        if before is not None and (before.until is not None or before.retired_at is not None or before.held):
            continue
        id_ = before.id if before is not None else new_id(user, one.actions, (record.id for record in ours))
        if before is None and (id_ in by_id or id_ in evicted):
            continue  # somebody wrote it anew, or it had to make room
        whole[one.actions] = id_
        proposal = Proposal(one, id_, before, _wording(one, before, stored), _example(one, by_turn))
        if before is None or not _same(before, proposal.record(user)):
            changes.append(proposal)
    ending = [
        (record, whole[actions_of(record)])
        for record in stored
        if _is_single(record) and actions_of(record) in whole
    ]
    unmatched = (record for place, record in enumerate(known) if place not in pairs.values())
    for record in unmatched:
        longer = next((actions for actions in whole if _is_part(actions_of(record), actions)), None)
        if longer is not None and _is_free(record) and _is_there(record, by_turn):
            ending.append((record, whole[longer]))
    return Proposals(
        user,
        len(transcripts),
        sum(len(transcript.events) for transcript in transcripts),
        len(learnt),
        tuple(changes),
        tuple(ending),
        perf_counter() - start,
    )


@survives_damage
def apply(engine: Engine, proposals: Proposals, write: Write = write_records) -> ProcedureReport:
    """Store what was proposed, but for what rests on turns that were forgotten, or records that changed, meanwhile."""
    start = perf_counter()
    user = proposals.user
    if not proposals.changes and not proposals.ending:
        return report_of(proposals)
    fresh = {proposal.id: proposal.record(user) for proposal in proposals.changes}
    embedder = engine.embedder
    vectors = _vectors(engine, user, fresh)
    made: list[Proposal] = []
    gave_way: list[tuple[Record, str]] = []
    with engine.changing() as change:
        change.require_made_by(embedder)
        moment = from_micros(now_micros())
        wanted = [*fresh, *(one.id for one, _ in proposals.ending)]
        stored = change.writer.fetch(user, wanted, embeddings=True)
        made_tags = change.writer.made_tags(user, list(stored)) if stored else {}
        records: list[Record] = []
        for proposal in proposals.changes:
            now, record = stored.get(proposal.id), fresh[proposal.id]
            if now is not None and now.held:
                continue  # Since it was proposed.
            # Of old sources, some may have been evicted; had one been forgotten, so would have been the record.
            old = () if proposal.before is None else proposal.before.sources
            vector = vectors.get(record.id)
            if vector is None and now is not None and embedded_text(now) == embedded_text(record):
                vector = now.embedding
            # Without a vector: somebody took away what said the same a moment ago. The next look proposes it again.
            if (
                vector is not None
                and _is_as_it_was(now, proposal.before)
                and all(
                    change.index.contains(user=user, id=id_) for id_ in set(record.sources).difference(old)
                )
            ):
                made.append(proposal)
                same = now is not None and now.text == record.text
                records.append(
                    replace(
                        record,
                        tags=() if now is None else now.tags,
                        embedding=vector,
                        recorded_at=now.recorded_at if same and now is not None else moment,
                    )
                )
        records = with_lifetimes(change.writer, records, moment)
        written = {proposal.id for proposal in made}
        for one, by in proposals.ending:
            now = stored.get(one.id)
            whole = by in written or (by not in fresh and change.index.contains(user=user, id=by))
            if now is not None and whole and _is_as_it_was(now, one) and _is_free(now):
                gave_way.append((one, by))
                records.append(ended(now, action="merge", by=[by], at=moment, moment=moment))
        if records:
            write(change, records)
            kept = {record.id: made_tags[record.id] for record in records if record.id in made_tags}
            if kept:
                change.writer.set_made_tags(user, kept)
            new = sum(proposal.before is None for proposal in made)
            audited(
                change,
                "learn",
                user=user,
                ids=[record.id for record in records],
                new=new,
                ended=len(gave_way),
            )
    engine.note_unsaved(len(records))
    done = replace(proposals, changes=tuple(made), ending=tuple(gave_way))
    return report_of(done, perf_counter() - start)


def report_of(proposals: Proposals, seconds: float = 0.0) -> ProcedureReport:
    """What was proposed, as a report; `seconds` are added to those of the search."""
    new = sum(proposal.before is None for proposal in proposals.changes)
    return ProcedureReport(
        users=1,
        sessions=proposals.sessions,
        actions=proposals.actions,
        found=proposals.found,
        new=new,
        changed=len(proposals.changes) - new,
        merged=len(proposals.ending),
        worded=sum(
            proposal.wording is not None and proposal.wording.model is not None
            for proposal in proposals.changes
        ),
        ids=tuple(proposal.id for proposal in proposals.changes),
        seconds=proposals.seconds + seconds,
    )


def _vectors(engine: Engine, user: str, fresh: Mapping[str, Record]) -> dict[str, NDArray[np.float32]]:
    """Embeddings of what says something else than what is stored."""
    with engine.store.reading() as reader:
        stored = reader.fetch(user, list(fresh))
    texts = {
        id_: embedded_text(record)
        for id_, record in fresh.items()
        if id_ not in stored or embedded_text(stored[id_]) != embedded_text(record)
    }
    return dict(zip(texts, engine.embed_texts(list(texts.values())), strict=True)) if texts else {}


def _wording(learned: Learned, before: Record | None, stored: Sequence[Record]) -> Wording | None:
    """A model's words for these very steps: those that the record has, or those of a single run."""
    candidates = [
        record
        for record in ([] if before is None else [before]) + [one for one in stored if _is_single(one)]
        if actions_of(record) == learned.actions
    ]
    found = (wording_of(record.metadata["procedure"].get("wording")) for record in candidates)
    return next((wording for wording in found if wording is not None), None)


def _example(learned: Learned, turns: Mapping[str, TranscriptTurn]) -> tuple[TranscriptTurn, ...]:
    run = next((run for run in reversed(learned.runs) if run.success is not False), learned.runs[-1])
    ids = [*([] if run.asked is None else [run.asked.id]), *run.turns]
    example = (turns[id_] for id_ in dict.fromkeys(ids))
    return tuple(sorted(example, key=lambda turn: record_order(turn.at, turn.id)))


def _is_single(record: Record) -> bool:
    """Whether the stage `procedures` made it of one run, and nothing ended it."""
    return (
        record.metadata.get("stage") == "procedures"
        and isinstance(record.metadata.get("procedure"), Mapping)
        and _is_free(record)
    )


def _is_free(record: Record) -> bool:
    """Whether learning may end it."""
    is_over = record.until is not None or record.retired_at is not None
    return not (is_over or record.pinned or record.held)


def _gave_way(record: Record) -> bool:
    """Whether learning ended it for another one; should it come back, it is a new one."""
    action, _ = ended_by(record)
    return action == "merge"


def _is_part(actions: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return len(actions) < len(whole) and all(action in rest for action in actions)


def _is_there(record: Record, turns: Mapping[str, TranscriptTurn]) -> bool:
    """Whether its runs can still be seen, most of them: then it is not for want of them that it was not found."""
    return 2 * sum(id_ in turns for id_ in record.sources) >= len(record.sources)


def _same(before: Record, now: Record) -> bool:
    names = ("text", "at", "importance", "fidelity", "sources", "metadata")
    return all(getattr(before, name) == getattr(now, name) for name in names)


def _is_as_it_was(now: Record | None, before: Record | None) -> bool:
    if now is None or before is None:
        return now is before
    names = ("text", "at", "kind", "until", "retired_at", "metadata")
    return all(getattr(now, name) == getattr(before, name) for name in names)
