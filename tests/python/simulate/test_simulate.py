"""The simulator: its parts, its fairness, and that it runs over the native quotas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plain_keeper import PlainKeeper

from memspan.errors import InvalidArgumentError
from memspan.index import Index
from memspan.lifecycle.allocations import ALLOCATIONS
from memspan.lifecycle.quotas import Quotas
from memspan.lifecycle.staleness import StalenessPolicy
from memspan.simulate import (
    CLAIMS,
    EXPERIMENTS,
    READINGS,
    WORLDS,
    Condition,
    World,
    published,
    sensitivity,
    simulate,
)
from memspan.simulate.claims import verdicts
from memspan.simulate.keeping import NativeKeeper
from memspan.simulate.quality import WEIGHTS, decision_quality
from memspan.simulate.run import Outcome, run_condition
from memspan.simulate.tasks import draw_arrivals, draw_tasks

native = pytest.mark.skipif(not hasattr(Index, "set_quotas"), reason="the native quotas are not there yet")


def outcome_of(condition: Condition, world: World | None = None, trials: int = 3, **options: Any) -> Outcome:
    world = world or World()
    tasks = draw_tasks(world, 1, 9, trials, condition.steps)
    arrivals = draw_arrivals(world, condition, 1, 9, 0, trials)
    return run_condition(world, condition, tasks, arrivals, options.get("keeper", PlainKeeper))


def test_the_weights_of_quality_are_those_of_the_paper() -> None:
    assert WEIGHTS == {
        "alignment": 0.25,
        "fidelity": 0.20,
        "freshness": 0.25,
        "provenance": 0.15,
        "coverage": 0.15,
    }


def test_quality_of_a_decision_by_hand() -> None:
    found = decision_quality(
        np.array([[True, True, False], [False, False, False]]),
        kinds=np.array([[0, 1, 2], [0, 1, 2]]),
        primary=np.array([0, 0]),
        fidelity=np.full((2, 3), 0.8),
        true_staleness=np.array([[0.2, 0.4, 0.9]] * 2),
        provenance=np.full((2, 3), 0.6),
        scale=np.array([0.9, 0.9]),
    )
    by_hand = 0.25 * 0.5 + 0.20 * 0.8 + 0.25 * 0.7 + 0.15 * 0.6 + 0.15 * 2 / 3
    assert found == pytest.approx([0.9 * by_hand, 0.0])


def test_tasks_are_shared_and_memories_are_not() -> None:
    world = World()
    one, other = Condition(name="a", steps=30), Condition(name="b", steps=30)
    assert (draw_tasks(world, 1, 2, 3, 30).primary == draw_tasks(world, 1, 2, 3, 30).primary).all()
    assert (draw_tasks(world, 1, 2, 3, 30).primary != draw_tasks(world, 1, 3, 3, 30).primary).any()
    first, second = draw_arrivals(world, one, 1, 2, 0, 3), draw_arrivals(world, other, 1, 2, 1, 3)
    assert (first.importance != second.importance).all()
    assert (first.importance == draw_arrivals(world, one, 1, 2, 0, 3).importance).all()


def test_more_trials_do_not_change_the_first_ones() -> None:
    world, condition = World(), Condition(name="a", steps=20)
    few, many = (draw_arrivals(world, condition, 1, 2, 0, trials) for trials in (2, 5))
    assert (few.provenance == many.provenance[:2]).all()


def test_quotas_are_never_exceeded() -> None:
    condition = Condition(name="small", capacity=20, prunes=False)
    assert outcome_of(condition).size.max() <= 20


@pytest.mark.parametrize("name", ALLOCATIONS)
@pytest.mark.parametrize("capacity", [3, 7, 100, 500])
def test_an_agent_has_the_slots_that_quotas_would_give(name: str, capacity: int) -> None:
    slots = Condition(name="x", allocation=name, capacity=capacity).capacities(World())
    quotas = Quotas(capacity=capacity, shares=name).capacities
    assert slots == {kind: quotas[kind] for kind in slots}
    assert sum(slots.values()) == capacity


def test_the_papers_example_of_quotas() -> None:
    """3.2: "(40%, 35%, 25%) with capacity 500 reserves 200 episodic slots, 175 semantic, and 125 procedural"."""
    slots = Condition(name="x", allocation="balanced_episodic", capacity=500).capacities(World())
    assert slots == {"episodic": 200, "semantic": 175, "procedural": 125}


def test_the_allocations_are_those_of_the_package() -> None:
    tried = {one.name: one.shares for one in EXPERIMENTS["allocation"].conditions}
    assert tried == ALLOCATIONS
    assert list(tried) == list(published.ALLOCATION)


def test_unmanaged_memories_go_stale_and_are_believed_fresh() -> None:
    found = outcome_of(Condition(name="none", staleness=StalenessPolicy(name="none")))
    assert not found.tracked_staleness.any()
    assert found.true_staleness[:, -1].mean() == pytest.approx(0.93, abs=0.01)
    assert (np.diff(found.true_staleness.mean(axis=0)) > 0).all()
    assert found.size[0, -1] == 300


def test_decay_prunes_what_is_old() -> None:
    world = World()
    found = outcome_of(Condition(name="decay"), world)
    oldest = -np.log(1 - world.prune_above) / 0.05
    assert found.size.max() <= oldest + world.prune_every + 1
    assert np.allclose(found.true_staleness, found.tracked_staleness)


def test_validity_prunes_what_was_replaced_only() -> None:
    world = World(replaced=0.5, noticed=1.0)
    kept, pruned = (
        outcome_of(Condition(name=name, staleness=StalenessPolicy(name=name)), world)
        for name in ("none", "validity")
    )
    assert np.allclose(pruned.true_staleness, pruned.tracked_staleness)
    assert pruned.size[:, -1].max() < kept.size[:, -1].min()
    assert pruned.true_staleness[:, -1].max() < 0.2 < kept.true_staleness[:, -1].min()


def test_memories_that_nobody_replaces_stay_true() -> None:
    found = outcome_of(Condition(name="v"), World(replaced=0.0))
    assert not found.true_staleness.any()


@native
@pytest.mark.parametrize("eviction", ["oldest", "value"])
def test_the_native_quotas_keep_what_plain_python_keeps(eviction: str) -> None:
    condition = Condition(name="small", capacity=20, eviction=eviction, steps=120)
    plain, own = (outcome_of(condition, keeper=keeper) for keeper in (PlainKeeper, NativeKeeper))
    assert (plain.size == own.size).all()
    assert np.allclose(plain.quality, own.quality)


def test_the_same_seed_gives_the_same_figures() -> None:
    one, two, other = (
        simulate(("horizon",), trials=2, seed=seed, keeper=PlainKeeper)["horizon"] for seed in (5, 5, 6)
    )
    assert all((a.quality == b.quality).all() for a, b in zip(one, two, strict=True))
    assert any((a.quality != b.quality).any() for a, b in zip(one, other, strict=True))


def test_every_claim_names_an_experiment_and_is_judged() -> None:
    assert {claim.needs for claim in CLAIMS} <= set(EXPERIMENTS)
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)
    outcomes = simulate(trials=2, keeper=PlainKeeper)
    judged = verdicts(outcomes)
    assert set(judged) == {claim.name for claim in CLAIMS}
    for name in (
        "balanced",
        "no compression",
        "strategies",
        "ratio",
        "storage",
        "proportional",
        "unaware",
        "control",
        "baseline degrades",
        "pressure",
        "true staleness",
    ):
        assert judged[name].holds, name


def test_verdicts_leave_out_what_was_not_run() -> None:
    assert set(verdicts({})) == set()


def test_sensitivity_asks_in_every_world() -> None:
    worlds = {"as chosen": World(), "never prunes": WORLDS["never prunes"]}
    found = sensitivity(worlds=worlds, trials=2, keeper=PlainKeeper)
    assert set(found) == {claim.name for claim in CLAIMS}
    assert all(set(of_worlds) == set(worlds) for of_worlds in found.values())
    assert {name: verdict.holds for name, verdict in found["swings"].items()} == {
        "as chosen": True,
        "never prunes": False,
    }


def test_the_worlds_differ_from_the_chosen_one_in_one_thing() -> None:
    names = World.__slots__
    for name, world in WORLDS.items():
        changed = [field for field in names if getattr(world, field) != getattr(World(), field)]
        assert len(changed) == (0 if name == "as chosen" else 2 if world.multiplied else 1), name


def test_every_claim_that_fails_was_tried_in_other_readings() -> None:
    assert len(WORLDS) + len(READINGS) - 1 >= 3
    assert not set(WORLDS) & set(READINGS)
    for name, world in READINGS.items():
        changed = [field for field in World.__slots__ if getattr(world, field) != getattr(World(), field)]
        assert len(changed) >= 2, name


def test_two_steps_by_hand() -> None:
    """3.1, 3.3 and 3.5, line by line: two memories, both chosen."""
    world = World(hardness=0.5)
    condition = Condition(name="two", steps=2, compression="uniform", ratio=0.4)
    tasks, arrivals = draw_tasks(world, 1, 9, 2, 2), draw_arrivals(world, condition, 1, 9, 0, 2)
    found = run_condition(world, condition, tasks, arrivals, PlainKeeper)
    fresh = [[1.0], [math.exp(-0.05), 1.0]]
    for trial in range(2):
        for step in range(2):
            kinds = arrivals.kinds[trial, : step + 1].tolist()
            score = 0.25 * kinds.count(tasks.primary[trial, step]) / len(kinds)
            score += 0.20 * (0.6 + 0.4 * 0.4)
            score += 0.25 * sum(fresh[step]) / len(kinds)
            score += 0.15 * arrivals.provenance[trial, : step + 1].mean()
            score += 0.15 * len(set(kinds)) / 3
            assert found.quality[trial, step] == pytest.approx(score * tasks.scale[trial, step])
            assert found.true_staleness[trial, step] == pytest.approx(1 - sum(fresh[step]) / len(kinds))
    assert found.pressure == 0


def test_staleness_control_is_the_papers_where_nobody_manages() -> None:
    """A store of one memory a step has the mean freshness (1 - q^(t + 1)) / ((1 - q)(t + 1)) after step t."""
    found = outcome_of(Condition(name="none", staleness=StalenessPolicy(name="none"), prunes=False))
    q = math.exp(-0.05)
    means = [(1 - q ** (step + 1)) / ((1 - q) * (step + 1)) for step in range(200, 300)]
    assert found.control == pytest.approx(sum(means) / 100)
    assert found.control == pytest.approx(published.CONTROL["Baseline (No Mgmt)"], abs=0.002)


def test_who_decides_before_writing_first_rests_on_nothing() -> None:
    found = outcome_of(Condition(name="x", steps=3), World(decides_first=True))
    assert not found.quality[:, 0].any()
    assert found.quality[:, 1].all()
    assert found.size[0].tolist() == [1, 2, 3]


def test_what_a_condition_leaves_open_is_the_worlds() -> None:
    plain = outcome_of(Condition(name="x", steps=40), World(ratio=0.2, staleness="none"))
    said = outcome_of(Condition(name="x", steps=40, ratio=0.2, staleness=StalenessPolicy(name="none")))
    assert (plain.quality == said.quality).all()
    assert not plain.tracked_staleness.any()


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (World, {"demand": (0.5, 0.5, 0.5, 0.0, 0.0)}),
        (World, {"primary": (0, 1, 2, 3, 0)}),
        (World, {"per_step": 0}),
        (World, {"prune_above": 0}),
        (World, {"replaced": 1.5}),
        (World, {"eviction": "newest"}),
        (World, {"ratio": 0}),
        (World, {"staleness": "age"}),
        (World, {"arriving": (0.5, 0.5, 0.5)}),
        (World, {"capacity": 2}),
        (World, {"compression": "zip"}),
        (Condition, {"name": "x", "allocation": "half"}),
        (Condition, {"name": "x", "allocation": {"episodic": 0.5, "semantic": 0.5, "procedural": 0.5}}),
        (Condition, {"name": "x", "allocation": {"episodic": 1.0, "semantic": 0.0, "procedural": 0.0}}),
        (Condition, {"name": "x", "capacity": 0}),
        (Condition, {"name": "x", "ratio": 0}),
        (Condition, {"name": "x", "compression": "zip"}),
        (Condition, {"name": "x", "eviction": "newest"}),
    ],
)
def test_bad_settings_are_refused(kind: type, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        kind(**arguments)


def test_kinds_may_come_alike_whatever_is_reserved_for_them() -> None:
    """Then quotas alone make an allocation; else memories come in its shares, and quotas of 500 never fill."""
    condition = Condition(name="x", allocation="procedural_dominated", prunes=False)
    alike = World(arriving=(1 / 3, 1 / 3, 1 / 3), capacity=50)
    kinds = draw_arrivals(alike, condition, 1, 9, 0, 3).kinds
    assert np.bincount(kinds.ravel()) / kinds.size == pytest.approx([1 / 3] * 3, abs=0.05)
    own = draw_arrivals(World(), condition, 1, 9, 0, 3).kinds
    assert np.bincount(own.ravel()) / own.size == pytest.approx([0.1, 0.1, 0.8], abs=0.05)
    full, roomy = outcome_of(condition, alike), outcome_of(condition)
    assert (full.capacity, roomy.capacity) == (50, 500)
    assert full.evicted == pytest.approx(full.pressure)
    assert full.pressure == pytest.approx(250 / 300)
    assert not roomy.evicted.any()


def test_what_pruning_takes_quotas_need_not_evict() -> None:
    found = outcome_of(Condition(name="decay", capacity=60))
    assert 0 < found.evicted.max() < found.pressure == pytest.approx(0.8)
    assert (found.size[:, -1] < 300 * (1 - found.evicted)).all()


def test_the_order_of_allocations_comes_of_what_arrives_and_not_of_quotas() -> None:
    """Where kinds come alike, a tight quota keeps the newest of a kind, and newer is better here."""
    small = World(arriving=(1 / 3, 1 / 3, 1 / 3), capacity=50)
    judged = [
        verdicts(simulate(("allocation",), world=world, trials=4, keeper=PlainKeeper))["balanced"].holds
        for world in (World(), World(capacity=50), small)
    ]
    assert judged == [True, True, False]


def test_nothing_is_lost_without_compression() -> None:
    assert (outcome_of(Condition(name="none", compression="none", steps=5)).fidelity == 1).all()
    world = World(compression="none")
    assert (outcome_of(Condition(name="open", steps=5), world).fidelity == 1).all()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="names"):
        simulate(("everything",))
    with pytest.raises(InvalidArgumentError, match="trials"):
        simulate(("horizon",), trials=1)
    with pytest.raises(InvalidArgumentError, match="seed"):
        simulate(("horizon",), seed=-1)


def test_conditions_are_copies_of_one_another() -> None:
    assert replace(Condition(name="a", capacity=7), name="b").capacity == 7
