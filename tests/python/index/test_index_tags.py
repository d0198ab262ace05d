"""The tag hierarchy of a user."""

from __future__ import annotations

import pytest
from index_helpers import DIM, observe, vector

import memspan


def by_name(index: memspan.Index, user: str = "ana") -> dict[str, memspan.TagInfo]:
    return {tag.name: tag for tag in index.tags(user=user)}


def test_tags(index: memspan.Index) -> None:
    infos = by_name(index)
    assert list(infos) == ["camping", "lake", "outdoors", "secret", "tents", "work"]
    assert {name: info.records for name, info in infos.items() if info.records} == {
        "camping": 2,
        "lake": 1,
        "secret": 1,
        "work": 1,
    }
    assert list(infos["outdoors"].children) == ["camping", "lake"]
    assert list(infos["camping"].parents) == ["outdoors"]
    assert infos["outdoors"].specificity < infos["camping"].specificity < infos["tents"].specificity
    assert by_name(index, "ben") == {}


def test_expand_goes_down_breadth_first(index: memspan.Index) -> None:
    assert index.expand(user="ana", tags=["outdoors"], depth=0) == ["outdoors"]
    assert index.expand(user="ana", tags=["outdoors"]) == ["outdoors", "camping", "lake"]
    assert index.expand(user="ana", tags=["outdoors"], depth=2) == ["outdoors", "camping", "lake", "tents"]
    assert index.expand(user="ana", tags=["tents"], depth=9) == ["tents"]
    assert index.expand(user="ana", tags=["unheard_of"], depth=1) == []
    assert index.expand(user="ana", tags=[], depth=1) == []
    assert index.expand(user="ben", tags=["outdoors"], depth=2) == []


def test_relate_and_unrelate(index: memspan.Index) -> None:
    assert index.relate(user="ana", parent="outdoors", child="camping") is False
    assert index.unrelate(user="ana", parent="outdoors", child="camping") is True
    assert index.unrelate(user="ana", parent="outdoors", child="camping") is False
    assert index.expand(user="ana", tags=["outdoors"], depth=2) == ["outdoors", "lake"]
    assert index.unrelate(user="ana", parent="camping", child="tents") is True
    assert "tents" not in by_name(index), "nothing holds this tag any more"


@pytest.mark.parametrize(
    ("parent", "child", "path"),
    [
        ("tents", "outdoors", ["outdoors", "camping", "tents"]),
        ("camping", "outdoors", ["outdoors", "camping"]),
    ],
)
def test_a_cycle_is_refused_with_its_path(
    index: memspan.Index, parent: str, child: str, path: list[str]
) -> None:
    before = observe(index)
    with pytest.raises(memspan.TagCycleError) as caught:
        index.relate(user="ana", parent=parent, child=child)
    assert " -> ".join(path) in str(caught.value)
    assert observe(index) == before


def test_a_tag_is_not_its_own_parent(index: memspan.Index) -> None:
    before = observe(index)
    for tag in ("camping", "unheard_of"):
        with pytest.raises(memspan.TagCycleError, match=tag):
            index.relate(user="ana", parent=tag, child=tag)
    assert observe(index) == before


def test_the_hierarchy_of_one_user_is_not_that_of_another(index: memspan.Index) -> None:
    index.add(user="ben", id="m", at=0, tags=["tents", "outdoors"])
    assert index.relate(user="ben", parent="tents", child="outdoors") is True
    assert index.expand(user="ana", tags=["tents"]) == ["tents"]


def test_a_long_chain() -> None:
    index = memspan.Index(DIM)
    for number in range(2000):
        index.relate(user="ana", parent=f"t{number}", child=f"t{number + 1}")
    assert index.expand(user="ana", tags=["t0"], depth=1000) == [f"t{number}" for number in range(1001)]
    with pytest.raises(memspan.TagCycleError):
        index.relate(user="ana", parent="t2000", child="t0")
    levels = {tag.name: tag.specificity for tag in index.tags(user="ana")}
    assert all(levels[f"t{number}"] < levels[f"t{number + 1}"] for number in range(2000))


def test_rename(index: memspan.Index) -> None:
    assert index.rename_tag(user="ana", old="camping", new="camps") is True
    infos = by_name(index)
    assert "camping" not in infos
    assert (infos["camps"].records, list(infos["camps"].parents)) == (2, ["outdoors"])
    assert set(index.search(user="ana", require_tags=["camps"]).ids) == {"camp", "tent"}
    assert index.search(user="ana", require_tags=["camping"]).ids == []
    assert index.rename_tag(user="ana", old="camping", new="campsite") is False


