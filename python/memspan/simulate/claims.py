"""What the paper claims, each as a question to the outcomes of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from . import published
from .experiments import RATIOS
from .run import Outcome
from .statistics import anova, pairs

__all__ = ["CLAIMS", "Claim", "Verdict", "by_strategy", "verdicts"]

Outcomes: TypeAlias = Mapping[str, Sequence[Outcome]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim holds in our simulation, with the figures that decide."""

    holds: bool
    ours: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of the paper."""

    name: str
    section: str
    says: str
    paper: str
    """Its figures."""
    needs: str
    """The experiment."""
    judge: Callable[[Sequence[Outcome]], Verdict]
    size: bool = False
    """Whether it is about how large an effect is; else about an order, or about what must be so."""


def verdicts(outcomes: Outcomes) -> dict[str, Verdict]:
    """By claim, of those whose experiment was run."""
    return {claim.name: claim.judge(outcomes[claim.needs]) for claim in CLAIMS if claim.needs in outcomes}


def by_strategy(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Of the second experiment: mean quality at each target ratio."""
    found: dict[str, list[float]] = {}
    for outcome in outcomes:
        found.setdefault(str(outcome.condition.compression), []).append(_score(outcome))
    return found


def _score(outcome: Outcome) -> float:
    return float(outcome.scores.mean())


def _scores(outcomes: Sequence[Outcome]) -> dict[str, float]:
    return {outcome.condition.name: _score(outcome) for outcome in outcomes}


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


_BALANCED: Final = ("uniform", "balanced_episodic", "balanced_semantic", "optimized")
_DOMINATED: Final = ("episodic_dominated", "semantic_dominated", "procedural_dominated")


