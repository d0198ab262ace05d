# Types of the native core. Arguments are positional: memspan.index and memspan.query are the callers.
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, TypeVar, final, overload

import numpy as np
from numpy.typing import NDArray

ANALYZER_VERSION: int
MAX_NAME_BYTES: int
MAX_TEXT_BYTES: int
MAX_TAG_BYTES: int
MAX_TAGS: int
MAX_METADATA_BYTES: int
MAX_JSON_DEPTH: int
MAX_DIM: int
MAX_K: int
MAX_DEPTH: int
MAX_INTERVALS: int
MAX_EXCLUDED: int

def simd_level() -> str: ...
def analyze(text: str, analyzer: str) -> list[str]: ...
def normalize_tag(tag: str) -> str: ...
def estimate_tokens(text: str) -> int: ...

class NearWords:
    """Finds words within a few typing errors (cpp/src/lexical/near_words.hpp). Immutable."""

    def __init__(self, words: list[str]) -> None: ...
    def near(self, word: str) -> list[tuple[int, str]]: ...

# Of every row with every other, (rows, others); both float32 in C order with as many columns.
def inner_products(rows: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]: ...

class TokenBlocks:
    """The token vectors of a record, shape (n, dim), as `max_similarities` reads them. Immutable."""

    def __init__(self, rows: NDArray[np.int8], /) -> None: ...
    def __len__(self) -> int: ...  # n
    @property
    def nbytes(self) -> int: ...

# memspan.ranking.late says what these are. Without features, base and weights are not looked at.
def max_similarities(question: NDArray[np.float32], records: list[TokenBlocks], /) -> NDArray[np.float32]: ...
def late_features(similarities: NDArray[np.float32], /) -> NDArray[np.float32]: ...
def late_added(
    base: NDArray[np.float64] | None,
    features: NDArray[np.float32] | None,
    similarities: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    share: float,
    by_rank: float,
) -> NDArray[np.float64]: ...

# Columns of exactly the named types, copied; None for anything else.
def copy_texts(values: Any, /) -> list[str] | None: ...
def copy_optional_texts(values: Any, /) -> list[str | None] | None: ...
def copy_text_lists(values: Any, /) -> tuple[list[str], NDArray[np.int64]] | None: ...
def copy_json_texts(values: Any, /) -> list[str] | None: ...
def copy_rows(values: Any, dim: int, /) -> list[NDArray[np.float32]] | None: ...
def copy_times(values: Any, absent: int | None, /) -> NDArray[np.int64] | None: ...
def copy_kinds(values: Any, /) -> NDArray[np.uint8] | None: ...
def copy_importances(values: Any, /) -> NDArray[np.float32] | None: ...
def copy_flags(values: Any, /) -> NDArray[np.uint8] | None: ...

# Records in their common form; None for anything else (normal_record.cpp, record_rows.cpp).
_Record = TypeVar("_Record")

def normal_record(record: Any, type: type[_Record], dim: int, /) -> _Record | None: ...
def complete_record(record: Any, recorded_at: datetime, embedding: NDArray[np.float32], /) -> None: ...
def encode_rows(
    records: list[Any], users: dict[str, int], first_key: int, sequence: int, /
) -> list[tuple[Any, ...] | None]: ...

_Method = TypeVar("_Method", bound=Callable[..., Any])

# Decorators: calls with arguments of the common exact types are answered natively, others by the method.
def native_add(method: _Method, /) -> _Method: ...
def native_search(method: _Method, /) -> _Method: ...
def native_latest(method: _Method, /) -> _Method: ...
def native_query(method: _Method, /) -> _Method: ...

@final
class Query: ...

