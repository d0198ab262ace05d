"""The change sequence: what another handle can learn about a write, and what it cannot."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.sqlite import known_users
from memspan.store.traces import Chosen
from memspan.times import to_micros

Make = Callable[..., Record]


def test_sequence_grows_by_one_with_each_changing_transaction(store: SqliteStore, make_record: Make) -> None:
    assert store.sequence() == 0
    with store.writing() as writer:
        writer.put([make_record("m1"), make_record("m2", user="ben")])
        writer.relate("ana", "a", "b")
    assert store.sequence() == 1
    with store.writing() as writer:
        writer.set_meta("anything", "else")
        assert writer.remove("ana", ["unknown"]) == 0
        assert not writer.relate("ana", "a", "b")
        assert not writer.unrelate("ana", "b", "a")
    assert store.sequence() == 1


def test_what_was_learnt_since_comes_whole_whatever_the_ids(store: SqliteStore, make_record: Make) -> None:
    odd = ['"quoted"\\', "a\tb", "nul\0nul", "\u2028", "\U0001f600", "é", "'", "[1]"]
    with store.writing() as writer:
        writer.put([make_record("before"), make_record("other", user="ben")])
    last = store.sequence()
    records = [make_record(f"m{number}") for number in range(2500)] + [make_record(id_) for id_ in odd]
    with store.writing() as writer:
        writer.put([*records, make_record("fact", kind="semantic"), make_record("theirs", user="ben")])
    wanted = {record.id: to_micros(record.recorded_at, "recorded_at") for record in records}
    with store.reading() as reader:
        assert reader.learnt_after("ana", last, ["episodic"]) == wanted
        assert reader.learnt_after("ana", last, ["semantic", "vault"]).keys() == {"fact"}
        assert reader.learnt_after("ana", store.sequence(), ["episodic"]) == {}
        assert reader.learnt_after("nobody", 0, ["episodic"]) == {}


def test_a_writer_goes_on_from_what_it_knows_unless_another_one_wrote(
    path: Path, store: SqliteStore, make_record: Make
) -> None:
    """Keys of users, settings and the counter are kept from one transaction to the next."""
    other = SqliteStore(path)
    for turn in range(4):
        for handle in (store, store, other):
            with handle.writing() as writer:
                before = writer.sequence()
                assert writer.meta("last") == (None if before == 0 else f"{before}")
                writer.put([make_record(f"m{before}", user="ana"), make_record(f"m{before}", user="ben")])
                writer.set_meta("last", f"{before + 1}")
        with other.writing() as writer:
            writer.remove_user("ben")
            writer.set_meta("last", str(writer.sequence()))
        with store.reading() as reader:
            assert (reader.count("ana"), reader.count("ben")) == (3 * (turn + 1), 0)

    def write_and_stop() -> None:
        with store.writing() as writer:
            writer.put([make_record("lost", user="carl")])
            writer.set_meta("last", "lost")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_stop()
    with store.writing() as writer:
        assert writer.meta("last") == "16"
        writer.put([make_record("kept", user="carl")])
        assert writer.users() == ["ana", "carl"]
    assert store.sequence() == other.sequence() == 17
    assert store.check() == []
    other.close()


def test_an_exception_rolls_everything_back(store: SqliteStore, make_record: Make) -> None:
    def write_and_stop() -> None:
        with store.writing() as writer:
            writer.put([make_record("m1")])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    assert store.sequence() == 0
    with store.reading() as reader:
        assert reader.users() == []


def test_a_view_does_not_move(store: SqliteStore, make_record: Make) -> None:
    with store.reading() as before:
        assert before.count() == 0
        with store.writing() as writer:
            writer.put([make_record("m1")])
        assert before.count() == 0
        assert before.sequence() == 0
        with store.reading() as after:
            assert after.count() == 1


def test_keys_of_few_users_are_kept(
    store: SqliteStore, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store may have millions that each write once."""
    monkeypatch.setattr(known_users, "_MANY_USERS", 8)
    names = [f"user {number}" for number in range(50)]
    for name in names[:30]:
        with store.writing() as writer:
            writer.put([make_record("m1", user=name)])
    with store.writing() as writer:
        writer.put([make_record("m2", user=name) for name in names])
        assert len(writer._state.user_pks) <= 8
        assert writer.remove_user(names[3]) == 2
        writer.put([make_record("m3", user=names[3])])
    with store.reading() as reader:
        assert sorted(reader.users()) == sorted(names)
        assert [reader.count(name) for name in names] == [2] * 3 + [1] + [2] * 26 + [1] * 20


def test_changed_returns_each_record_once_by_its_last_change(store: SqliteStore, make_record: Make) -> None:
    for ids in (["m1", "m2", "m3"], ["m4"], ["m1"]):
        with store.writing() as writer:
            writer.put([make_record(id) for id in ids])
    with store.reading() as reader:
        assert [[record.id for record in page] for page in reader.changed(0, 2)] == [
            ["m2", "m3"],
            ["m4", "m1"],
        ]
        assert [record.id for page in reader.changed(2, 100) for record in page] == ["m1"]
        assert list(reader.changed(3, 100)) == []


def test_the_sequence_survives_the_removal_of_what_carried_it(
    path: Path, store: SqliteStore, make_record: Make
) -> None:
    """The last record tells the sequence; another handle, which does not know it, takes that record away."""
    with store.writing() as writer:
        writer.put([make_record("m1")])
    with store.writing() as writer:
        writer.put([make_record("m2"), make_record("m3")])
    other = SqliteStore(path)
    with other.writing() as writer:
        assert writer.remove("ana", ["m2", "m3"]) == 2
    assert store.sequence() == other.sequence() == 3
    with store.writing() as writer:
        writer.put([make_record("m4")])
    with other.writing() as writer:
        writer.remove_user("ana")
        writer.put([make_record("m5", user="ben")])
    assert store.sequence() == 5
    with store.reading() as reader:
        assert reader.removals(4).any_user_vanished
        assert [[record.id for record in page] for page in reader.changed(4, 9)] == [["m5"]]
        assert list(reader.changed(5, 9)) == []
    other.close()


