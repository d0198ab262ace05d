"""Adding, replacing, finding and removing records."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_helpers import DIM, vector

import memspan


def test_an_empty_index() -> None:
    index = memspan.Index(dim=DIM)
    assert (index.dim, index.analyzer, index.stamp, len(index)) == (DIM, "english", "", 0)
    assert index.users() == []
    assert index.stats()["records"] == 0


def test_counts(index: memspan.Index) -> None:
    assert len(index) == 5
    assert index.users() == ["ana", "ben"]
    assert index.ids(user="ana") == ["camp", "job", "pin", "tent"]
    assert index.contains(user="ben", id="camp")
    assert not index.contains(user="ben", id="tent")
    assert index.stats()["users"] == 2
    assert index.stats(user="ana")["records"] == 4


def test_locate(index: memspan.Index) -> None:
    assert index.locate(user="ana", id="camp") == datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc)
    assert index.locate(user="ben", id="camp") == datetime(2023, 5, 9, tzinfo=timezone.utc)
    assert index.locate(user="ana", id="nothing") is None


@pytest.mark.parametrize(
    "at",
    [
        "2023-05-08T13:56:00Z",
        "2023-05-08T15:56:00+02:00",
        "2023-05-08 13:56",
        datetime(2023, 5, 8, 13, 56),
        datetime(2023, 5, 8, 15, 56, tzinfo=timezone(timedelta(hours=2))),
        1_683_554_160_000_000,
        np.int64(1_683_554_160_000_000),
    ],
)
def test_every_way_to_say_a_time(at: object) -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="m", at=at)
    assert index.locate(user="ana", id="m") == datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "at", [datetime.min, datetime.max, datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 1)]
)
def test_far_times_keep_their_microsecond(at: datetime) -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="m", at=at)
    assert index.locate(user="ana", id="m") == at.replace(tzinfo=timezone.utc)
    assert index.latest(user="ana")[0].at == at.replace(tzinfo=timezone.utc)
    assert index.search(user="ana", between=(at, None)).ids == ["m"]


def test_upsert_leaves_no_trace(index: memspan.Index) -> None:
    index.add(
        user="ana", id="camp", at="2024-01-01", text="A quiet evening", tags=["home"], metadata={"n": 1}
    )
    assert len(index) == 5
    assert index.locate(user="ana", id="camp") == datetime(2024, 1, 1, tzinfo=timezone.utc)
    assert index.search(user="ana", text="lake").ids == []
    assert index.search(user="ana", text="evening").ids == ["camp"]
    assert "camp" not in index.search(user="ana", views=["symbolic"], tags=["lake", "camping"]).ids
    assert index.search(user="ana", where={"place": {"$exists": True}}).ids == []
    hits = index.search(user="ana", embedding=vector(1), k=10)
    assert "semantic" not in next(hit for hit in hits if hit.id == "camp").views
    assert index.search(user="ana", text="tent", neighbors=1).ids == ["tent"], "no longer of session s1"
    assert {tag.name: tag.records for tag in index.tags(user="ana")}["lake"] == 0


def test_remove(index: memspan.Index) -> None:
    assert index.remove(user="ana", ids=["camp", "nothing", "camp"]) == 1
    assert not index.contains(user="ana", id="camp")
    assert index.contains(user="ben", id="camp")
    assert index.search(user="ana", text="lake").ids == []
    assert index.remove(user="ana", ids=["camp"]) == 0
    assert index.remove(user="ana", ids=[]) == 0
    assert index.remove(user="ana", ids=["", "x" * 600]) == 0, "ids that no record can have"


def test_forget(index: memspan.Index) -> None:
    assert index.forget(user="ana") == 4
    assert index.users() == ["ben"]
    assert index.tags(user="ana") == []
    assert index.ids(user="ana") == []
    assert index.forget(user="ana") == 0
    index.add(user="ana", id="new", at=0, text="lake")
    assert index.search(user="ana", text="lake").ids == ["new"]
    assert [tag.name for tag in index.tags(user="ana")] == []


def test_unknown_users_have_nothing(index: memspan.Index) -> None:
    nobody = "nobody"
    assert index.search(user=nobody, text="lake", embedding=vector(1), tags=["lake"], neighbors=1).ids == []
    assert index.latest(user=nobody).ids == []
    assert index.ids(user=nobody) == []
    assert index.tags(user=nobody) == []
    assert index.expand(user=nobody, tags=["camping"]) == []
    assert index.route(user=nobody, embedding=vector(1)) == []
    assert index.locate(user=nobody, id="camp") is None
    assert not index.contains(user=nobody, id="camp")
    assert index.remove(user=nobody, ids=["camp"]) == 0
    assert index.forget(user=nobody) == 0
    assert index.unrelate(user=nobody, parent="a", child="b") is False
    assert index.stats(user=nobody)["records"] == 0
    assert index.users() == ["ana", "ben"], "asking about a user does not create one"


def test_add_many_equals_many_adds(index: memspan.Index) -> None:
    columnar = memspan.Index(DIM, analyzer="simple")
    columnar.add_many(
        users=["ana", "ana", "ben"],
        ids=["camp", "job", "camp"],
        ats=["2023-05-08T13:56:00Z", "2023-06-01", "2023-05-09"],
        texts=["We went camping by the lake", "Ana works at the bakery", "Ben stayed home"],
        embeddings=np.array([vector(1), vector(0, 1), vector(0, 0, 1)]),
        tags=[["camping", "lake"], ["work"], []],
        kinds=["episodic", "semantic", "episodic"],
        untils=[None, "2024-01-01", None],
        recorded_ats=[None, "2023-06-02", None],
        sessions=["s1", "s2", None],
        speakers=["Ana", None, None],
        metadatas=[{"place": "lake", "price": 10}, None, None],
    )
    index.remove(user="ana", ids=["tent", "pin"])
    for query in (
        {"text": "camping bakery"},
        {"embedding": vector(1, 1)},
        {"where": {"price": 10}},
        {"kinds": ["semantic"]},
    ):
        found, expected = columnar.search(user="ana", **query), index.search(user="ana", **query)
        assert (found.ids, found.scores.tolist()) == (expected.ids, expected.scores.tolist())


def test_keys_with_dots_and_dollars_are_reached() -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="a", at=1, metadata={"file.name": "x", "$cost": 2})
    index.add(user="ana", id="b", at=2, metadata={"file": {"name": "x"}})
    for where, ids in (({"file\\.name": "x", "\\$cost": 2}, ["a"]), ({"file.name": "x"}, ["b"])):
        assert index.search(user="ana", where=where).ids == ids


def test_add_many_for_one_user() -> None:
    index = memspan.Index(DIM)
    index.add_many(user="ana", ids=["a", "b"], ats=[1, 2])
    assert index.latest(user="ana").ids == ["b", "a"]
    index.add_many(user="ana", ids=[], ats=[], embeddings=np.empty((0, DIM)))
    with pytest.raises(
        memspan.InvalidArgumentError, match="embeddings: got '3 entries'; accepted: 0 entries"
    ):
        index.add_many(user="ana", ids=[], ats=[], embeddings=np.ones((3, DIM)))
    assert len(index) == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32])
def test_embeddings_of_any_real_dtype(dtype: type) -> None:
    index = memspan.Index(DIM)
    rows = np.array([[1, 0, 0, 0], [1, 2, 0, 0]], dtype)
    index.add_many(user="ana", ids=["a", "b"], ats=[1, 2], embeddings=rows)
    index.add(user="ana", id="c", at=3, embedding=[0, 1, 0, 0])
    assert index.search(user="ana", embedding=np.array([1, 0, 0, 0], dtype)).ids == ["a", "b", "c"]


@pytest.mark.parametrize(
    "rows", [lambda x: x[::2], lambda x: np.asfortranarray(x[::2]), lambda x: x[::-2][::-1]]
)
def test_embeddings_of_any_memory_layout(rows: object) -> None:
    block = np.arange(1, 4 * DIM + 1, dtype=np.float32).reshape(4, DIM) ** 2
    expected, strided = memspan.Index(DIM), memspan.Index(DIM)
    chosen = rows(block)  # type: ignore[operator]
    expected.add_many(user="ana", ids=["a", "b"], ats=[1, 2], embeddings=np.ascontiguousarray(chosen))
    strided.add_many(user="ana", ids=["a", "b"], ats=[1, 2], embeddings=chosen)
    assert (
        strided.search(user="ana", embedding=vector(1)).scores.tobytes()
        == expected.search(user="ana", embedding=vector(1)).scores.tobytes()
    )


@pytest.mark.parametrize("scale", [1e-38, 1e-30, 1.0, 1e30, 3e38])
def test_the_length_of_an_embedding_does_not_matter(scale: float) -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="a", at=1, embedding=np.array([1, 1, 0, 0], np.float32) * np.float32(scale))
    index.add(user="ana", id="b", at=2, embedding=vector(0, 1))
    hits = index.search(user="ana", embedding=vector(1, 1) * np.float32(scale))
    assert hits.ids == ["a", "b"]
    assert hits[0].views["semantic"][1] == pytest.approx(1.0, abs=1e-6)
    assert hits[1].views["semantic"][1] == pytest.approx(0.5**0.5, abs=1e-6)


@pytest.mark.parametrize("column", [list, tuple, lambda rows: objects(rows)])
def test_a_batch_where_some_have_no_embedding(column: Callable[[list[Any]], Any]) -> None:
    index = memspan.Index(DIM)
    rows = column([[1, 0, 0, 0], None, vector(1, 1)])
    index.add_many(user="ana", ids=["a", "b", "c"], ats=[1, 2, 3], embeddings=rows)
    hits = index.search(user="ana", embedding=vector(1))
    assert hits.ids == ["a", "c", "b"]
    assert index.stats(user="ana")["embeddings"] == 2


ROWS = np.arange(12, dtype=np.float32).reshape(3, DIM) + 1


class Readable:
    """What numpy can read and is no list, as columns and tensors of other libraries are."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        return self.values