def make_query(
    user: str,
    text: str | None,
    embedding: NDArray[np.float32] | None,
    tags: list[str],
    between: list[tuple[int | None, int | None]] | None,
    kinds: list[int] | None,
    require_tags: list[str],
    where: str,
    exclude: list[str],
    as_of: int | None,
    valid_at: int | None,
    k: int,
    views: list[int] | None,
    fusion: int,
    weights: list[float],
    ranking: Ranking | None,
    depth: int,
    route: int,
    tag_depth: int,
    neighbors: int,
    exact: bool,
    recall: float,
    explain: bool,
    track: bool,
    features: bool,
    /,
) -> Query: ...

class RankingNet:
    """A small net over the features (cpp/include/memspan/ranking_net.hpp); `weights` of shape (features, 32)."""

    def __init__(
        self,
        *,
        mean: NDArray[np.float32],
        scale: NDArray[np.float32],
        weights: NDArray[np.float32],
        bias: NDArray[np.float32],
        out: NDArray[np.float32],
    ) -> None: ...

class Ranking:
    """Weights of the features in the order of `feature_names()`, times that a question speaks of, and which of the
    scored records come back (`memspan.ranking.Selection`)."""

    def __init__(
        self,
        weights: NDArray[np.float32],
        hints: list[tuple[int | None, int | None]],
        /,
        *,
        distinct: bool = False,
        sessions: int = 1,
        diversity: float = 0.0,
        spread: float = 0.0,
        net: RankingNet | None = None,
    ) -> None: ...

def feature_names() -> list[str]: ...
def ranking_features(index: Index, query: Query, /) -> tuple[list[str], NDArray[np.float32]]: ...

@final
class Hit:
    """One record that a search found. Immutable; equal to one that says the same."""

    @property
    def id(self) -> str:
        """Id of the record."""
    @property
    def score(self) -> float:
        """The fused score."""
    @property
    def at(self) -> datetime:
        """When it happened; aware, UTC."""
    @property
    def views(self) -> dict[str, tuple[int, float]]:
        """View name -> (rank from 1, score), for the views that found the record."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def explanation(self) -> dict[str, Any] | None:
        """Why it is here; only with `explain=True`."""

@final
class Hits:
    """The answer of a search, best first: a sequence of `Hit`, made when they are looked at. Immutable. Its columns
    are read without making a Hit for each."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Hit]: ...
    def index(self, hit: Hit, /) -> int:
        """Position of the first hit that is equal. Raises ValueError where there is none. O(n)."""
    def count(self, hit: Hit, /) -> int:
        """How many hits are equal. O(n)."""
    @overload
    def __getitem__(self, position: int, /) -> Hit: ...
    @overload
    def __getitem__(self, positions: slice, /) -> list[Hit]: ...
    @property
    def ids(self) -> list[str]:
        """The records' ids."""
    @property
    def scores(self) -> NDArray[np.float32]:
        """Shape (n,): the fused scores."""
    @property
    def ats(self) -> NDArray[np.int64]:
        """Shape (n,): the records' times in UTC microseconds."""
    @property
    def features(self) -> NDArray[np.float32] | None:
        """Shape (n, features): what a learned ranking sees in the hits, NaN of those that only fill up to k; with
        `features=True`, else None."""
    @property
    def explanation(self) -> dict[str, Any] | None:
        """What the filters refused and how the search ran; only with `explain=True`."""

