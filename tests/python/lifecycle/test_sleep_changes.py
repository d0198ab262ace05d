"""Which changes of a sleep can be applied together."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan import Record
from memspan.lifecycle.sleep.changes import Change, joined, settled

START = datetime(2023, 5, 1, tzinfo=timezone.utc)


def fact(id_: str, text: str, day: int = 0) -> Record:
    return Record(id=id_, user="ana", kind="semantic", text=text, at=START + timedelta(days=day))


def test_a_memory_ends_once() -> None:
    a, b, c, d = (fact(name, name, day) for day, name in enumerate("abcd"))
    merge = Change(action="merge", ending=(a, b), text="ab")
    again = Change(action="merge", ending=(b, c), text="bc")
    by_ended = Change(action="retire", ending=(c,), evidence=(b,))
    fine = Change(action="retire", ending=(c,), evidence=(d,))
    left: list[Change] = []
    assert settled([fine, by_ended, again, merge], left.append) == [merge, fine]
    assert left == [again, by_ended] or left == [by_ended, again]


def test_a_chain_of_moves_ends_link_by_link() -> None:
    a, b, c = (fact(name, name, day) for day, name in enumerate("abc"))
    first = Change(action="retire", ending=(a,), evidence=(b,))
    second = Change(action="retire", ending=(b,), evidence=(c,))
    assert settled([second, first], lambda change: None) == [first, second]


def test_two_memories_of_one_moment_cannot_end_each_other() -> None:
    a, b = fact("a", "a"), fact("b", "b")
    one = Change(action="retire", ending=(a,), evidence=(b,))
    other = Change(action="retire", ending=(b,), evidence=(a,))
    assert settled([other, one], lambda change: None) == [one]
    a, b = fact("m9", "a"), fact("m10", "b")
    one = Change(action="retire", ending=(a,), evidence=(b,))
    other = Change(action="retire", ending=(b,), evidence=(a,))
    assert settled([other, one], lambda change: None) == [one], "m10 came later"


@PROFILE
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["merge", "update", "retire"]),
            st.lists(st.integers(0, 7), min_size=2, max_size=4, unique=True),
        ),
        max_size=12,
    )
)
def test_changes_that_go_together_touch_nothing_twice(wanted: list[tuple[str, list[int]]]) -> None:
    records = [fact(f"r{i}", f"tea {i}", i // 2) for i in range(8)]
    changes = []
    for action, numbers in wanted:
        first, *rest = sorted((records[n] for n in numbers), key=lambda one: one.at)
        ending = (first, *rest) if action == "merge" else (first,)
        evidence = () if action == "merge" else tuple(rest)
        text = None if action == "retire" else "tea"
        changes.append(Change(action=action, ending=ending, evidence=evidence, text=text))  # type: ignore[arg-type]
    left: list[Change] = []
    chosen = settled(changes, left.append)
    ended = [record.id for change in chosen for record in change.ending]
    assert len(ended) == len(set(ended))
    assert len(chosen) + len(left) == len(changes)
    assert bool(chosen) == bool(changes)


def test_two_updates_that_write_the_same_words_are_one() -> None:
    a, b, c, d, e = (fact(name, name, day) for day, name in enumerate("abcde"))
    first = Change(action="update", ending=(a,), evidence=(b, c), text="Ana lives in Rome.")
    second = Change(action="update", ending=(b,), evidence=(c, d), text="Ana lives in rome")
    other = Change(action="update", ending=(c,), evidence=(d,), text="Ana lived in Rome.")
    full = replace(e, sources=tuple(f"s{i}" for i in range(1022)))
    too_much = Change(action="update", ending=(full,), evidence=(d,), text="Ana lives in Rome.")
    both, *rest = joined([first, second, other, too_much])
    assert rest == [other, too_much]
    assert (both.ending, both.evidence, both.text) == ((a, b), (c, d), "Ana lives in Rome.")
    assert both.at == d.at
