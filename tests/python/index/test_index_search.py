"""Searching: views, filters, boosts, fusion, and what a hit says about itself, each by example."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from index_helpers import DAY, DIM, vector

import memspan


def test_each_view(index: memspan.Index) -> None:
    semantic = index.search(user="ana", embedding=vector(1))
    assert semantic.ids == ["camp", "tent", "job"]
    assert semantic[0].views["semantic"] == (1, pytest.approx(1.0))
    lexical = index.search(user="ana", text="the tent")
    assert lexical.ids[0] == "tent"
    assert set(lexical[0].views) == {"lexical"}
    symbolic = index.search(user="ana", tags=["outdoors"])
    assert symbolic.ids == ["camp", "tent"]
    assert symbolic[0].views["symbolic"] == (1, pytest.approx(1.0))
    assert symbolic[1].views["symbolic"] == (2, pytest.approx(0.5))


def test_the_views_that_have_a_query_are_asked(index: memspan.Index) -> None:
    hits = index.search(user="ana", text="camping", embedding=vector(1), tags=["lake"])
    assert hits[0].id == "camp"
    assert set(hits[0].views) == {"semantic", "lexical", "symbolic"}
    assert hits[0].score == pytest.approx(3 / 61, rel=1e-5)
    only = index.search(user="ana", text="camping", embedding=vector(1), views=["lexical"])
    assert only.ids == ["camp"]
    assert set(only[0].views) == {"lexical"}


def test_without_a_query_the_newest_are_listed(index: memspan.Index) -> None:
    hits = index.search(user="ana")
    assert hits.ids == index.latest(user="ana").ids
    assert hits.scores.tolist() == [0.0] * 3
    assert index.search(user="ana", views=["symbolic"], kinds=["semantic"]).ids == ["job"]


@pytest.mark.parametrize("towards", [1.0, -1.0])
def test_what_no_view_found_fills_up_and_never_stands_above(towards: float) -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="said", at=0, text="", embedding=towards * vector(1))
    index.add(user="ana", id="older", at=1, text="")
    index.add(user="ana", id="newer", at=2, text="")
    hits = index.search(user="ana", embedding=vector(1))
    assert hits.ids == ["said", "newer", "older"]
    assert hits.scores.tolist() == pytest.approx([towards, *[min(towards, 0.0)] * 2], abs=1e-6)
    assert [set(hit.views) for hit in hits] == [{"semantic"}, set(), set()]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"camp", "tent", "job"}),
        ({"between": ("2023-05-08", "2023-05-09")}, {"camp", "tent"}),
        ({"between": ("2023-05-08T13:56:00Z", "2023-05-08T13:57:00Z")}, {"camp"}),
        ({"between": [(None, "2023-05-08T13:57:00Z"), ("2023-06-01", None)]}, {"camp", "job"}),
        ({"kinds": ["semantic"]}, {"job"}),
        ({"kinds": ["vault"]}, {"pin"}),
        ({"kinds": ["vault", "episodic"]}, {"pin", "camp", "tent"}),
        ({"require_tags": ["camping"]}, {"camp", "tent"}),
        ({"require_tags": ["camping", "lake"]}, {"camp"}),
        ({"require_tags": ["outdoors"]}, set()),
        ({"require_tags": ["unheard_of"]}, set()),
        ({"where": {"price": {"$gte": 10}}}, {"camp"}),
        ({"where": {"price": {"$exists": False}}}, {"tent", "job"}),
        ({"exclude": ["camp", "nothing"]}, {"tent", "job"}),
        ({"as_of": "2023-05-08T13:59:59Z"}, set()),
        ({"as_of": "2023-06-01T12:00:00Z"}, {"camp"}),
        ({"as_of": "2023-06-02"}, {"camp", "job"}),
        ({"as_of": "9999-01-01"}, {"camp", "tent", "job"}),
        ({"valid_at": "2023-05-31"}, {"camp", "tent"}),
        ({"valid_at": "2023-06-01"}, {"camp", "tent", "job"}),
        ({"valid_at": "2024-01-01"}, {"camp", "tent"}),
        ({"kinds": ["episodic"], "exclude": ["camp"], "require_tags": ["camping"]}, {"tent"}),
    ],
)
def test_filters(index: memspan.Index, filters: dict[str, Any], expected: set[str]) -> None:
    """The same records are admitted whichever view looks; with a semantic view, all of them come."""
    assert set(index.search(user="ana", embedding=vector(1), **filters).ids) == expected
    assert set(index.search(user="ana", embedding=vector(1), exact=True, **filters).ids) == expected
    assert set(index.search(user="ana", **filters).ids) == expected
    found = index.search(user="ana", text="we the tent ana pin", tags=["camping", "secret"], **filters)
    assert set(found.ids) == expected


def test_k_come_back_whenever_k_exist() -> None:
    index = memspan.Index(DIM)
    for number in range(20):
        index.add(user="ana", id=f"m{number}", at=number, embedding=vector(1, number) if number < 5 else None)
    hits = index.search(user="ana", embedding=vector(1), k=8)
    assert hits.ids == ["m0", "m1", "m2", "m3", "m4", "m19", "m18", "m17"]
    assert hits.scores.tolist()[5:] == [0.0] * 3
    assert hits[5].views == {}
    assert len(index.search(user="ana", embedding=vector(1), k=10_000)) == 20


def test_ties_are_newer_first_and_of_one_time_the_later_id() -> None:
    index = memspan.Index(DIM)
    for key, at in (("d", 1), ("a", 1), ("c", 2), ("b", 1)):
        index.add(user="ana", id=key, at=at, text="same words", embedding=vector(1, 1), tags=["same"])
    for query in (
        {"text": "words"},
        {"embedding": vector(1)},
        {"tags": ["same"]},
        {"text": "words", "embedding": vector(1)},
    ):
        assert index.search(user="ana", **query).ids == ["c", "d", "b", "a"]
        assert index.search(user="ana", k=2, **query).ids == ["c", "d"]


def test_tags_boost_but_do_not_filter(index: memspan.Index) -> None:
    plain = index.search(user="ana", embedding=vector(0, 1))
    assert plain.ids == ["job", "tent", "camp"]
    boosted = index.search(user="ana", embedding=vector(0, 1), tags=["lake"])
    assert boosted.ids[0] == "camp"
    assert set(boosted.ids) == set(plain.ids)


def test_tag_depth(index: memspan.Index) -> None:
    index.add(user="ana", id="peg", at=0, tags=["tents"])
    reached = [index.search(user="ana", tags=["outdoors"], tag_depth=depth).ids for depth in (0, 1, 2)]
    assert reached == [[], ["camp", "tent"], ["camp", "tent", "peg"]]


def test_fusions(index: memspan.Index) -> None:
    query: dict[str, Any] = {"user": "ana", "text": "bakery", "embedding": vector(1), "k": 3}
    rrf = index.search(**query)
    assert rrf.ids == ["job", "camp", "tent"]
    assert rrf.scores.tolist() == pytest.approx([1 / 61 + 1 / 63, 1 / 61, 1 / 62])
    union = index.search(fusion="union", **query)
    assert union.ids == ["job", "camp", "tent"]
    assert union.scores.tolist() == pytest.approx([1, 1, 1 / 2])
    weighted = index.search(fusion="weighted", weights={"lexical": 0.25}, **query)
    assert weighted.ids == ["camp", "tent", "job"]
    assert weighted.scores.tolist() == pytest.approx([1, 0.5**0.5, 0.25])
    heavier = index.search(weights={"semantic": 3}, **query)
    assert heavier.scores.tolist() == pytest.approx([1 / 61 + 3 / 63, 3 / 61, 3 / 62])


def test_neighbors_of_a_hit_in_its_session() -> None:
    index = memspan.Index(DIM, analyzer="simple")
    for number, word in enumerate(("one", "two", "kite", "four", "five", "six")):
        index.add(user="ana", id=word, at=number * DAY, text=word, session="s1")
    index.add(user="ana", id="elsewhere", at=2 * DAY + 1, text="other", session="s2")
    index.add(user="ana", id="alone", at=2 * DAY + 2, text="other")
    assert index.search(user="ana", text="kite").ids == ["kite"]
    near = index.search(user="ana", text="kite", neighbors=1)
    assert near.ids == ["kite", "four", "two"]
    best = near[0].score
    assert near.scores.tolist() == pytest.approx([best, best / 2, best / 2])
    assert near[1].views == {}
    far = index.search(user="ana", text="kite", neighbors=2)
    assert far.ids == ["kite", "four", "two", "five", "one"]
    filtered = index.search(user="ana", text="kite", neighbors=2, exclude=["four"])
    assert filtered.ids == ["kite", "two", "five", "one"]


def test_depth_limits_the_candidates_of_each_view() -> None:
    index = memspan.Index(DIM, analyzer="simple")
    for number in range(5):
        text = "kite " + "word " * (5 - number)
        index.add(user="ana", id=f"m{number}", at=number, text=text, embedding=vector(1, number))
    query: dict[str, Any] = {"user": "ana", "text": "kite", "embedding": vector(1)}
    shallow = index.search(k=2, depth=2, **query)
    assert shallow.ids == ["m4", "m0"]
    assert [set(hit.views) for hit in shallow] == [{"lexical"}, {"semantic"}]
    assert [set(hit.views) for hit in index.search(k=2, **query)] == [{"semantic", "lexical"}] * 2


def test_one_view_alone_keeps_its_own_scores(index: memspan.Index) -> None:
    hits = index.search(user="ana", embedding=vector(1))
    assert hits.scores.tolist() == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-6)
    hits = index.search(user="ana", text="camping")
    assert hits[0].score == pytest.approx(hits[0].views["lexical"][1])


def test_explain(index: memspan.Index) -> None:
    plain = index.search(user="ana", text="camping", embedding=vector(1))
    assert plain.explanation is None
    assert plain[0].explanation is None
    hits = index.search(
        user="ana",
        text="camping",
        embedding=vector(1),
        tags=["outdoors"],
        between=("2023-05-08T13:57:00Z", None),
        exclude=["job"],
        explain=True,
    )
    assert hits.ids == ["tent"]
    assert hits.explanation is not None
    assert hits[0].explanation is not None
    told = repr((dict(hits.explanation), dict(hits[0].explanation)))
    for said in ("camping", "camp", "job", "exclude", "between", "vault"):
        assert said in told, f"{said} is missing in {told}"
    assert "'pin'" not in told, "the vault is closed even to an explanation"


def test_explaining_never_shows_another_users_records(index: memspan.Index) -> None:
    hits = index.search(user="ben", text="home", embedding=vector(0, 0, 1), explain=True, exclude=["camp"])
    assert "tent" not in repr((hits.explanation, list(hits)))


def test_query_takes_the_same_arguments(index: memspan.Index) -> None:
    queries = [
        memspan.Query(user="ana", text="camping"),
        memspan.Query(user="ben", embedding=vector(1), k=1),
        memspan.Query(user="nobody", text="camping"),
    ]
    assert [hits.ids for hits in index.search_many(queries)] == [["camp"], ["camp"], []]
    assert index.search_many([]) == []
    for pack in (tuple, iter):
        assert [hits.ids for hits in index.search_many(pack(queries))] == [["camp"], ["camp"], []]


def test_a_query_for_another_dimension(index: memspan.Index) -> None:
    query = memspan.Query(user="ana", embedding=[1.0] * (DIM + 1))
    with pytest.raises(memspan.EmbeddingError, match="embedding"):
        index.search_many([query])


@pytest.mark.parametrize("pack", [tuple, np.array, iter, set], ids=["tuple", "array", "iterator", "set"])
def test_lists_of_names_may_be_any_collection(index: memspan.Index, pack: Any) -> None:
    assert index.search(user="ana", require_tags=pack(["camping", "lake"])).ids == ["camp"]
    assert index.search(user="ana", tags=pack(["work", "lake"])).ids == ["job", "camp"]
    assert index.search(user="ana", exclude=pack(["camp", "job"])).ids == ["tent"]
    assert index.search(user="ana", kinds=pack(["semantic", "vault"])).ids == ["pin", "job"]
    assert index.expand(user="ana", tags=pack(["lake"])) == ["lake"]
    assert index.remove(user="ana", ids=pack(["camp", "job"])) == 2


def test_views_that_find_nothing_still_answer(index: memspan.Index) -> None:
    assert index.search(user="ana", text="zeppelin").ids == []
    assert index.search(user="ana", text="").ids == []
    assert index.search(user="ana", text="?!").ids == []
    assert index.search(user="ana", tags=["unheard_of"]).ids == []
    assert len(index.search(user="ana", text="zeppelin", embedding=vector(1))) == 3


def test_a_field_that_filters_ask_for_takes_a_number_a_record() -> None:
    index, count = memspan.Index(DIM), 6_401
    metadatas = [{"f": number % 97} for number in range(count)]
    index.add_many(
        user="ana", ids=[str(number) for number in range(count)], ats=range(count), metadatas=metadatas
    )
    before = index.stats(user="ana")["bytes"]
    for least in (3, 96):  # that of the first search is made by then
        index.search(user="ana", where={"f": {"$gt": least}}, k=5)
    assert 8 * count < index.stats(user="ana")["bytes"] - before < 8.5 * count


def test_a_query_shows_what_it_asks_for() -> None:
    assert repr(memspan.Query(user="ana")) == "Query(user='ana')"
    query = memspan.Query(
        user="a'b", text="boat", embedding=[1, 2, 3], tags=["Sea"], between=(1, 5), kinds=["vault"], where={"n": 1},
        require_tags=["t"], exclude=["x"], as_of=7, k=3, views=["lexical"], fusion="union", explain=True,
    )  # fmt: skip
    assert repr(query) == (
        "Query(user=\"a'b\", text='boat', embedding=<3 numbers>, tags=['Sea'], between=[(1, 5)], kinds=['vault'], "
        "require_tags=['t'], where={\"n\":1}, exclude=['x'], as_of=7, k=3, views=['lexical'], fusion='union', "
        "explain=True)"
    )
    open_ends = memspan.Query(user="ana", between=[(None, 1), (5, None)])
    assert repr(open_ends) == "Query(user='ana', between=[(None, 1), (5, None)])"


def test_an_explanation_shows_no_id_of_what_has_expired_whatever_else_excludes_it() -> None:
    index = memspan.Index(2)
    index.add(user="ana", id="gone", at="2024-01-01", embedding=[1, 0], expires_at="2024-02-01", tags=["a"])
    index.add(user="ana", id="old", at="2024-01-02", embedding=[1, 0], tags=["a"])
    index.add(user="ana", id="new", at="2024-05-01", embedding=[1, 0], tags=["b"])
    for name, given in {"between": ("2024-04-01", None), "require_tags": ["b"]}.items():
        query = {"user": "ana", "embedding": [1, 0], "explain": True, name: given}
        refusal = index.search(**query).explanation["excluded"][name]
        assert (refusal["count"], refusal["ids"]) == (2, ["old"])


def test_what_is_learnt_of_a_filtered_answer_does_not_depend_on_the_order_of_writing() -> None:
    random = np.random.default_rng(0)
    embeddings = random.standard_normal((8_000, 8))
    ats = np.arange(8_000) * 1_000_000_000
    indexes = []
    for order in (np.arange(8_000), random.permutation(8_000)):
        index = memspan.Index(8, auto_consolidate=False)
        retired = [1 if number == 5 else None for number in order]
        index.add_many(
            user="ana",
            ids=[f"m{number}" for number in order],
            ats=ats[order],
            embeddings=embeddings[order],
            retired_ats=retired,
            tags=[["rare"] if number % 20 == 0 else [] for number in order],
        )
        indexes.append(index)
    for number, embedding in enumerate(random.standard_normal((20, 8))):
        asked = {"user": "ana", "embedding": embedding, "require_tags": ["rare"] * (number % 2)}
        one, other = (index.search(**asked, fusion="learned", exact=True) for index in indexes)
        assert one.ids == other.ids
        assert one.scores == pytest.approx(other.scores, abs=1e-6)


def test_learned_answers_about_most_records_do_not_depend_on_the_order_of_writing() -> None:
    random = np.random.default_rng(0)
    count = 9000  # of which those that `where` admits are not counted before the search
    embeddings = random.standard_normal((count, 8)).astype(np.float32)
    kinds = random.integers(0, 3, count)
    indexes = []
    for order in (np.arange(count), random.permutation(count)):
        index = memspan.Index(8, auto_consolidate=False)
        index.add_many(
            user="ana",
            ids=[f"m{number}" for number in order],
            ats=order * 1_000_000_000,
            embeddings=embeddings[order],
            metadatas=[{"kind": int(kind)} for kind in kinds[order]],
        )
        indexes.append(index)
    for embedding in random.standard_normal((20, 8)):
        one, other = (
            index.search(user="ana", embedding=embedding, fusion="learned", where={"kind": {"$ne": 1}})
            for index in indexes
        )
        assert one.ids == other.ids
        assert one.scores == pytest.approx(other.scores, abs=1e-6)


def test_learned_answers_weigh_what_comes_in_turns_like_all_else() -> None:
    """Of a conversation, a sample at even distances meets one side only."""
    random = np.random.default_rng(0)
    count = 16_384
    index = memspan.Index(8, auto_consolidate=False)
    index.add_many(
        user="ana",
        ids=[f"m{number}" for number in range(count)],
        ats=np.arange(count),
        embeddings=random.standard_normal((count, 8)) + 1,
        kinds=["episodic", "semantic"] * (count // 2),
        metadatas=[{"role": "user"}, {"role": "assistant"}] * (count // 2),
    )
    filters: list[dict[str, Any]] = [{"kinds": ["episodic"]}, {"kinds": ["semantic"]}]
    for role in ("user", "assistant"):
        filters += [{"where": {"role": role}}, {"where": {"role": role}, "between": (0, count - 100)}]
    for given in filters:
        hits = index.search(user="ana", embedding=[1.0] * 8, fusion="learned", features=True, **given)
        found = hits.features[:, memspan.ranking.FEATURES.index("cosine_z")]  # ten of 8,192
        assert 1.2 < found.min() < found.max() < 2.5, (given, found)