@final
class Index:
    def __init__(
        self,
        dim: int,
        analyzer: str,
        k1: float,
        b: float,
        row_format: str,
        max_resident_bytes: int,
        spill_directory: bytes,
        /,
    ) -> None: ...
    @staticmethod
    def load(path: bytes, max_resident_bytes: int, spill_directory: bytes, verify: bool, /) -> Index: ...
    def save(self, path: bytes, stamp: str, /) -> None: ...
    @property
    def stamp(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def analyzer(self) -> str: ...
    @property
    def k1(self) -> float: ...
    @property
    def b(self) -> float: ...
    @property
    def row_format(self) -> str: ...
    def add(
        self,
        users: list[str],
        ids: list[str],
        ats: NDArray[np.int64],
        untils: NDArray[np.int64],
        recorded_ats: NDArray[np.int64],
        kinds: NDArray[np.uint8],
        texts: list[str],
        tags: list[str],
        tag_ends: NDArray[np.int64],
        sessions: list[str | None],
        speakers: list[str | None],
        metadatas: list[str],
        importances: NDArray[np.float32] | None,
        pins: NDArray[np.uint8] | None,
        retired_ats: NDArray[np.int64] | None,
        expires_ats: NDArray[np.int64] | None,
        embeddings: NDArray[np.float32] | list[NDArray[np.float32]] | None,
        has_embedding: NDArray[np.uint8] | None,
        named_as_columns: bool,
        evict: bool,
        /,
    ) -> list[tuple[str, str]]: ...
    def set_quotas(self, user: str | None, capacities: list[int | None] | None, eviction: int, /) -> None: ...
    def quotas(self, user: str | None, /) -> tuple[list[int | None], int] | None: ...
    def evict(self, user: str, most: int, /) -> list[str]: ...
    def pin(self, user: str, ids: list[str], pinned: bool, /) -> int: ...
    def track_uses(self) -> None: ...
    def note_uses(self, user: str, ids: list[str], /) -> int: ...
    def take_uses(self, user: str, /) -> tuple[list[str], NDArray[np.uint32], NDArray[np.int64]]: ...
    def set_uses(
        self, user: str, ids: list[str], counts: NDArray[np.uint32], lasts: NDArray[np.int64], /
    ) -> int: ...
    def remove(self, user: str, ids: list[str], /) -> int: ...
    def forget(self, user: str, /) -> int: ...
    def search(self, query: Query, /) -> Hits: ...
    def search_many(self, queries: list[Query], threads: int, /) -> list[Hits]: ...
    def locate(self, user: str, id: str, /) -> int | None: ...
    def beside(self, user: str, ids: list[str], same_kind: bool, /) -> list[tuple[str, str]]: ...
    def relate(self, user: str, parent: str, child: str, /) -> bool: ...
    def unrelate(self, user: str, parent: str, child: str, /) -> bool: ...
    def expand(self, user: str, tags: list[str], depth: int, /) -> list[str]: ...
    def route(
        self, user: str, embedding: NDArray[np.float32], k: int, method: int, /
    ) -> list[tuple[str, float]]: ...
    def tags(self, user: str, retired: bool, /) -> list[tuple[str, int, list[str], list[str], int]]: ...
    def set_tag_embedding(self, user: str, tag: str, embedding: NDArray[np.float32], /) -> None: ...
    def rename_tag(self, user: str, old: str, new: str, /) -> bool: ...
    def merge_tags(self, user: str, tags: list[str], into: str, /) -> bool: ...
    def drop_tags(self, user: str, tags: list[str], /) -> int: ...
    def consolidate(
        self, user: str | None, force: bool, threads: int, /
    ) -> tuple[
        int, int, int, int, int, int, int, int, float, float, float, float, int, float, float, float
    ]: ...  # the fields of memspan.ConsolidationReport
    def consolidate_by_itself(self) -> None: ...
    def auto_consolidations(
        self,
    ) -> tuple[int, int, int, list[tuple[Any, ...]]]: ...  # the fields of memspan.AutoConsolidations
    def layout_map(self, user: str, /) -> list[tuple[str, int, int, int, int]]: ...
    def duplicates(
        self, user: str, threshold: float, kinds: list[int], since: int, most: int, threads: int, /
    ) -> tuple[list[tuple[str, str, float]], bool, int]: ...
    def users(self) -> list[str]: ...
    def frequencies(self, user: str, words: list[str], /) -> tuple[int, list[int]]: ...
    def names(self, user: str, retired: bool, /) -> tuple[list[str], list[str]]: ...
    def names_version(self, user: str, /) -> int: ...
    def ids(self, user: str, /) -> list[str]: ...
    def __len__(self) -> int: ...
    def total_stats(self) -> dict[str, int]: ...
    def user_stats(self, user: str, /) -> dict[str, Any]: ...
