"""What calls return is copied, pickled, shown, compared and hashed, or says by a `TypeError` that it is not."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import memspan
import memspan.llm
import memspan.ranking
import memspan.recall
import memspan.recipes
import memspan.vault
from memspan import Index, Memory
from memspan.ranking import default_ranker

MODULES = (memspan, memspan.llm, memspan.ranking, memspan.recall, memspan.recipes, memspan.vault)

KEY = b"k" * 32


def answers(path: Path) -> Iterator[Any]:
    """Of many calls."""
    index = Index(dim=4, auto_consolidate=False)
    for number in range(5):
        index.add(
            user="ana", id=f"m{number}", at=number, text="tea", embedding=[1, 0, 0, number], tags=["tea"]
        )
    query = memspan.Query(user="ana", text="tea", explain=True, fusion="learned", features=True)
    yield from (query, index.search_many([query]), index.duplicates(user="ana"), index.tags(user="ana"))
    yield from (index.consolidate(), index.layout_map(user="ana"), index.auto_consolidations())
    yield from (default_ranker(), default_ranker().ranking(), memspan.ranking.Selection())
    turns: list[Any] = [{"id": f"m{number}", "text": f"green tea {number}"} for number in range(4)]
    with Memory(path, "hash:16", recipe="simplemem") as memory:
        memory.add(turns, user="ana", session="s")
        yield from (memory.jobs(), memory.job_log(memory.jobs()[0].id))
        found = memory.search("when was the green tea?", user="ana", explain=True)
        yield from (found, memory.context("tea", user="ana"), memory.get(user="ana", id="m1"))
        memory.supersede(user="ana", id="m1", text="black tea")
        yield from (memory.history(user="ana", id="m1"), memory.audit(), memory.stats(), memory.usage())
        yield from (memory.tag(user="ana"), memory.tags(user="ana"), memory.learn_procedures(user="ana"))
        yield from (
            memory.consolidate(dry_run=True),
            memory.consolidate(),
            memory.compress(user="ana", ratio=0.5),
        )
        memory.set_quotas(memspan.Quotas(capacity=12))
        memory.set_quotas(memspan.Quotas(capacity=3, eviction="oldest"))
        yield from (memory.quotas(), memory.evicted(user="ana"), memory.runs(user="ana"))
        yield memory.undo(memory.runs(user="ana")[0].id, leave_changed=True)
        yield memory.forget_matching("tea", user="ana")
        memory.set_quotas(None)
        target = path.with_name("notes.txt")
        target.write_text("tea")
        memory.add_resource(target, user="ana", description="notes about tea")
        yield from (memory.resources(user="ana"), memory.check_resources(user="ana"))
        vault = memory.vault("ana", KEY)
        vault.put("the tea shop's door", "1234")
        yield from (vault.labels(), vault.rekey(key=b"n" * 32))
    recipe = memspan.recipes.recipe("lightmem")
    yield from (
        recipe,
        memspan.recipes.recipe("best"),
        memspan.StalenessPolicy(),
        memspan.Merging(),
        memspan.Mining(),
    )
    yield from (memspan.llm.Usage(), memspan.llm.Prices(prompt=1, completion=2), memspan.HeldError(1, 2))


def within(value: Any, seen: dict[type, Any]) -> None:
    """Note one value of each class of ours that lies in it."""
    if type(value).__module__.startswith("memspan"):
        seen.setdefault(type(value), value)
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            within(getattr(value, field.name), seen)
    elif isinstance(value, Mapping):
        for each in value.values():
            within(each, seen)
    elif isinstance(value, (list, tuple, memspan.Hits, memspan.Recalls)):
        for each in value:
            within(each, seen)


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[type, Any]:
    seen: dict[type, Any] = {}
    for answer in answers(tmp_path_factory.mktemp("values") / "m"):
        within(answer, seen)
    return seen


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def as_dictionary(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else None


@pytest.mark.parametrize("action", [copy.copy, copy.deepcopy, pickled, repr, hash, as_dictionary])
def test_it_works_or_is_refused(values: dict[type, Any], action: Callable[[Any], Any]) -> None:
    works = set()
    for kind, value in values.items():
        try:
            result = action(value)
        except TypeError:
            continue
        assert result is None or type(result) in (kind, str, int, dict)
        works.add(kind)
    refused = {kind.__name__ for kind in values.keys() - works}
    assert refused <= {
        copy.copy: set(),
        copy.deepcopy: set(),
        pickled: {"Hit", "Hits", "Query", "Ranker", "Ranking", "RankingNet"},
        repr: set(),
        as_dictionary: set(),
    }.get(action, {kind.__name__ for kind in values})


def test_each_equals_itself_and_what_is_equal_has_one_hash(values: dict[type, Any]) -> None:
    for kind, value in values.items():
        other = copy.deepcopy(value)
        assert value == copy.copy(value) or kind.__eq__ is object.__eq__
        if kind.__hash__ is not None and value == other:
            try:
                assert hash(value) == hash(other), kind
            except TypeError as error:
                assert "unhashable" in str(error)  # noqa: PT017 - of a field


def test_most_classes_of_results_were_looked_at(values: dict[type, Any]) -> None:
    """All but those that need a model, and a few that hold numbers and texts alone."""
    public = {getattr(module, name) for module in MODULES for name in module.__all__}
    results = {
        each
        for each in public
        if inspect.isclass(each) and (dataclasses.is_dataclass(each) or issubclass(each, tuple))
    }
    assert len(results & values.keys()) > 30
