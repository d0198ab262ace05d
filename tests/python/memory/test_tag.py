"""`Memory.tag`: what it writes, what it leaves alone, and what other calls make of it."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tagged_talk import SAID, talk

from memspan import errors
from memspan.memory import Memory
from memspan.records import Record
from memspan.remember.tagging import tagging
from memspan.store.sqlite.reader import SqliteReader

Open = Callable[..., Memory]


def tags_of(memory: Memory, user: str = "ana") -> dict[str, tuple[str, ...]]:
    return {recall.id: recall.record.tags for recall in memory.latest(user=user, k=1000)}


def state(memory: Memory) -> Any:
    with memory._engine.store.reading() as reader:
        return (
            sorted(
                (record.user, record.id, record.tags) for page in reader.scan(None, 99) for record in page
            ),
            sorted(reader.relations()),
            sorted(reader.made_relations()),
            {user: reader.made_tags(user) for user in reader.users()},
        )


@pytest.fixture
def talked(memory: Memory) -> Memory:
    memory.add(talk(), user="ana", at="2024-01-01")
    return memory


def test_records_get_tags_and_tags_relations(talked: Memory) -> None:
    report = talked.tag("ana")
    assert report.users == 1
    assert report.records == 6
    assert report.changed == 6
    known = {tag.name: tag for tag in talked.tags(user="ana")}
    assert report.tags == len(known)
    assert report.relations == sum(len(tag.children) for tag in known.values()) > 0
    assert "pottery_class" in known["pottery"].children
    assert "bergen" in tags_of(talked)["m2"]
    assert talked.verify() == []
    found = talked.search("clay", user="ana", require_tags=["Pottery Class"])
    assert {recall.id for recall in found} == {"m0", "m1"}


def test_a_second_call_changes_nothing(talked: Memory) -> None:
    first = talked.tag("ana")
    before, sequence = state(talked), talked._engine.store.sequence()
    assert talked.tag() == first._replace(changed=0)
    assert state(talked) == before
    assert talked._engine.store.sequence() == sequence


def test_what_is_no_longer_apt_goes(talked: Memory) -> None:
    talked.tag("ana")
    assert "kiln" in tags_of(talked)["m4"]
    talked.forget(user="ana", id="m1")
    talked.tag("ana")
    assert "kiln" not in {tag.name for tag in talked.tags(user="ana")}
    assert talked.verify() == []


def test_given_tags_and_relations_stay(memory: Memory) -> None:
    memory.add(talk(tags=["mine", "harbour"]), user="ana", at="2024-01-01")
    memory.relate(user="ana", parent="mine", child="harbour")
    memory.tag("ana")
    assert all(tags[:2] == ("mine", "harbour") for tags in tags_of(memory).values())
    with memory._engine.store.reading() as reader:
        made = reader.made_tags("ana")
        assert all("harbour" not in tags for tags in made.values())
    memory.untag("ana")
    assert set(tags_of(memory).values()) == {("mine", "harbour")}
    assert {tag.name: tag.parents for tag in memory.tags(user="ana")} == {"harbour": ("mine",), "mine": ()}
    assert memory.verify() == []


def test_untag_takes_back_all_that_was_made(talked: Memory) -> None:
    before = state(talked)
    talked.tag("ana")
    assert talked.untag().changed == 6
    assert state(talked) == before
    assert talked.tags(user="ana") == []
    assert talked.untag("ana").changed == 0


def test_a_given_relation_goes_before_made_ones(talked: Memory) -> None:
    talked.tag("ana")
    assert "pottery_class" in {tag.name: tag for tag in talked.tags(user="ana")}["pottery"].children
    assert talked.relate(user="ana", parent="pottery_class", child="pottery")
    for _ in range(2):
        known = {tag.name: tag for tag in talked.tags(user="ana")}
        assert known["pottery"].parents == ("pottery_class",)
        assert "pottery_class" not in known["pottery"].children
        assert talked.verify() == []
        talked.tag("ana")
    with pytest.raises(errors.TagCycleError):
        talked.relate(user="ana", parent="pottery", child="pottery_class")
    assert talked.verify() == []


def test_a_made_relation_that_is_given_as_well_stays(talked: Memory) -> None:
    talked.tag("ana")
    assert not talked.relate(user="ana", parent="pottery", child="pottery_class"), "it is there"
    talked.untag("ana")
    assert [tag.name for tag in talked.tags(user="ana")] == ["pottery", "pottery_class"]


def test_adding_the_same_again_keeps_the_made_tags(talked: Memory) -> None:
    talked.tag("ana")
    before = state(talked)
    talked.add(talk(), user="ana", at="2024-01-01")
    assert state(talked) == before
    talked.add({"id": "m0", "text": "Something else", "at": "2024-01-01"}, user="ana")
    assert tags_of(talked)["m0"] == ()
    assert talked.verify() == []


def test_a_made_tag_that_is_given_later_stays(talked: Memory) -> None:
    talked.tag("ana")
    message = {**talk()[0], "at": "2024-01-01", "tags": ["harbour"]}
    talked.add(message, user="ana")
    talked.tag("ana")
    assert tags_of(talked)["m0"][0] == "harbour"
    talked.untag("ana")
    assert tags_of(talked)["m0"] == ("harbour",)


def test_users_are_tagged_apart(memory: Memory) -> None:
    memory.add(talk()[:1], user="ana", at="2024-01-01")
    memory.add(talk()[1:2], user="ben", at="2024-01-01")
    report = memory.tag()
    assert (report.users, report.changed) == (2, 0), "neither has a phrase twice"
    memory.add(talk("n"), user="ben", at="2024-01-02")
    memory.tag("ana")
    assert memory.tags(user="ana") == memory.tags(user="ben") == []
    memory.tag("ben")
    assert memory.tags(user="ana") == []
    assert memory.tags(user="ben")


def test_the_vault_gives_and_gets_nothing(memory: Memory) -> None:
    memory.add(talk(kind="vault"), user="ana", at="2024-01-01")
    assert memory.tag("ana").records == 0
    assert memory.tags(user="ana") == []
    memory.add(talk("n"), user="ana", at="2024-01-02")
    memory.tag("ana")
    memory.add(talk("n", kind="vault"), user="ana", at="2024-01-02")
    memory.tag("ana")
    assert memory.tags(user="ana") == []
    assert memory.verify() == []


def test_nobody_and_nothing(memory: Memory) -> None:
    assert memory.tag() == memory.untag() == (0, 0, 0, 0, 0)
    assert memory.tag("nobody").records == 0
    assert memory.users() == []
    assert memory.tags(user="nobody") == []
    memory.add({"text": "", "images": ["a boat"]}, user="ana")
    assert memory.tag("ana").tags == 0
    for bad in (7, "", "x" * 600):
        with pytest.raises(errors.InvalidArgumentError):
            memory.tag(bad)  # type: ignore[arg-type]
        with pytest.raises(errors.InvalidArgumentError):
            memory.tags(user=bad)  # type: ignore[arg-type]


def test_a_record_that_is_full_of_tags_gets_no_more(memory: Memory) -> None:
    given = [f"t{i}" for i in range(63)]
    memory.add(talk(tags=given), user="ana", at="2024-01-01")
    memory.tag("ana")
    assert max(map(len, tags_of(memory).values())) == 64
    assert all(tags[:63] == tuple(given) for tags in tags_of(memory).values())


def test_other_handles_see_it(open_memory: Open) -> None:
    first, second = open_memory(), open_memory()
    first.add(talk(), user="ana", at="2024-01-01")
    assert second.tags(user="ana") == []
    first.tag("ana")
    assert second.tags(user="ana") == first.tags(user="ana") != []
    assert second.verify() == []
    first.untag("ana")
    assert second.tags(user="ana") == []
    assert second.verify() == []


def test_it_is_there_after_opening_again(open_memory: Open) -> None:
    memory = open_memory()
    memory.add(talk(), user="ana", at="2024-01-01")
    memory.tag("ana")
    before = state(memory), memory.tags(user="ana")
    memory.close()
    memory = open_memory()
    assert (state(memory), memory.tags(user="ana")) == before
    assert memory.tag("ana").changed == 0


def test_an_interrupted_call_is_made_good_by_the_next(
    open_memory: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, whole = open_memory(), open_memory(tmp_path / "whole.memspan")
    for each in (memory, whole):
        each.add(talk(), user="ana", at="2024-01-01")
    whole.tag("ana")
    monkeypatch.setattr(tagging, "_BATCH", 1)
    write, calls = tagging._write, []

    def fail(*arguments: Any) -> int:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return write(*arguments)

    monkeypatch.setattr(tagging, "_write", fail)
    with pytest.raises(KeyboardInterrupt):
        memory.tag("ana")
    assert sum(bool(tags) for tags in tags_of(memory).values()) == 3
    assert memory.verify() == []
    assert memory.tag("ana").changed == 3
    assert state(memory) == state(whole)
    assert memory.verify() == []


def test_records_that_change_meanwhile_keep_what_they_have(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = open_memory(), open_memory()
    memory.add(talk(), user="ana", at="2024-01-01")
    make = tagging.tag_turns

    def meanwhile(*arguments: Any) -> Any:
        found = make(*arguments)
        other.add({"id": "m0", "text": "A secret", "at": "2024-01-01"}, user="ana")
        other.forget(user="ana", id="m1")
        return found

    monkeypatch.setattr(tagging, "tag_turns", meanwhile)
    memory.tag("ana")
    assert tags_of(memory)["m0"] == ()
    assert "m1" not in tags_of(memory)
    assert memory.verify() == []


def test_a_user_that_is_forgotten_meanwhile_stays_so(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = open_memory(), open_memory()
    memory.add(talk(), user="ana", at="2024-01-01")
    make = tagging.tag_turns

    def meanwhile(*arguments: Any) -> Any:
        found = make(*arguments)
        other.forget(user="ana")
        return found

    monkeypatch.setattr(tagging, "tag_turns", meanwhile)
    memory.tag("ana")
    assert memory.users() == []
    assert memory.verify() == []


def test_the_export_has_only_what_was_given(memory: Memory, open_memory: Open, tmp_path: Path) -> None:
    memory.add([*talk()[:5], {**talk()[5], "tags": ["mine"]}], user="ana", at="2024-01-01")
    memory.relate(user="ana", parent="ours", child="mine")
    before = io.StringIO()
    memory.export("ana", before)
    memory.tag("ana")
    after = io.StringIO()
    memory.export(None, after)

    def by_id(lines: str) -> Any:
        return sorted(json.dumps(json.loads(line), sort_keys=True) for line in lines.splitlines())

    assert by_id(before.getvalue()) == by_id(after.getvalue())
    copy = open_memory(tmp_path / "copy.memspan")
    copy.load(io.StringIO(after.getvalue()))
    copy.tag("ana")
    assert state(copy) == state(memory)


def test_reembedding_keeps_them(talked: Memory) -> None:
    talked.tag("ana")
    before = state(talked)
    talked.reembed("hash:16")
    assert state(talked) == before


def test_complete_records_replace_with_their_own_tags(memory: Memory) -> None:
    memory.add(talk(), user="ana", at="2024-01-01")
    memory.tag("ana")
    record = memory.get(user="ana", id="m0")
    assert isinstance(record, Record)
    assert record.tags
    memory.add_records([record])
    memory.untag("ana")
    assert tags_of(memory)["m0"] == record.tags, "now a caller gave them"


def test_the_bound_and_the_asynchronous_forms(talked: Memory) -> None:
    import asyncio

    ana = talked.user("ana")
    report = asyncio.run(ana.atag())
    assert report.changed == 6
    assert asyncio.run(talked.atags(user="ana")) == ana.tags()
    assert asyncio.run(talked.auntag()).changed == 6


@pytest.mark.parametrize("seed", range(6))
def test_whatever_comes_between(open_memory: Open, tmp_path: Path, seed: int) -> None:
    """Random changes through two handles; the given tags and relations are kept beside, by hand."""
    chance = random.Random(seed)
    handles = [open_memory(), open_memory()]
    names = ["harbour", "kiln", "mine", "ours", "pottery", "bergen"]
    given: dict[str, tuple[str, ...]] = {}
    ever: dict[str, set[str]] = {}  # versions keep theirs
    texts: dict[str, str] = {}
    edges: set[tuple[str, str]] = set()
    for step in range(60):
        memory = chance.choice(handles)
        match chance.choice(["add", "add", "tag", "tag", "untag", "relate", "unrelate", "forget"]):
            case "add":
                id_ = f"m{chance.randrange(20)}"
                given[id_] = tuple(chance.sample(names, chance.randrange(3)))
                ever.setdefault(id_, set()).update(given[id_])
                texts[id_] = chance.choice(SAID)
                memory.add(
                    {"id": id_, "text": texts[id_], "tags": given[id_], "at": step}, user="ana", session="s"
                )
            case "tag":
                memory.tag("ana")
                assert memory.tag().changed == 0
            case "untag":
                memory.untag()
            case "relate":
                parent, child = chance.sample(names, 2)
                try:
                    memory.relate(user="ana", parent=parent, child=child)
                    edges.add((parent, child))
                except errors.TagCycleError:
                    assert _leads(edges, child, parent), "only given relations are in the way"
            case "unrelate" if edges:
                edge = chance.choice(sorted(edges))
                assert memory.unrelate(user="ana", parent=edge[0], child=edge[1])
                edges.remove(edge)
            case "forget" if given:
                id_ = chance.choice(sorted(given))
                memory.untag("ana")  # so that a tag that only this record was given goes with its relations
                memory.forget(user="ana", id=id_)
                given.pop(id_)
                lost = ever.pop(id_).difference(*ever.values())
                edges = {edge for edge in edges if not lost & set(edge)}
        for each in handles:
            assert {id_: tags[: len(given[id_])] for id_, tags in tags_of(each).items()} == given
            assert each.verify() == []
    handles[0].untag("ana")
    assert tags_of(handles[1]) == given
    known = {tag.name: tag for tag in handles[1].tags(user="ana")}
    assert {(parent, name) for name, tag in known.items() for parent in tag.parents} == edges


def _leads(edges: set[tuple[str, str]], start: str, end: str) -> bool:
    reached, waiting = {start}, [start]
    while waiting:
        tag = waiting.pop()
        for parent, child in edges:
            if parent == tag and child not in reached:
                reached.add(child)
                waiting.append(child)
    return end in reached


def test_routed_tags_lift_records(talked: Memory) -> None:
    def found(**options: Any) -> list[tuple[str, float]]:
        return [
            (recall.id, recall.score)
            for recall in talked.search("pottery", user="ana", k=6, fusion="rrf", **options)
        ]

    plain = talked.search("pottery", user="ana", k=6, fusion="rrf")
    assert found(route=5) == found(), "there are no tags yet"
    talked.tag("ana")
    assert found(route=5) != found()
    routed = talked.search("pottery", user="ana", k=6, fusion="rrf", route=5, explain=True)
    assert {recall.id for recall in routed} == {recall.id for recall in plain}
    assert any("symbolic" in recall.views for recall in routed)
    ranked = talked.search("pottery", user="ana", fusion="rrf")
    assert all("symbolic" not in recall.views for recall in ranked)
    # The plan of a learned search finds the tag by its name.
    planned = talked.search("pottery", user="ana")
    assert planned.plan is not None
    assert "pottery" in planned.plan.tags
    assert any("symbolic" in recall.views for recall in planned)
    only = talked.search("pottery", user="ana", route=5, views=["lexical"])
    assert only
    assert all(set(recall.views) == {"lexical"} for recall in only)
    for bad in (-1, 1001, "5", 1.5):
        with pytest.raises(errors.InvalidArgumentError, match="route"):
            talked.search("pottery", user="ana", route=bad)  # type: ignore[arg-type]


def test_untag_reads_no_vectors(talked: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """To make tags, those of the whole user are kept in memory: gigabytes of a large one."""
    talked.tag("ana")
    fetched = []
    scan = SqliteReader.scan

    def counted(self: SqliteReader, user: str | None, batch: int, *, embeddings: bool = False) -> Any:
        for page in scan(self, user, batch, embeddings=embeddings):
            fetched.extend(record.embedding for record in page)
            yield page

    monkeypatch.setattr(SqliteReader, "scan", counted)
    report = talked.untag("ana")
    assert report.changed == 6
    assert report.records == len(fetched) == 6
    assert not any(vector is not None for vector in fetched)
