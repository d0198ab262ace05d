"""Shorten the records of a user, and keep their wording in the cold tier (store-compress-staleness, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_choice, as_flag, as_share
from memspan.encode.compression.corpus import Frequencies, index_frequencies
from memspan.encode.compression.pieces import Piece
from memspan.encode.compression.scorers import Scorer
from memspan.errors import ForgottenError, invalid
from memspan.lifecycle.compression import COMPRESSED, COMPRESSIBLE, STRATEGIES, nominal_fidelity
from memspan.lifecycle.fidelity import Fidelity, fidelity_of
from memspan.lifecycle.shortening import pieces_of, ratios_of, shortened, word_scores
from memspan.llm.protocol import Ready
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.endings.life import is_expired
from memspan.remember.engine import Engine
from memspan.remember.forgetting.unforgotten import learnt_at, unforgotten
from memspan.remember.input.fields import checked_kind, checked_name, checked_names
from memspan.remember.input.tags import without_made
from memspan.remember.jobs.loop import LoopThread
from memspan.remember.writing.change import ConvertedError
from memspan.remember.writing.indexing import write_records
from memspan.reports.compression_report import CompressionReport
from memspan.times import TimeLike, now_micros, to_likely_micros, to_micros

__all__ = ["compress"]

_BATCH: Final = 128
"""Records of one transaction."""
_TRIES: Final = 8
"""How often a batch is scored of which something is forgotten each time."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a caller asked for, checked."""

    user: str
    strategy: str
    target: float
    kinds: tuple[str, ...]
    before: int | None
    scorer: Scorer | None
    keeps: bool
    dry_run: bool

    def admits(self, record: Record) -> bool:
        """Whether a record may be compressed: not twice, and neither what is kept by force, nor history, nor what has
        expired: no model gets that any more."""
        return (
            record.kind in self.kinds
            and not (record.pinned or record.held)
            and record.retired_at is None
            and not is_expired(record)
            and "compression" not in record.metadata
            and (self.before is None or to_micros(record.at) < self.before)
        )


@dataclass(frozen=True, slots=True)
class _Shorter:
    """A record before and after."""

    old: Record
    new: Record
    nominal: float
    measured: Fidelity


@dataclass(slots=True)
class _Tally:
    """What was done so far."""

    records: int = 0
    words_before: int = 0
    words_after: int = 0
    nominal: list[float] = field(default_factory=list)
    measured: list[Fidelity] = field(default_factory=list)

    def note(self, each: _Shorter) -> None:
        """Count one; its texts and vectors are not kept."""
        self.words_before += len(each.old.text.split())
        self.words_after += len(each.new.text.split())
        self.nominal.append(each.nominal)
        self.measured.append(each.measured)


@survives_damage
def compress(
    engine: Engine,
    *,
    user: str,
    strategy: str,
    ratio: float,
    kinds: Sequence[str] | None,
    before: TimeLike | None,
    scorer: Scorer | None,
    keep_originals: bool,
    dry_run: bool,
    advance: Callable[[int], object] = lambda count: None,
) -> CompressionReport:
    """See `Memory.compress`."""
    wanted = _checked(user, strategy, ratio, kinds, before, scorer, keep_originals, dry_run)
    start = perf_counter()
    tally = _Tally()
    for ids in _batches(_candidates(engine, wanted)):
        tally.records += len(ids)
        if wanted.strategy != "none":
            _compress_batch(engine, wanted, ids, tally)
        advance(len(ids))
    return _report(wanted, tally, perf_counter() - start)


def _checked(
    user: str,
    strategy: str,
    ratio: float,
    kinds: Sequence[str] | None,
    before: TimeLike | None,
    scorer: Scorer | None,
    keep_originals: bool,
    dry_run: bool,
) -> _Wanted:
    names = COMPRESSED if kinds is None else tuple(checked_names(kinds, "kinds"))
    for kind in names:
        if checked_kind(kind, "kinds") not in COMPRESSIBLE:
            raise invalid("kinds", kind, " | ".join(COMPRESSIBLE))
    if scorer is not None and not callable(getattr(scorer, "score", None)):
        raise invalid("scorer", scorer, "a memspan.encode scorer, or None")
    as_choice(strategy, "strategy", STRATEGIES)
    return _Wanted(
        checked_name(user, "user"),
        strategy,
        as_share(ratio, "ratio"),
        names,
        None if before is None else to_likely_micros(before, "before"),
        scorer,
        as_flag(keep_originals, "keep_originals"),
        as_flag(dry_run, "dry_run"),
    )


def _candidates(engine: Engine, wanted: _Wanted) -> list[str]:
    """The ids of what may be compressed now; what is added meanwhile waits for the next call."""
    engine.require_open()
    with engine.store.reading() as reader:
        return [
            record.id for batch in reader.scan(wanted.user, 512) for record in batch if wanted.admits(record)
        ]


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


def _compress_batch(
    engine: Engine, wanted: _Wanted, ids: Sequence[str], tally: _Tally, tries: int = _TRIES
) -> None:
    """Begins anew when something of it is forgotten before a scorer sent it to its model, or the store was converted to
    another embedder."""
    try:
        _compress_once(engine, wanted, ids, tally)
    except (ForgottenError, ConvertedError):
        if tries == 1:
            raise
        _compress_batch(engine, wanted, ids, tally, tries - 1)


def _compress_once(engine: Engine, wanted: _Wanted, ids: Sequence[str], tally: _Tally) -> None:
    embedder = engine.embedder
    with engine.store.reading() as reader:
        found = reader.fetch(wanted.user, ids, embeddings=True)
    records = [record for record in found.values() if wanted.admits(record)]
    if not records:
        return
    shorter = _shorter(engine, wanted, records)
    if not wanted.dry_run and shorter:
        shorter = _write(engine, wanted, shorter, embedder)
    for each in shorter:
        tally.note(each)