def objects(rows: list[Any]) -> np.ndarray:
    """A column whose entries are arrays, as data frames have them."""
    column = np.empty(len(rows), object)
    column[:] = rows
    return column


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(list(ROWS), id="arrays"),
        pytest.param(tuple(ROWS.copy()), id="a tuple of arrays"),
        pytest.param(list(np.asfortranarray(ROWS)), id="strided arrays"),
        pytest.param(list(ROWS.astype(np.float64)), id="doubles"),
        pytest.param([ROWS[0], ROWS[1].tolist(), ROWS[2]], id="an array and lists"),
        pytest.param(list(ROWS.astype(">f4")), id="another byte order"),
        pytest.param(objects(list(ROWS)), id="a column of arrays"),
        pytest.param(objects(ROWS.tolist()), id="a column of lists"),
        pytest.param(Readable(objects(list(ROWS))), id="a column of another library"),
        pytest.param(Readable(ROWS), id="a matrix of another library"),
        pytest.param(memoryview(ROWS), id="a buffer"),
        pytest.param(np.ma.masked_array(ROWS), id="masked, where nothing is"),
    ],
)
def test_embeddings_one_by_one_are_those_of_a_matrix(rows: object) -> None:
    expected, index = memspan.Index(DIM), memspan.Index(DIM)
    for each, embeddings in ((expected, ROWS), (index, rows)):
        each.add_many(user="ana", ids=["a", "b", "c"], ats=[1, 2, 3], embeddings=embeddings)
    for row in (*ROWS, vector(1), vector(0, 0, 0, 1)):
        found = [(hit.id, hit.score) for hit in index.search(user="ana", embedding=row, exact=True)]
        assert found == [
            (hit.id, hit.score) for hit in expected.search(user="ana", embedding=row, exact=True)
        ]


