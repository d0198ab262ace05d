"""A write in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from memspan.errors import EmbedderError, MemspanError, QuotaError
from memspan.index import Index
from memspan.records import Record
from memspan.remember.audit.tally import Added, Tally
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.tokens.store_tokens import StoreTokens
from memspan.store import StoreWriter

__all__ = ["Change", "ConvertedError", "keys_of"]

T = TypeVar("T")
_Key = tuple[str, str]


class ConvertedError(EmbedderError):
    """`Memory.reembed` converted the store between the embedding of a text and its transaction."""


class Change:
    """A write in progress: the store's exclusive transaction and the index, equal to each other at its start."""

    def __init__(
        self,
        writer: StoreWriter,
        index: Index,
        tally: Tally,
        actor: str,
        tokens: StoreTokens | None,
        embedder: StoreEmbedder,
        keep_uses: Callable[[Iterable[str]], None],
    ) -> None:
        self.writer: Final = writer
        self.index: Final = index
        self.tally: Final = tally
        self.actor: Final = actor
        """Who acts, for the audit, unless `acting` says otherwise."""
        self.tokens: Final = tokens
        """Has the token vectors of what is about to be written."""
        self._embedder = embedder
        self.keep_uses: Final = keep_uses
        """Is told users before the index evicts records of theirs: it does not tell the uses of what has left it."""
        self.touched = False
        self.lost = False
        """Whether more of the index may be other than the store has it than `changed` tells."""
        self._changed: list[Callable[[], Iterable[_Key]]] = []
        self._let_go = 0
        """How many of them keep no records."""
        self.evicted: list[_Key] = []
        """(user, id) of what the index evicted; at the end of the transaction it goes to the cold tier."""
        self.evicting: Callable[[str, Sequence[Record]], None] | None = None
        """Is told a user and their records, without the tags that were made, before these go there: a journal."""
        self.settled: Callable[[], object] | None = None
        """Is called within the transaction when what was evicted has gone there: nothing more happens to records."""
        self.settling: list[_Key] = []
        """What was `evicted`, from the end of the transaction on."""
        self.moved: dict[str, int] = {}
        """By user, how many records went there."""
        self.unsourced: dict[str, frozenset[str]] = {}
        """By user, ids of derived records that so lost their last source."""
        self.counted: list[Added] = []
        """What the transaction took from the tally."""

    def require_made_by(self, embedder: StoreEmbedder) -> None:
        """Refuse vectors, which were made before the transaction, of another embedder than the store's.

        Raises:
            ConvertedError: they are.
        """
        if embedder is not self._embedder:
            raise ConvertedError(
                "the store was converted to another embedder while texts were embedded; nothing was changed, try again"
            )

    def changed(self) -> Iterator[_Key]:
        """(user, id) of the records that the index may have otherwise than the store if this is rolled back."""
        return chain(*(keys() for keys in self._changed), self.evicted, self.settling)

    def let_go(self) -> None:
        """Keep no more of the records that it has written so far than their keys: belongs between parts of a large one.
        O(those since the last time)."""
        keys = [key for each in self._changed[self._let_go :] for key in each()]
        self._changed[self._let_go :] = [keys.copy]
        self._let_go += 1

    def writes(self, user: str) -> list[str]:
        """Ids of a user's records that it has put into the index, or is about to. Any thread may ask."""
        return [id_ for keys in list(self._changed) for owner, id_ in keys() if owner == user]

    def apply(
        self,
        operation: Callable[[Index], T],
        *,
        atomic: bool = True,
        of: Callable[[], Iterable[_Key]] | None = None,
    ) -> T:
        """Change the index.

        Args:
            atomic: an atomic operation leaves the index as it was when it raises a `MemspanError`.
            of: gives the records that it changes, by (user, id), but for those that it evicts; `None`: it changes
                something else, which is not taken back by itself when the transaction is rolled back.
        """
        before = self.touched, self.lost
        self.touched = self.lost = True
        if of is not None:
            self._changed.append(of)
        try:
            found = operation(self.index)
        except MemspanError as error:
            if atomic:
                self.touched, self.lost = before
            if isinstance(error, QuotaError):
                raise QuotaError(_with_holds(str(error))) from error
            raise
        self.lost = before[1] or of is None
        return found

    def remove(self, user: str, ids: Sequence[str]) -> None:
        """Take records out of the index."""
        self.apply(
            lambda index: index.remove(user=user, ids=ids),
            atomic=False,
            of=lambda: ((user, id_) for id_ in ids),
        )


def keys_of(records: Sequence[Record]) -> Callable[[], Iterable[_Key]]:
    """Gives (user, id) of records."""
    return lambda: ((record.user, record.id) for record in records)


def _with_holds(message: str) -> str:
    """The index knows no holds: to it, what is held is pinned."""
    return message.replace("pinned or brought", "pinned, held or brought").replace(
        "unpin some", "unpin or release some"
    )