def test_renaming_to_a_tag_that_exists_merges(index: memspan.Index) -> None:
    assert index.rename_tag(user="ana", old="camping", new="lake") is True
    infos = by_name(index)
    assert "camping" not in infos
    assert (infos["lake"].records, list(infos["lake"].children)) == (2, ["tents"])
    with pytest.raises(memspan.TagCycleError):
        index.relate(user="ana", parent="tents", child="lake")


def test_merge(index: memspan.Index) -> None:
    assert index.merge_tags(user="ana", tags=["camping", "lake", "camping"], into="trips") is True
    assert index.merge_tags(user="ana", tags=["camping", "lake"], into="trips") is False
    infos = by_name(index)
    assert set(infos) == {"outdoors", "secret", "tents", "trips", "work"}
    assert (infos["trips"].records, list(infos["trips"].parents), list(infos["trips"].children)) == (
        2,
        ["outdoors"],
        ["tents"],
    )
    assert set(index.search(user="ana", require_tags=["trips"]).ids) == {"camp", "tent"}


def test_merge_into_one_of_them(index: memspan.Index) -> None:
    index.merge_tags(user="ana", tags=["camping", "lake"], into="lake")
    assert by_name(index)["lake"].records == 2
    assert "camping" not in by_name(index)


@pytest.mark.parametrize("tags", [["middle", "bottom"], ["bottom", "middle"], ["bottom", "middle", "top"]])
def test_a_path_may_be_merged_as_a_whole(tags: list[str]) -> None:
    """Merging only its ends would close a cycle; in whichever order all of it is named, it does not."""
    index = memspan.Index(DIM)
    index.relate(user="ana", parent="top", child="middle")
    index.relate(user="ana", parent="middle", child="bottom")
    assert index.merge_tags(user="ana", tags=tags, into="top") is True
    assert by_name(index) == {}, "nothing holds this tag any more"


def test_a_merge_that_would_close_a_cycle_changes_nothing(index: memspan.Index) -> None:
    before = observe(index)
    with pytest.raises(memspan.TagCycleError):
        index.merge_tags(user="ana", tags=["outdoors"], into="tents")
    with pytest.raises(memspan.TagCycleError):
        index.merge_tags(user="ana", tags=["work", "outdoors"], into="tents")
    assert observe(index) == before


def test_drop(index: memspan.Index) -> None:
    assert index.drop_tags(user="ana", tags=["camping", "unheard_of"]) == 1
    assert set(by_name(index)) == {"lake", "outdoors", "secret", "work"}
    assert index.search(user="ana", require_tags=["camping"]).ids == []
    assert index.search(user="ana", text="camping").ids == ["camp"]


def test_tags_are_normalised() -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="m", at=0, tags=["  Camping Trip ", "camping_trip", "CAMPING TRIP"])
    assert [(tag.name, tag.records) for tag in index.tags(user="ana")] == [("camping_trip", 1)]
    assert index.search(user="ana", require_tags=["Camping Trip"]).ids == ["m"]
    assert index.search(user="ana", tags=["Camping  trip"]).ids == ["m"]
    assert index.relate(user="ana", parent="Out Doors", child="camping trip") is True
    assert index.expand(user="ana", tags=["out doors"]) == ["out_doors", "camping_trip"]


def test_a_tag_without_an_embedding_is_routed_by_its_records(index: memspan.Index) -> None:
    routes = dict(index.route(user="ana", embedding=vector(0, 1), k=10))
    assert routes["work"] == pytest.approx(1.0, abs=1e-6)
    assert "outdoors" not in routes, "neither an embedding nor records"
    assert routes["camping"] < routes["work"]
    index.set_tag_embedding(user="ana", tag="camping", embedding=vector(0, 2))
    assert dict(index.route(user="ana", embedding=vector(0, 1), k=10))["camping"] == pytest.approx(
        1.0, abs=1e-6
    )


def test_every_record_of_a_batch_keeps_its_own_tags() -> None:
    """Tags that fall together, users that take turns, records without any: each still has what was said of it."""
    index = memspan.Index(2)
    tags = [
        ["Sea", "sea", " SEA ", "Boat"],
        [],
        ["boat"],
        ["Hill", "hill"],
        ["a tag of more than fifteen letters", "x"],
    ]
    count = 40 * len(tags)
    index.add_many(
        users=[f"u{i % 3}" for i in range(count)],
        ids=[str(i) for i in range(count)],
        ats=list(range(count)),
        tags=[tags[i % len(tags)] for i in range(count)],
    )
    distinct = {"sea": {0}, "boat": {0, 2}, "hill": {3}, "a tag of more than fifteen letters": {4}, "x": {4}}
    for tag, kinds in distinct.items():
        for user in range(3):
            hits = index.search(user=f"u{user}", require_tags=[tag], k=count)
            assert {int(id) for id in hits.ids} == {
                i for i in range(count) if i % 3 == user and i % len(tags) in kinds
            }
