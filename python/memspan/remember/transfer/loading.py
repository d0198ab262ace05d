"""Load what `export` wrote, line by line."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NoReturn, TypeVar

from memspan.errors import FormatError, MemspanError, QuotaError
from memspan.lifecycle.quotas import Quotas
from memspan.records import Record
from memspan.remember.capacity.quotas import set_quotas
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.endings.lifetimes import Loaded, set_lifetime, shorten_loaded
from memspan.remember.engine import Engine
from memspan.remember.tagging.relating import relate_all
from memspan.remember.writing.adding import Advance, add_checked
from memspan.remember.writing.secret_ids import is_secret
from memspan.store.protocol import Relation
from memspan.store.secrets import SealedSecret

from .attachments import Attachment, load_attachments, why_it_stays
from .export_life import ColdLine, LifetimeLine, QuotaLine, load_cold
from .export_target import TextFile
from .import_lines import Line, RelationLine, parsed_lines, readable
from .job_trails import JobLine, load_jobs
from .unlearnt_lines import UnlearntLine, load_unlearnt

__all__ = ["kept_by", "load"]

_logger = logging.getLogger("memspan")
_BATCH: Final = 512
_KEPT: Final = "_kept"
_Error = TypeVar("_Error", bound=BaseException)


def load(engine: Engine, file: TextFile, advance: Advance | None = None) -> int:
    """See `Memory.load`."""
    seen: dict[tuple[str, str], int] = {}
    with readable(file) as (lines, name):
        embedder = engine.embedder
        loading = _Loading(engine, embedder, seen, advance)
        return loading.run(parsed_lines(lines, name, embedder.identity, seen))


def kept_by(error: BaseException) -> int:
    """How many records are here of a file whose loading ended with an error; 0 where its message says it, or none."""
    return int(getattr(error, _KEPT, 0))


class _Loading:
    """Writes records and cold copies in batches as they come, so that a file may be larger than memory; what stays of
    them are the ids.

    Relations, secrets, targets and times to live, of which there are few, wait for the end, and so do jobs, which name
    records, and records under the ids of secrets of this store: what the file says of those secrets comes after them.
    So do originals whose record has
    not come: a record that came later would take them for the wording of an older one. No export has those, but a file
    that was sorted in between may.
    """

    def __init__(
        self,
        engine: Engine,
        embedder: StoreEmbedder,
        seen: dict[tuple[str, str], int],
        advance: Advance | None,
    ) -> None:
        self._engine = engine
        self._embedder = embedder
        """Whose vectors the lines have."""
        self._seen = seen
        self._loaded = Loaded(seen)
        self._advance = advance
        self._records: list[Record] = []
        self._cold: list[ColdLine] = []
        self._early: list[ColdLine] = []
        self._labels: list[Record] = []
        """Records under the ids of secrets."""
        self._relations: list[RelationLine] = []
        self._attachments: list[Attachment] = []
        self._lifetimes: list[LifetimeLine] = []
        self._jobs: list[JobLine] = []
        self._unlearnt: list[UnlearntLine] = []
        self._before: dict[str | None, Quotas | None] = {}
        """Quotas of this store that those of the file took the place of, by user."""
        self._count = 0

    def run(self, lines: Iterable[Line]) -> int:
        """Write everything; returns how many records came. An error goes on when what came before it, and all that
        belongs to that, is written."""
        steps = (partial(self._take_all, lines), self._flush, self._finish)
        found = [_error_of(step, BaseException) for step in steps]
        errors = [error for error in found if error is not None]
        if errors:
            # What only follows from an error, as that a secret has no record then, does not take its place.
            error = next((error for error in errors if not isinstance(error, Exception)), errors[0])
            self._raise(error, early=error is not found[-1])
        return self._count

    def _raise(self, error: BaseException, *, early: bool) -> NoReturn:
        """With how many records are here all the same: in words where it is about the file, else for `kept_by`."""
        if not self._count or type(error) not in (FormatError, QuotaError):
            setattr(error, _KEPT, self._count)
            raise error
        kept = f"{self._count:,} record{'' if self._count == 1 else 's'}{' before it' if early else ''}"
        raise type(error)(f"{error} (kept: {kept})") from error

    def _take_all(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._take(line)

    def _take(self, line: Line) -> None:
        if isinstance(line, Record):
            self._records.append(line)
        elif isinstance(line, RelationLine):
            self._relations.append(line)
        elif isinstance(line, LifetimeLine):
            self._lifetimes.append(line)
        elif isinstance(line, JobLine):
            self._jobs.append(line)
        elif isinstance(line, UnlearntLine):
            self._unlearnt.append(line)
        elif isinstance(line, QuotaLine):
            self._flush()
            self._set_quotas(line)
        elif not isinstance(line, ColdLine):
            self._attachments.append(line)
        elif line.evicted or (line.record.user, line.record.id) in self._seen:
            self._cold.append(line)
        else:
            self._early.append(line)
        # One of the two is empty, unless kinds of lines alternate.
        if len(self._records) + len(self._cold) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        records = self._without_labels(self._records)
        self._records = []
        cold, self._cold = self._cold, []
        if records:
            self._add(records)
        load_cold(self._engine, cold, self._embedder)

    def _without_labels(self, records: list[Record]) -> list[Record]:
        others: list[Record] = []
        with self._engine.store.reading() as reader:
            having = {user for user in {record.user for record in records} if reader.secrets.key_ids(user)}
            for record in records:
                label = record.user in having and is_secret(reader, record.user, record.id)
                (self._labels if label else others).append(record)
        return others

    def _add(self, records: list[Record]) -> None:
        try:
            self._add_checked(records, self._advance)
        except QuotaError:
            # Pinned here and pinned in the file may be more than the file's quotas have room for.
            if not self._give_quotas_back({record.user for record in records}):
                raise
            self._add_checked(records)
        self._count += len(records)

    def _add_checked(
        self, records: list[Record], advance: Advance | None = None, *, sealing: bool = False
    ) -> None:
        add_checked(
            self._engine,
            records,
            advance,
            sealing=sealing,
            loading=self._loaded,
            vectors_of=self._embedder,
        )

    def _set_quotas(self, line: QuotaLine) -> None:
        with self._engine.store.reading() as reader:
            text = reader.quotas.get(line.user)
        try:
            set_quotas(self._engine, line.quotas, line.user)
        except QuotaError as error:
            _warn(line.user, error)
        else:
            self._before.setdefault(line.user, None if text is None else Quotas.parse(text))

    def _give_quotas_back(self, users: set[str]) -> bool:
        """Put this store's quotas back in place of those of the file that apply to these users; whether any were."""
        with self._engine.store.reading() as reader:
            own = {user for user in users if reader.quotas.get(user) is not None}
        concerned: set[str | None] = {user if user in own else None for user in users}
        given = False
        for owner in concerned & self._before.keys():
            try:
                set_quotas(self._engine, self._before.pop(owner), owner)
            except QuotaError:
                continue
            _warn(owner)
            given = True
        return given

    def _finish(self) -> None:
        """Write what waited. What is refused keeps nothing else from being written; then the first error is raised."""
        load_cold(self._engine, self._early, self._embedder)
        errors = [error for step in self._waiting() if (error := _error_of(step, MemspanError)) is not None]
        if errors:
            raise errors[0]

    def _waiting(self) -> Iterator[Callable[[], object]]:
        """Calls that write what waited, in their order."""
        for start in range(0, len(self._relations), _BATCH):
            yield partial(self._relate, self._relations[start : start + _BATCH])
        secrets = {
            (each.user, each.record): each.what
            for each in self._attachments
            if isinstance(each.what, SealedSecret)
        }
        for record in self._labels:
            yield partial(self._load_label, record, secrets.get((record.user, record.id)))
        yield partial(load_jobs, self._engine, self._jobs)
        yield partial(load_unlearnt, self._engine, self._unlearnt)
        yield partial(load_attachments, self._engine, self._attachments)
        for each in self._lifetimes:
            yield partial(set_lifetime, self._engine, kind=each.kind, seconds=each.seconds, user=each.user)
        yield partial(shorten_loaded, self._engine, self._loaded)

    def _load_label(self, record: Record, secret: SealedSecret | None) -> None:
        """Under the id of a secret of this store; one that the file has under the same key brings its label along."""
        sealing = secret is not None and record.kind == "vault"
        if secret is not None and sealing:
            with self._engine.store.reading() as reader:
                if why_it_stays(reader, record.user, secret):
                    return  # With its label; the log tells when it comes to the secret itself.
        self._add_checked([record], sealing=sealing)
        self._count += 1

    def _relate(self, lines: Sequence[RelationLine]) -> None:
        refused = relate_all(self._engine, [Relation(line.user, line.parent, line.child) for line in lines])
        for position, error in refused.items():
            raise FormatError(f"{lines[position].place}: {error}") from error


def _error_of(step: Callable[[], object], kind: type[_Error]) -> _Error | None:
    try:
        step()
    except kind as error:
        return error
    return None


def _warn(user: str | None, error: QuotaError | None = None) -> None:
    whose = "everybody" if user is None else f"user {user!r}"
    reason = "more records are pinned or held than they have room for" if error is None else str(error)
    _logger.warning("the quotas of %s in the file are left out (%s); those of this store stay", whose, reason)
