"""Tags in their normal form, and relations without cycles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan import _core
from memspan.encode.tags.tag_names import GENERIC, Hierarchy, tag_name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Marathon Training", "marathon_training"),
        ("marathon-training", "marathon_training"),
        (" #camping! ", "camping"),
        ("'italian_cuisine'", "italian_cuisine"),
        ("__new__job__", "new_job"),
        ("C++", "c++"),
        ("c#", "c#"),
        ("LGBTQ+", "lgbtq+"),
        ("Běžky", "běžky"),
        ("日本旅行", "日本旅行"),
        ("web3", "web3"),
        ("one two three", "one_two_three"),
    ],
)
def test_names_are_brought_to_one_form(written: str, name: str) -> None:
    assert tag_name(written) == name
    assert tag_name(name) == name


@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        "#",
        "...",
        "2023",
        "chat",
        "Conversation",
        "CONVERSATIONS",
        "small talk",
        "Other",
        "one two three four",
        "x" * 2000,
        "\x00",
    ],
)
def test_what_is_no_tag_is_refused(written: str) -> None:
    assert tag_name(written) is None


@PROFILE
@given(st.text(max_size=40))
def test_a_name_is_in_the_form_of_the_core(written: str) -> None:
    name = tag_name(written)

    if name is not None:
        assert _core.normalize_tag(name) == name
        assert name not in GENERIC


def test_a_relation_that_closes_a_cycle_is_refused() -> None:
    hierarchy = Hierarchy()

    assert hierarchy.add("sport", "running")
    assert hierarchy.add("running", "marathon")
    assert hierarchy.add("sport", "running"), "it is there already"
    assert not hierarchy.add("marathon", "sport")
    assert not hierarchy.add("running", "running")
    assert hierarchy.relations == (("sport", "running"), ("running", "marathon"))


@PROFILE
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=25))
def test_relations_have_an_order(relations: list[tuple[str, str]]) -> None:
    hierarchy = Hierarchy()
    hierarchy.add_all(relations)

    left = set(hierarchy.relations)
    assert left <= set(relations)
    while left:
        roots = {parent for parent, _ in left} - {child for _, child in left}
        assert roots, "a cycle"
        left = {edge for edge in left if edge[0] not in roots}