def test_numbers_of_sixteen_bits_as_jax_has_them() -> None:
    short = pytest.importorskip("ml_dtypes").bfloat16
    rows = np.array([[1, 0.5, 0, 0], [0, 1, 0, 2]], short)
    index = memspan.Index(DIM)
    index.add(user="ana", id="a", at=1, embedding=rows[0])
    index.add_many(user="ana", ids=["b"], ats=[2], embeddings=rows[1:])
    for id_, row in zip(("a", "b"), rows, strict=True):
        best = index.search(user="ana", embedding=row, k=1)[0]
        assert (best.id, best.score) == (id_, pytest.approx(1))
    with pytest.raises(memspan.EmbeddingError, match=r"^embedding: got 'an array of \|V2'"):
        index.add(user="ana", id="c", at=1, embedding=rows[0].view("V2"))


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(np.ones(DIM + 1, np.float32), id="too long"),
        pytest.param(np.ones((1, DIM), np.float32), id="two dimensions"),
        pytest.param(np.array([1, np.nan, 0, 0], np.float32), id="not finite"),
        pytest.param(np.array(["a"] * DIM), id="texts"),
    ],
)
def test_one_bad_embedding_refuses_the_batch(bad: np.ndarray) -> None:
    index = memspan.Index(DIM)
    with pytest.raises(memspan.EmbeddingError, match="embeddings"):
        index.add_many(user="ana", ids=["a", "b", "c"], ats=[1, 2, 3], embeddings=[ROWS[0], bad, ROWS[2]])
    assert len(index) == 0


def test_names_of_all_sorts(tmp_path: Path) -> None:
    """Whatever is valid UTF-8 comes back as it was given; nothing is trimmed, cut at a NUL or normalised."""
    names = [
        "nul",
        "nul\0byte",
        "nul\0",
        "\0",
        "é",
        "e\u0301",
        " ",
        " a",
        "with space",
        "日本語",
        "🎉",
        "../../etc/passwd",
        "'; DROP TABLE records; --",
        "a\nb",
        "A",
        "a",
        "x" * 512,
    ]
    index = memspan.Index(DIM)
    for name in names:
        index.add(user=name, id=name, at=0, text=name)
    index.save(tmp_path / "index.snapshot")
    for each in (index, memspan.Index.load(tmp_path / "index.snapshot")):
        assert each.users() == sorted(names)
        for name in names:
            assert each.ids(user=name) == [name]
            assert each.search(user=name).ids == [name]


def test_states_are_counted_and_saved(tmp_path: Path) -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="a", at=0, importance=0.5, pinned=True)
    index.add_many(
        user="ana",
        ids=["b", "c"],
        ats=[1, 2],
        importances=[None, 1],
        pins=[True, False],
        retired_ats=["2999-01-01", None],
        expires_ats=[None, datetime(2999, 1, 1)],
    )
    index.save(tmp_path / "index")
    for each in (index, memspan.Index.load(tmp_path / "index")):
        stats = each.stats(user="ana")
        assert (stats["pinned"], stats["retired"], stats["expiring"]) == (2, 1, 1)
    index.add(user="ana", id="b", at=1)
    stats = index.stats(user="ana")
    assert (stats["pinned"], stats["retired"], stats["expiring"]) == (1, 0, 1)