def _balanced_beats_dominated(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _scores(outcomes)
    worst, best = min(scores[name] for name in _BALANCED), max(scores[name] for name in _DOMINATED)
    return Verdict(worst > best, f"worst balanced {worst:.3f}, best dominated {best:.3f}")


def _balanced_episodic_best(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _scores(outcomes)
    best = max(scores, key=scores.__getitem__)
    # The paper has a tie of these two.
    return Verdict(best in ("balanced_episodic", "optimized"), f"{best} {scores[best]:.3f}")


def _procedural_worst(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _scores(outcomes)
    worst = min(scores, key=scores.__getitem__)
    return Verdict(worst == "procedural_dominated", f"{worst} {scores[worst]:.3f}")


def _allocation_gap(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _scores(outcomes)
    best = max(scores.values())
    gaps = [100 * (best - scores[name]) for name in _DOMINATED]
    return Verdict(
        min(gaps) >= 1.5 and max(gaps) <= 5.5, " / ".join(f"{gap:.1f}" for gap in gaps) + " points"
    )


def _none_best(outcomes: Sequence[Outcome]) -> Verdict:
    means = {name: float(np.mean(values)) for name, values in by_strategy(outcomes).items()}
    return Verdict(max(means, key=means.__getitem__) == "none", _listed(means))


def _order_of_strategies(outcomes: Sequence[Outcome]) -> Verdict:
    means = {name: float(np.mean(values)) for name, values in by_strategy(outcomes).items()}
    return Verdict(means["uniform"] > means["adaptive"] > means["hierarchical"], _listed(means))


def _losses(outcomes: Sequence[Outcome]) -> Verdict:
    means = {name: float(np.mean(values)) for name, values in by_strategy(outcomes).items()}
    ours = [100 * (means["none"] - means[name]) for name in ("uniform", "adaptive", "hierarchical")]
    paper = [
        100 * (published.COMPRESSION["none"] - published.COMPRESSION[name])
        for name in ("uniform", "adaptive", "hierarchical")
    ]
    near = all(theirs / 2 <= own <= 1.5 * theirs for own, theirs in zip(ours, paper, strict=True))
    return Verdict(near, " / ".join(f"{loss:.1f}" for loss in ours) + " points")


def _ratio_counts(outcomes: Sequence[Outcome]) -> Verdict:
    curves = by_strategy(outcomes)
    rising = all(
        all(np.diff(values) > 0) for name, values in curves.items() if name != "none" and len(values) > 1
    )
    at = f"uniform at {RATIOS[0]:g}: {curves['uniform'][0]:.3f}, at {RATIOS[-1]:g}: {curves['uniform'][-1]:.3f}"
    return Verdict(rising, at)


def _of_strategy(outcomes: Sequence[Outcome], value: Callable[[Outcome], float]) -> dict[str, float]:
    """Means over the ratios swept."""
    return {
        name: float(
            np.mean([value(outcome) for outcome in outcomes if outcome.condition.compression == name])
        )
        for name in by_strategy(outcomes)
    }


def _storage(outcomes: Sequence[Outcome]) -> Verdict:
    stored = _of_strategy(outcomes, lambda outcome: float(outcome.stored.mean()))
    least = max(stored["adaptive"], stored["hierarchical"]) < min(stored["uniform"], stored["none"])
    return Verdict(least, _listed(stored))


def _proportional(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _of_strategy(outcomes, _score)
    lost = _of_strategy(outcomes, lambda outcome: 1 - float(outcome.fidelity.mean()))
    each = {name: (scores["none"] - scores[name]) / lost[name] for name in scores if name != "none"}
    mean = float(np.mean(list(each.values())))
    near = all(abs(value / mean - 1) <= 0.25 for value in each.values())
    return Verdict(near, _listed(each) + " of quality for 1 of fidelity")


def _decay_best_at_end(outcomes: Sequence[Outcome]) -> Verdict:
    ends = {outcome.condition.name: outcome.at_end for outcome in outcomes}
    return Verdict(max(ends, key=ends.__getitem__) == "decay", _listed(ends))


def _none_worst_at_end(outcomes: Sequence[Outcome]) -> Verdict:
    ends = {outcome.condition.name: outcome.at_end for outcome in outcomes}
    return Verdict(min(ends, key=ends.__getitem__) == "none", f"none {ends['none']:.3f}")


def _end_gap(outcomes: Sequence[Outcome]) -> Verdict:
    ends = {outcome.condition.name: outcome.at_end for outcome in outcomes}
    gap = 100 * (ends["decay"] - ends["none"])
    return Verdict(3.2 <= gap <= 9.6, f"{gap:.1f} points")


def _none_rises_first(outcomes: Sequence[Outcome]) -> Verdict:
    none = next(outcome for outcome in outcomes if outcome.condition.name == "none")
    begins = float(none.quality[:, 0].mean())
    ends = none.at_end
    return Verdict(begins < ends, f"first step {begins:.3f}, end {ends:.3f}")


def _staleness_reached(outcomes: Sequence[Outcome]) -> Verdict:
    none = next(outcome for outcome in outcomes if outcome.condition.name == "none")
    reached = float(none.true_staleness[:, -1].mean())
    return Verdict(abs(reached - published.NONE_STALENESS) <= 0.01, f"{reached:.3f}")


def _staleness_swings(outcomes: Sequence[Outcome]) -> Verdict:
    decay = next(outcome for outcome in outcomes if outcome.condition.name == "decay")
    late = decay.true_staleness.mean(axis=0)[100:]
    low, high = float(late.min()), float(late.max())
    from_, to = published.DECAY_STALENESS
    return Verdict(from_ - 0.03 <= low and high <= to + 0.03, f"{low:.2f}-{high:.2f}")


def _clear_after_100(outcomes: Sequence[Outcome]) -> Verdict:
    named = {outcome.condition.name: outcome.quality.mean(axis=0) for outcome in outcomes}
    lead = named["decay"] - named["none"]
    early, late = float(lead[:40].mean()), float(lead[100:].mean())
    return Verdict(
        late > 0.02 and early < late / 2,
        f"first 40 steps {100 * early:+.1f}, after 100 {100 * late:+.1f} points",
    )


def _unaware(outcomes: Sequence[Outcome]) -> Verdict:
    none = next(outcome for outcome in outcomes if outcome.condition.name == "none")
    grows = bool((np.diff(none.true_staleness.mean(axis=0)) > 0).all())
    tracked = float(none.tracked_staleness.max())
    return Verdict(
        tracked == 0 and grows,
        f"tracked at most {tracked:g}, true staleness {'grows at every step' if grows else 'does not always grow'}",
    )


def _control(outcomes: Sequence[Outcome]) -> Verdict:
    found = {outcome.condition.name: outcome.control for outcome in outcomes}
    near = all(theirs / 2 <= found[name] <= 1.5 * theirs for name, theirs in published.CONTROL.items())
    return Verdict(near, ", ".join(f"{name} {found[name]:.3f}" for name in published.CONTROL))


def _baseline_degrades(outcomes: Sequence[Outcome]) -> Verdict:
    baseline = next(outcome for outcome in outcomes if outcome.condition.name == "Baseline (No Mgmt)")
    mean, end = _score(baseline), baseline.at_end
    return Verdict(end < mean, f"mean {mean:.3f}, end {end:.3f}")


def _baseline_best(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _scores(outcomes)
    best = max(scores, key=scores.__getitem__)
    return Verdict(best == "Baseline (No Mgmt)", _listed(scores))


def _order_of_agents(outcomes: Sequence[Outcome]) -> Verdict:
    scores = _scores(outcomes)
    managed = [name for name in published.SCORES if name != "Baseline (No Mgmt)"]
    return Verdict(
        sorted(managed, key=lambda name: -scores[name])[0] == "Episodic + Uniform",
        ", ".join(sorted(managed, key=lambda name: -scores[name])),
    )


def _significant(outcomes: Sequence[Outcome]) -> Verdict:
    found = anova(outcomes)
    return Verdict(found.p < 1e-6, f"F = {found.f:.1f}, p = {found.p:.1e}")


def _pairs_differ(outcomes: Sequence[Outcome]) -> Verdict:
    same = [f"{pair.first} / {pair.second}" for pair in pairs(outcomes) if pair.p >= 0.05]
    count = len(outcomes) * (len(outcomes) - 1) // 2
    return Verdict(
        len(same) <= 1,
        f"{count - len(same)} of {count} differ" + (f"; not {', '.join(same)}" if same else ""),
    )


def _pressure(outcomes: Sequence[Outcome]) -> Verdict:
    found = {outcome.capacity: outcome.pressure for outcome in outcomes}
    near = all(abs(found[slots] - value) < 0.01 for slots, value in published.PRESSURE.items())
    return Verdict(near, ", ".join(f"{found[slots]:.2f} at {slots}" for slots in published.PRESSURE))


def _capacity_indifferent(outcomes: Sequence[Outcome]) -> Verdict:
    found = {outcome.capacity: _score(outcome) for outcome in outcomes}
    large = [value for slots, value in found.items() if slots >= 100]
    spread = 100 * (max(large) - min(large))
    return Verdict(spread <= 0.5, f"{spread:.1f} points between 100 and 1,000 slots")


def _small_capacity(outcomes: Sequence[Outcome]) -> Verdict:
    found = {outcome.capacity: _score(outcome) for outcome in outcomes}
    loss = 100 * (found[1000] - found[50])
    return Verdict(-0.2 <= loss <= 1, f"{loss:+.1f} points")


def _horizon(outcomes: Sequence[Outcome]) -> Verdict:
    found = {outcome.condition.steps: _score(outcome) for outcome in outcomes}
    steps = sorted(found)
    loss = 100 * (found[steps[0]] - found[steps[-1]])
    return Verdict(
        0.2 <= loss <= 3, f"{found[steps[0]]:.3f} at {steps[0]}, {found[steps[-1]]:.3f} at {steps[-1]}"
    )


CLAIMS: Final = (
    Claim("balanced", "4.1", "Balanced allocations beat those that one kind dominates", ".590-.594 against .544-.574",
          "allocation", _balanced_beats_dominated),
    Claim("best allocation", "4.1", "40/35/25 (or 38/37/25) is best", ".594", "allocation",
          _balanced_episodic_best),
    Claim("worst allocation", "4.1", "Procedural-dominated is worst", ".544", "allocation", _procedural_worst),
    Claim("allocation gap", "4.1", "Dominated ones lose 2-5 points", "2.2 / 2.0 / 5.0 points", "allocation",
          _allocation_gap, True),
    Claim("no compression", "4.2", "No compression is best", ".665", "compression", _none_best),
    Claim("strategies", "4.2", "Uniform before adaptive before hierarchical", ".632, .610, .607", "compression",
          _order_of_strategies),
    Claim("compression losses", "4.2", "They lose 3.3, 5.5 and 5.8 points (half to one and a half times that)",
          "3.3 / 5.5 / 5.8 points", "compression", _losses, True),
    Claim("ratio", "4.2", "Quality rises with the target ratio", "figure", "compression", _ratio_counts),
    Claim("storage", "4.2", "Adaptive and hierarchical take up least", "figure", "compression", _storage),
    Claim("proportional", "5", "What they lose is proportional to the fidelity lost (within a quarter)", "no figure",
          "compression", _proportional, True),
    Claim("decay best", "4.3", "Decay is best at the end of the horizon", ".626", "staleness", _decay_best_at_end),
    Claim("none worst", "4.3", "Without management it is worst there", ".562", "staleness", _none_worst_at_end),
    Claim("staleness gap", "4.3", "Decay leads by 6.4 points there (half to one and a half times that)", "6.4 points",
          "staleness", _end_gap, True),
    Claim("none rises", "4.3", "Without management it begins lower than it ends", ".522, .562", "staleness",
          _none_rises_first),
    Claim("true staleness", "4.3", "Unmanaged memories reach a true staleness of .927", ".927", "staleness",
          _staleness_reached, True),
    Claim("swings", "4.3", "Under decay it swings between .55 and .70", ".55-.70", "staleness",
          _staleness_swings, True),
    Claim("after 100", "5", "Decay's lead becomes clear after about 100 steps", "figure", "staleness",
          _clear_after_100),
    Claim("unaware", "4.3", "Without management nothing is tracked while true staleness grows steadily", "0",
          "staleness", _unaware),
    Claim("baseline best", "4.4", "The unmanaged baseline has the highest score of six agents", ".605 against .574",
          "agents", _baseline_best),
    Claim("best managed", "4.4", "Episodic + Uniform leads the managed agents", ".574", "agents", _order_of_agents),
    Claim("control", "4.4", "Staleness control is .082 without management and .323 with it (half to one and a half "
          "times that)", ".082, .323", "agents", _control, True),
    Claim("baseline degrades", "5", "The unmanaged baseline degrades with time", "no figure", "agents",
          _baseline_degrades),
    Claim("anova", "4.4", "The agents differ (one-way ANOVA)", "F = 191.77, p < 1e-6", "agents", _significant, True),
    Claim("pairs", "4.4", "All pairs but one differ at p < .05", "14 of 15", "agents", _pairs_differ),
    Claim("pressure", "4.5", "Memory pressure is .83 at 50 slots and .67 at 100", ".83, .67", "capacity",
          _pressure, True),
    Claim("capacity", "4.5", "Beyond 100 slots capacity makes no difference", "0.0 points", "capacity",
          _capacity_indifferent, True),
    Claim("small capacity", "4.5", "50 slots lose next to nothing", "0.1 points", "capacity", _small_capacity, True),
    Claim("horizon", "4.5", "Quality falls a little with the horizon", ".638 at 50, .630 at 500", "horizon",
          _horizon, True),
)  # fmt: skip