def test_changed_finds_its_way_through_any_history(store: SqliteStore, make_record: Make) -> None:
    """Against a plain list: changes and removals at random leave gaps between the keys."""
    chance = random.Random(6)
    changed_at: dict[str, int] = {}
    for step in range(1, 60):
        with store.writing() as writer:
            if changed_at and chance.random() < 0.25:
                ids = chance.sample(sorted(changed_at), chance.randint(1, len(changed_at)))
                writer.remove("ana", ids)
                changed_at = {id_: at for id_, at in changed_at.items() if id_ not in ids}
            else:
                ids = chance.sample([f"m{i}" for i in range(80)], chance.randint(1, 30))
                writer.put([make_record(id_) for id_ in ids])
                changed_at |= dict.fromkeys(ids, step)
        assert store.sequence() == step
        with store.reading() as reader:
            for after in range(step + 1):
                found = [record.id for page in reader.changed(after, 7) for record in page]
                assert sorted(found) == sorted(id_ for id_, at in changed_at.items() if at > after)
                assert [changed_at[id_] for id_ in found] == sorted(changed_at[id_] for id_ in found)
    assert store.check() == []


def test_a_user_without_records_counts_as_a_change(path: Path, store: SqliteStore, make_record: Make) -> None:
    """What a transaction says of the sequence is what others read; they would take the number for another change."""
    with store.writing() as writer:
        writer.put([make_record("m1")])
    with store.writing() as writer:
        writer.lifetimes.set_lifetime("ben", "semantic", 60)
        said = writer.sequence()
    assert said == store.sequence() == 2
    other = SqliteStore(path)
    with other.writing() as writer:
        writer.put([make_record("m2")])
    assert other.sequence() == 3
    other.close()


def test_removals_say_where_and_not_what(store: SqliteStore, make_record: Make, path: Path) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1"), make_record("m2"), make_record("m3", user="ben")])
    with store.writing() as writer:
        assert writer.remove("ana", ["m1", "unknown"]) == 1
    with store.reading() as reader:
        assert reader.removals(1) == (False, ["ana"], [], [])
        assert reader.removals(2) == (False, [], [], [])
    with store.writing() as writer:
        assert writer.remove_user("ana") == 1
    with store.reading() as reader:
        assert reader.removals(2) == (True, [], [], [])


def test_a_user_that_comes_back_is_new(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
    with store.writing() as writer:
        writer.remove_user("ana")
    with store.writing() as writer:
        writer.put([make_record("m2")])
    with store.reading() as reader:
        assert reader.removals(1).created == ["ana"]
        assert reader.removals(1).any_user_vanished


def test_relations(store: SqliteStore) -> None:
    with store.writing() as writer:
        assert writer.relate("ana", "outdoors", "camping")
        assert not writer.relate("ana", "outdoors", "camping")
    with store.writing() as writer:
        assert writer.relate("ben", "a", "b")
    with store.reading() as reader:
        assert reader.relations("ana") == [("ana", "outdoors", "camping")]
        assert reader.relations(after=1) == [("ben", "a", "b")]
        assert reader.tags("ana") == {"outdoors", "camping"}
    with store.writing() as writer:
        assert writer.unrelate("ana", "outdoors", "camping")
    with store.reading() as reader:
        assert reader.removals(2) == (False, [], ["ana"], [])
    with store.writing() as writer:
        writer.remove_user("ana")
    with store.reading() as reader:
        assert reader.removals(2) == (True, [], [], [])
        assert reader._all("SELECT user_pk FROM removals") == [(0,)]


def test_derived_follows_chains_and_survives_loops(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put(
            [
                make_record("turn"),
                make_record("fact", sources=("turn", "other")),
                make_record("profile", sources=("fact",), provenance="sleep"),
                make_record("loop", sources=("loop", "profile")),
                make_record("alone"),
                make_record("fact-of-ben", user="ben", sources=("turn",)),
            ]
        )
    with store.reading() as reader:
        assert reader.derived("ana", ["turn"]) == {"fact", "profile", "loop"}
        assert reader.derived("ana", ["alone"]) == set()
        assert reader.traces.chosen("ana", Chosen(source="sleep")) == {"profile"}
        assert reader.traces.chosen("ana", Chosen(source="other")) == {"fact"}


def test_tags_and_users(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1", tags=("a", "b")), make_record("m2", user="ben", tags=("c",))])
        writer.relate("ana", "d", "e")
    with store.reading() as reader:
        assert reader.has_user("ana")
        assert not reader.has_user("eve")
        assert reader.tags("ana") == {"a", "b", "d", "e"}


def test_summary(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put(
            [
                make_record("m1", session="s1"),
                make_record("m2", session="s1", kind="vault"),
                make_record("m3", user="ben", session="s1"),
            ]
        )
    with store.reading() as reader:
        everything, ana, nobody = reader.extent(), reader.extent("ana"), reader.extent("nobody")
        states = reader.summary("nobody")
    assert (everything.kinds, everything.sessions) == ({"episodic": 2, "vault": 1}, 2)
    assert (sum(ana.kinds.values()), ana.sessions, ana.first) == (2, 1, 1_700_000_000_000_000)
    assert nobody == ({}, 0, None, None)
    assert states == dict.fromkeys(("retired", "versions", "held", "expiring", "secrets", "resources"), 0)
