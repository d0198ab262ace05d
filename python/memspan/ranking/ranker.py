"""`Ranker`: the weights of the learned ranking, by feature and by kind of question."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan._core import Ranking
from memspan.arguments import as_texts
from memspan.errors import FormatError, invalid
from memspan.times import to_intervals

from .adapter import QueryAdapter
from .net import RankingNet
from .selection import Selection
from .table_file import parse_table, read_table_bytes, write_table
from .weight_table import CONDITIONS, Condition, WeightTable

__all__ = ["CONDITIONS", "FEATURES", "FORMAT_VERSION", "Condition", "Ranker", "Ranking", "default_ranker"]

FORMAT_VERSION: Final = 3
_FORMAT: Final = "memspan ranker"
_READ_VERSIONS: Final = (1, 2, FORMAT_VERSION)

FEATURES: Final[tuple[str, ...]] = tuple(_core.feature_names())
"""What the native core looks at in a record (cpp/include/memspan/ranking.hpp says what each is)."""

# Name and checksum of the default embedder.
_TUNED: Final = (
    "bge-small-en-v1.5-int8",
    "9fc7483ebc82f6622a12ea8373f173a9970ca85f9b23d096d82c4d14fd220491",
)
_WITHOUT_NET: Final = "roles"
_BEST: Final = Selection()


class Ranker:
    """Weights of every feature, and what is added to them under each condition. Immutable.

    Args:
        weights: by condition (`always`, or one of `CONDITIONS`) and feature (one of `FEATURES`); what is missing is 0.
        adapter: moves the vectors of questions before they are searched for, if the embedder is the one that it is for;
            the weights were then learned with it.
        net: adds to the weighted sum what a sum cannot say. Not under the condition `roles`, of which nets learn
            nothing (`memspan.fitting.net`), and not where weights are scaled.
        trained_on: where the weights come from, for people.

    Raises:
        InvalidArgumentError: an unknown name, or a weight that is no number from -10,000 to 10,000.
    """

    __slots__ = ("_adapter", "_net", "_table", "_trained_on", "_usual")

    def __init__(
        self,
        weights: Mapping[str, Mapping[str, float]],
        *,
        adapter: QueryAdapter | None = None,
        net: RankingNet | None = None,
        trained_on: Sequence[str] = (),
    ) -> None:
        table = WeightTable(weights, FEATURES)
        if adapter is not None and not isinstance(adapter, QueryAdapter):
            raise invalid("adapter", adapter, "a QueryAdapter, or None")
        if net is not None and not isinstance(net, RankingNet):
            raise invalid("net", net, "a RankingNet, or None")
        self._table: Final = table
        self._net: Final = net
        self._adapter: Final = adapter
        self._trained_on: Final = tuple(as_texts(trained_on, "trained_on"))
        self._usual: Ranking | None = None

    @property
    def weights(self) -> dict[str, dict[str, float]]:
        """The weights that are not 0, by condition and feature."""
        return self._table.weights

    @property
    def adapter(self) -> QueryAdapter | None:
        """What moves the vectors of questions; `None`: they stay as they are."""
        return self._adapter

    @property
    def net(self) -> RankingNet | None:
        """What is added to the weighted sum; `None`: nothing."""
        return self._net

    def adapter_for(self, embedder: str, checksum: str) -> QueryAdapter | None:
        """The adapter, if it is for this embedder."""
        adapter = self._adapter
        own = adapter is not None and (adapter.embedder, adapter.checksum) == (embedder, checksum)
        return adapter if own else None

    @property
    def trained_on(self) -> tuple[str, ...]:
        """Where the weights come from."""
        return self._trained_on

    def ranking(
        self,
        conditions: Sequence[Condition] = (),
        hints: Any = None,
        *,
        scales: NDArray[np.float32] | None = None,
        selection: Selection | None = None,
    ) -> Ranking:
        """What `Index.search(fusion="learned", ranking=...)` takes, for one question.

        Args:
            conditions: what holds for the question.
            hints: times that it speaks of, as `between` takes them; they lift, bring the k nearest (32 at
                least) of their records, and some from all of them, into what is ranked, and refuse nothing.
            scales: shape (len(FEATURES),): what the weights are multiplied by (`memspan.ranking.groups.scales_of`).
            selection: which of the scored records come back; by default the best k.

        Raises:
            InvalidArgumentError: an unknown condition, or its subclass `TimeError`.
        """
        net = self.net_for(conditions)
        if not conditions and hints is None and scales is None and selection is None:
            if self._usual is None:
                self._usual = Ranking(self._table.row(), [], net=None if net is None else net.native)
            return self._usual
        row = self.row(conditions)
        if scales is not None:
            row *= scales
        wanted = selection or _BEST
        return Ranking(
            row,
            [] if hints is None else to_intervals(hints, "hints") or [],
            distinct=wanted.distinct,
            sessions=wanted.sessions,
            diversity=wanted.diversity,
            spread=wanted.spread,
            net=None if net is None or scales is not None else net.native,
        )

    def net_for(self, conditions: Sequence[Condition] = ()) -> RankingNet | None:
        """What is added to the weighted sum of a question; `None`: nothing."""
        return None if _WITHOUT_NET in conditions else self._net

    def scores(
        self, features: NDArray[np.float32], conditions: Sequence[Condition] = ()
    ) -> NDArray[np.float32]:
        """What each candidate of a question gets, (n, features) to (n,); as from the native core, up to rounding.

        Raises:
            InvalidArgumentError: an unknown condition.
        """
        scores: NDArray[np.float32] = features @ self.row(conditions)
        net = self.net_for(conditions)
        return scores if net is None else scores + net(features)

    def row(self, conditions: Sequence[Condition] = ()) -> NDArray[np.float32]:
        """The weights for one question, in the order of `FEATURES`.

        Raises:
            InvalidArgumentError: an unknown condition.
        """
        return self._table.row(conditions)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table as JSON."""
        write_table(
            path,
            _FORMAT,
            FORMAT_VERSION,
            trained_on=list(self._trained_on),
            weights=self._table.rounded(),
            **({} if self._net is None else {"net": self._net.to_dict()}),
            **({} if self._adapter is None else {"adapter": self._adapter.to_dict()}),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ranker:
        """Read what `save` wrote.

        Raises:
            FormatError: it is something else, of a newer version, or names what this memspan does not know.
            OSError: it cannot be read.
        """
        return _parse(read_table_bytes(path), str(path))

    def __repr__(self) -> str:
        return f"Ranker(trained_on={list(self._trained_on)})"


def default_ranker(embedder: str | None = None, checksum: str | None = None) -> Ranker:
    """The ranker in the package: one for the default embedder, whose questions were tuned, and one for all others."""
    return _packaged("weights-tuned.json" if has_tuned_questions(embedder, checksum) else "weights.json")


def has_tuned_questions(embedder: str | None, checksum: str | None) -> bool:
    """Whether that is the default embedder, behind whose questions a ranker of its own was learned."""
    return (embedder, checksum) == _TUNED


@cache
def _packaged(name: str) -> Ranker:
    return _parse(files("memspan.ranking").joinpath(name).read_bytes(), name)


def _parse(raw: bytes, name: str) -> Ranker:
    document = parse_table(raw, name, _FORMAT, _READ_VERSIONS)
    try:
        weights: Any = document.get("weights")
        adapter, net = document.get("adapter"), document.get("net")
        return Ranker(
            weights,
            adapter=None if adapter is None else QueryAdapter.from_dict(adapter),
            net=None if net is None else RankingNet.from_dict(net),
            trained_on=document.get("trained_on", ()),
        )
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from error