def _shorter(engine: Engine, wanted: _Wanted, records: Sequence[Record]) -> list[_Shorter]:
    ratios = ratios_of(records, wanted.strategy, wanted.target)
    pieces = pieces_of(records)
    count = _counter(engine, wanted.user)
    if wanted.scorer is None:
        scores = word_scores(pieces, count)
    else:
        ready = unforgotten(engine, wanted.user, learnt_at(records))
        scores = _scored(wanted.scorer, [record.text for record in records], pieces, _Counting(count, ready))
    texts = shortened(records, ratios, pieces, scores)
    nominal = nominal_fidelity(ratios)
    changed = [place for place, record in enumerate(records) if texts[place] != record.text]
    reworded = [replace(records[place], text=texts[place]) for place in changed]
    vectors: Any = engine.embed_texts([embedded_text(record) for record in reworded]) if reworded else []
    found = []
    for place, record, vector in zip(changed, reworded, vectors, strict=True):
        old, fidelity = records[place], float(nominal[place])
        assert old.embedding is not None
        measured = fidelity_of(
            old.text, record.text, entities=old.entities, embeddings=(old.embedding, vector)
        )
        noted = {
            "strategy": wanted.strategy,
            "target": wanted.target,
            "ratio": round(float(ratios[place]), 4),
            "nominal": round(fidelity, 4),
            "measured": measured.to_dict(),
        }
        new = replace(
            record,
            embedding=vector,
            fidelity=old.fidelity * fidelity,
            metadata={**old.metadata, "compression": noted},
        )
        found.append(_Shorter(old, new, fidelity, measured))
    return found


def _write(
    engine: Engine, wanted: _Wanted, shorter: Sequence[_Shorter], embedder: StoreEmbedder
) -> list[_Shorter]:
    """Write what is still as it was; the original and its short form change places in one transaction."""
    ids = [each.old.id for each in shorter]
    with engine.changing() as change:
        change.require_made_by(embedder)
        stored = change.writer.fetch(wanted.user, ids, embeddings=True)
        made = change.writer.made_tags(wanted.user, ids)
        written = [each for each in shorter if _unchanged(each.old, stored.get(each.old.id))]
        if written:
            if wanted.keeps:
                # Made tags may come from other records' words, and have to go with these.
                originals = [without_made(stored[each.old.id], made) for each in written]
                change.writer.cold.keep_originals(originals, now_micros())
            write_records(change, [_shortened(stored[each.old.id], each.new) for each in written])
            kept = {each.old.id: made[each.old.id] for each in written if each.old.id in made}
            if kept:
                change.writer.set_made_tags(wanted.user, kept)
            audited(
                change,
                "compress",
                user=wanted.user,
                records=len(written),
                strategy=wanted.strategy,
                kept_originals=wanted.keeps,
            )
    engine.note_unsaved(len(written))
    return written


def _shortened(now: Record, new: Record) -> Record:
    """What is stored now, in its short form: it may have got other tags, or another importance, meanwhile."""
    return replace(now, text=new.text, embedding=new.embedding, fidelity=new.fidelity, metadata=new.metadata)


def _unchanged(seen: Record, now: Record | None) -> bool:
    """Whether all is as it was that the short form, its vector and its fidelity were made from."""
    names = (
        "text",
        "speaker",
        "entities",
        "kind",
        "at",
        "until",
        "metadata",
        "pinned",
        "held",
        "retired_at",
        "expires_at",
        "fidelity",
    )
    return now is not None and all(getattr(seen, name) == getattr(now, name) for name in names)


def _counter(engine: Engine, user: str) -> Callable[[Sequence[str]], Frequencies]:
    index = engine.current()
    return lambda words: index_frequencies(index, user, words)


class _Counting:
    """The tools of a scorer that needs no more than counts of words."""

    def __init__(self, count: Callable[[Sequence[str]], Frequencies], ready: Ready) -> None:
        self._count = count
        self._ready = ready

    async def require_wanted(self) -> None:
        """See `Watching.require_wanted`."""
        await self._ready()

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        return self._count(words)

    def note(self, event: str, **details: Any) -> None:
        """There is no log here."""


def _scored(
    scorer: Scorer,
    texts: Sequence[str],
    pieces: Sequence[Sequence[Piece]],
    tools: Any,
) -> list[NDArray[np.float64]]:
    """A scorer's own values. On a thread of its own: the caller's may have an event loop already. An interrupt ends
    what the scorer asks."""

    async def score() -> list[NDArray[np.float64]]:
        return await scorer.score(texts, pieces, tools)

    thread = LoopThread()
    try:
        call = thread.call(score())
        call.begin()
        return call.result()
    finally:
        thread.close()


def _report(wanted: _Wanted, tally: _Tally, seconds: float) -> CompressionReport:
    measured = tally.measured

    def mean(values: Sequence[float]) -> float:
        return float(np.mean(values)) if values else 1.0

    return CompressionReport(
        strategy=wanted.strategy,
        target=wanted.target,
        records=tally.records,
        compressed=len(measured),
        skipped=tally.records - len(measured),
        words_before=tally.words_before,
        words_after=tally.words_after,
        nominal=mean(tally.nominal),
        measured=Fidelity(
            ratio=mean([each.ratio for each in measured]),
            tokens=mean([each.tokens for each in measured]),
            entities=mean([each.entities for each in measured]),
            numbers=mean([each.numbers for each in measured]),
            agreement=mean([each.agreement or 0.0 for each in measured]),
        ),
        kept_originals=wanted.keeps,
        dry_run=wanted.dry_run,
        seconds=seconds,
    )
