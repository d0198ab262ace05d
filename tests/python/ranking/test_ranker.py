"""Tables of weights: what they accept, how they are kept in files, and what they give to a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import memspan
from memspan import errors
from memspan.query import Query
from memspan.ranking import CONDITIONS, FEATURES, Ranker, RankingNet, default_ranker
from memspan.ranking.net import UNITS
from memspan.ranking.ranker import FORMAT_VERSION
from memspan.recall import KINDS_OF_QUESTION

TABLE = {"always": {"cosine_z": 1.5, "named": -0.25}, "when": {"hinted": 2.0}, "timed": {"hinted": 0.5}}


def document(**changes: Any) -> dict[str, Any]:
    usual = {"format": "memspan ranker", "version": FORMAT_VERSION, "trained_on": ["here"], "weights": TABLE}
    return usual | changes


def a_net() -> RankingNet:
    rng = np.random.default_rng(5)
    size = len(FEATURES)
    return RankingNet(
        mean=np.zeros(size),
        scale=np.ones(size),
        weights=rng.normal(size=(size, UNITS)),
        bias=rng.normal(size=UNITS),
        out=rng.normal(size=UNITS),
    )


def scores(ranker: Ranker, conditions: Any = (), hints: Any = None) -> dict[str, float]:
    """What a search gives two records that differ in their time and their mark."""
    index = memspan.Index(4)
    index.add(user="ana", id="old", at=0, text="a boat")
    index.add(user="ana", id="new", at="2023-05-05", text="a boat?")
    ranking = ranker.ranking(conditions, hints)
    hits = index.search(user="ana", text="boat", fusion="learned", ranking=ranking)
    return {hit.id: round(hit.score, 4) for hit in hits}


def test_the_weights_that_are_not_0_are_listed() -> None:
    ranker = Ranker(TABLE | {"list": {"asks": 0.0}, "order": {}}, trained_on=["a", "b"])
    assert ranker.weights == TABLE
    assert ranker.trained_on == ("a", "b")
    assert "a" in repr(ranker)
    assert Ranker({}).weights == {}
    assert Ranker({"always": {"cosine": 1}}).weights == {"always": {"cosine": 1.0}}


def test_every_feature_and_condition_has_one_name() -> None:
    assert len(set(FEATURES)) == len(FEATURES)
    assert len(set(CONDITIONS)) == len(CONDITIONS)
    assert "always" not in CONDITIONS
    assert set(KINDS_OF_QUESTION) - set(CONDITIONS) == {"lookup"}
    full = {name: dict.fromkeys(FEATURES, 1.0) for name in ("always", *CONDITIONS)}
    assert Ranker(full).weights == full


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        (None, ["weights", "None"]),
        ([], ["weights"]),
        ({"sometimes": {}}, ["weights", "sometimes", "always"]),
        ({1: {}}, ["weights", "1"]),
        ({"always": 3}, ["weights[always]", "3"]),
        ({"when": {"cosines": 1.0}}, ["weights[when]", "cosines", "cosine_z"]),
        ({"always": {"cosine": "1"}}, ["weights[always][cosine]", "'1'"]),
        ({"always": {"cosine": True}}, ["weights[always][cosine]", "True"]),
        ({"always": {"cosine": None}}, ["weights[always][cosine]", "None"]),
        ({"always": {"cosine": float("nan")}}, ["weights[always][cosine]", "nan"]),
        ({"always": {"cosine": float("-inf")}}, ["weights[always][cosine]", "inf"]),
        ({"always": {"cosine": 10_001}}, ["weights[always][cosine]", "10001", "10000"]),
        ({"always": {"cosine": 10**400}}, ["weights[always][cosine]"]),
    ],
)
def test_bad_weights_are_refused_by_name(weights: Any, named: list[str]) -> None:
    with pytest.raises(errors.InvalidArgumentError) as raised:
        Ranker(weights)
    assert all(part in str(raised.value) for part in named), raised.value


def test_numbers_of_numpy_are_weights() -> None:
    ranker = Ranker({"always": {"cosine": np.float32(0.5), "named": np.int64(2)}})
    assert ranker.weights == {"always": {"cosine": 0.5, "named": 2.0}}


def test_bad_notes_are_refused() -> None:
    for notes in ("locomo", [1], 5):
        with pytest.raises(errors.InvalidArgumentError, match="trained_on"):
            Ranker({}, trained_on=notes)  # type: ignore[arg-type]


def test_the_largest_weights_give_finite_scores() -> None:
    ranker = Ranker({name: dict.fromkeys(FEATURES, 1e4) for name in ("always", *CONDITIONS)})
    assert all(np.isfinite(list(scores(ranker, CONDITIONS, ("2023-05-05", "2023-05-06")).values())))


def test_conditions_add_their_weights() -> None:
    ranker = Ranker({"always": {"asks": 1.0}, "when": {"asks": 2.0}, "timed": {"asks": -4.0}})
    assert scores(ranker) == {"new": 1.0, "old": 0.0}
    assert scores(ranker, ["when"]) == {"new": 3.0, "old": 0.0}
    assert scores(ranker, ["when", "timed"]) == {"old": 0.0, "new": -1.0}
    assert scores(ranker, ["list"]) == {"new": 1.0, "old": 0.0}


def test_hints_lift_the_times_they_name() -> None:
    ranker = Ranker({"always": {"hinted": 1.0}})
    assert scores(ranker) == {"new": 0.0, "old": 0.0}
    assert scores(ranker, hints=("2023-05-05", "2023-05-06")) == {"new": 1.0, "old": 0.0}
    assert scores(ranker, hints=[("2023-05-07", None), (None, "1960")]) == {"new": 0.5, "old": 0.0}
    with pytest.raises(errors.TimeError, match="hints"):
        ranker.ranking((), [])


def test_bad_conditions_and_hints_are_refused_by_name() -> None:
    ranker = Ranker(TABLE)
    with pytest.raises(errors.InvalidArgumentError, match=r"conditions\[1\].*always"):
        ranker.ranking(["when", "always"])  # type: ignore[list-item]
    with pytest.raises(errors.InvalidArgumentError, match="conditions"):
        ranker.ranking("when")  # type: ignore[arg-type]
    with pytest.raises(errors.TimeError, match="hints"):
        ranker.ranking((), "yesterday or so")
    with pytest.raises(errors.TimeError, match="hints"):
        scores(ranker, hints=[("2023-05-07", "2023-05-01")])


def test_nothing_that_a_ranker_gives_changes_it() -> None:
    table = {"always": {"asks": 1.0}}
    ranker = Ranker(table)
    table["always"]["asks"] = 5.0
    ranker.weights["always"]["asks"] = 7.0
    assert ranker.weights == {"always": {"asks": 1.0}}
    assert scores(ranker)["new"] == 1.0
    for name in ("weights", "trained_on"):
        with pytest.raises(AttributeError):
            setattr(ranker, name, {})
    with pytest.raises(AttributeError):
        ranker.more = 1  # type: ignore[attr-defined]


def test_a_saved_table_is_loaded_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = {
        name: dict(zip(FEATURES, rng.normal(size=len(FEATURES)) * 9, strict=True)) for name in CONDITIONS
    }
    ranker = Ranker(table, trained_on=["éclair.json", "b"])
    ranker.save(tmp_path / "r.json")
    loaded = Ranker.load(str(tmp_path / "r.json"))
    assert loaded.trained_on == ranker.trained_on
    for name, row in ranker.weights.items():
        assert loaded.weights[name] == pytest.approx(row, abs=1e-5)
    assert loaded.net is None
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "r.json").read_bytes()


def test_a_table_that_cannot_be_written_leaves_the_one_before(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "weights.json"
    Ranker({"always": {"cosine": 1.0}}).save(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))  # as on a full disk
    try:
        with pytest.raises(OSError, match="too large"):
            default_ranker().save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert Ranker.load(path).weights == {"always": {"cosine": 1.0}}
    assert list(tmp_path.iterdir()) == [path]


def test_a_net_is_saved_and_loaded_with_it(tmp_path: Path) -> None:
    ranker = Ranker(TABLE, net=a_net())
    ranker.save(tmp_path / "r.json")
    loaded = Ranker.load(tmp_path / "r.json")
    assert loaded.net is not None
    given = scores(ranker)
    assert given != scores(Ranker(TABLE))
    assert scores(loaded) == pytest.approx(given, abs=1e-3)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "r.json").read_bytes()


def test_tables_of_earlier_versions_are_read(tmp_path: Path) -> None:
    for version in (1, 2):
        (tmp_path / "r.json").write_text(json.dumps(document(version=version)))
        assert Ranker.load(tmp_path / "r.json").weights == TABLE


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b'{"format": "memspan ranker", "vers', "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[]", "no memspan ranker"),
        (b"null", "no memspan ranker"),
        (b'{"weights": {}}', "no memspan ranker"),
        (json.dumps(document(format="memspan plan")).encode(), "no memspan ranker"),
        (json.dumps(document(version=FORMAT_VERSION + 1)).encode(), f"version {FORMAT_VERSION + 1}"),
        (json.dumps(document(version="1")).encode(), "version '1'"),
        (json.dumps(document(version=None)).encode(), "version None"),
        (json.dumps(document(weights=[])).encode(), "weights"),
        (
            json.dumps({key: value for key, value in document().items() if key != "weights"}).encode(),
            "weights",
        ),
        (json.dumps(document(weights={"always": {"warmth": 1}})).encode(), "warmth"),
        (json.dumps(document(weights={"at night": {}})).encode(), "at night"),
        (json.dumps(document(weights={"always": {"cosine": 1e300}})).encode(), "cosine"),
        (json.dumps(document(weights={"always": {"cosine": 10**400}})).encode(), "cosine"),
        (json.dumps(document(weights={"always": {"cosine": 0}})).replace("0}", "NaN}").encode(), "nan"),
        (json.dumps(document(weights={"always": {"cosine": "1"}})).encode(), "cosine"),
        (json.dumps(document(trained_on=4)).encode(), "trained_on"),
        (json.dumps(document(net=[])).encode(), "net"),
        (json.dumps(document(net={"mean": [1.0]})).encode(), "net"),
        (json.dumps(document(net=a_net().to_dict() | {"weights": []})).encode(), "net[weights]"),
        (json.dumps(document(net=a_net().to_dict() | {"bias": [0.0]})).encode(), "net[bias]"),
        (b" " * (1 << 20) + b"{}", "no memspan ranker"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(errors.FormatError) as raised:
        Ranker.load(path)
    assert str(path) in str(raised.value)
    assert why in str(raised.value)


def test_damaged_files_never_load_as_something_odd(tmp_path: Path) -> None:
    Ranker(default_ranker().weights, net=a_net()).save(tmp_path / "r.json")
    good = (tmp_path / "r.json").read_bytes()
    rng = np.random.default_rng(11)
    for _ in range(400):
        bad = bytearray(good)
        for _ in range(rng.integers(1, 4)):
            bad[rng.integers(len(bad))] = rng.integers(256)
        (tmp_path / "bad.json").write_bytes(bad[: rng.integers(len(bad)) if rng.random() < 0.2 else None])
        try:
            loaded = Ranker.load(tmp_path / "bad.json")
        except errors.FormatError as error:
            assert "bad.json" in str(error)  # noqa: PT017
        else:
            assert set(loaded.weights) <= {"always", *CONDITIONS}


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        Ranker.load("/nowhere/at/all.json")


def test_the_package_has_a_ranker() -> None:
    ranker = default_ranker()
    assert ranker is default_ranker()
    assert ranker.weights["always"]
    assert ranker.net is not None
    assert "weights.json" not in repr(ranker)


def test_a_learned_search_without_weights_takes_the_packages() -> None:
    index = memspan.Index(4)
    for number in range(20):
        index.add(user="ana", id=str(number), at=number, text="boat " * (number % 3) + "sail", session="s")
    given = index.search(user="ana", text="boat", fusion="learned", ranking=default_ranker().ranking())
    plain = index.search(user="ana", text="boat", fusion="learned")
    assert plain.ids == given.ids
    assert plain.scores.tobytes() == given.scores.tobytes()


@pytest.mark.parametrize("ranking", ["learned", {}, default_ranker(), 5])
def test_what_is_no_ranking_is_refused(ranking: Any) -> None:
    index = memspan.Index(4)
    index.add(user="ana", id="1", at=0, text="boat")
    for call in (index.search, Query):
        with pytest.raises(errors.InvalidArgumentError, match="ranking"):
            call(user="ana", text="boat", fusion="learned", ranking=ranking)


@pytest.mark.parametrize("fusion", ["rrf", "union", "weighted", None])
def test_a_ranking_for_another_fusion_is_refused(fusion: str | None) -> None:
    index = memspan.Index(4)
    index.add(user="ana", id="1", at=0, text="boat")
    options: dict[str, Any] = {} if fusion is None else {"fusion": fusion}
    for call in (index.search, Query):
        with pytest.raises(errors.InvalidArgumentError, match="ranking"):
            call(user="ana", text="boat", ranking=default_ranker().ranking(), **options)


def test_features_are_for_learned_queries() -> None:
    index = memspan.Index(4)
    index.add(user="ana", id="1", at=0, text="boat")
    ids, rows = index.features(Query(user="ana", text="boat", fusion="learned"))
    assert ids == ["1"]
    assert rows.shape == (1, len(FEATURES))
    assert rows.dtype == np.float32
    ids, rows = index.features(Query(user="nobody", text="boat", fusion="learned"))
    assert (ids, rows.shape) == ([], (0, len(FEATURES)))
    with pytest.raises(errors.InvalidArgumentError, match="fusion"):
        index.features(Query(user="ana", text="boat"))
    with pytest.raises(errors.InvalidArgumentError, match="neighbors"):
        index.features(Query(user="ana", text="boat", fusion="learned", neighbors=1))


def test_names_are_the_users_own() -> None:
    index = memspan.Index(4)
    index.add(user="ana", id="1", at=0, text="x", speaker="Zoë", tags=["sea", "boat"])
    index.add(user="bob", id="1", at=0, text="x", speaker="Eve", tags=["hill"])
    assert index.names(user="ana") == (["Zoë"], ["boat", "sea"])
    assert index.names(user="nobody") == ([], [])


def test_many_threads_rank_as_one() -> None:
    """Users of different sizes on the same threads, whose memory is used again."""
    rng = np.random.default_rng(6)
    index = memspan.Index(4)
    for user, count in (("ana", 300), ("bo", 5), ("cy", 60)):
        for number in range(count):
            text = " ".join(rng.choice(("boat", "sail", "mast?", "isle"), size=rng.integers(5)))
            embedding = rng.normal(size=4).astype(np.float32) if number % 3 else None
            session, speaker = f"s{number // 9}", f"speaker{number % 20}"
            index.add(
                user=user,
                id=str(number),
                at=number,
                text=text,
                embedding=embedding,
                session=session,
                speaker=speaker,
            )
    queries = []
    for number in range(200):
        hints = (number, number + 20) if number % 2 else None
        queries.append(
            Query(
                user=("ana", "bo", "cy", "nobody")[number % 4],
                text=str(rng.choice(("boat", "mast isle", "speaker7 sail", "nothing"))),
                embedding=rng.normal(size=4).astype(np.float32) if number % 5 else None,
                fusion=("learned", "learned", "rrf")[number % 3],
                ranking=default_ranker().ranking((), hints) if number % 3 < 2 else None,
                k=1 + number % 30,
                explain=number % 7 == 0,
            )
        )
    together = index.search_many(queries, threads=4)
    alone = [index.search_many([query], threads=1)[0] for query in queries]
    assert [hits.ids for hits in together] == [hits.ids for hits in alone]
    assert [hits.scores.tobytes() for hits in together] == [hits.scores.tobytes() for hits in alone]
