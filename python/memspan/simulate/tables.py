"""The outcomes of a simulation as rows, with the paper's figures beside ours where it gives any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from . import published
from .claims import CLAIMS, Verdict, by_strategy, verdicts
from .experiments import EXPERIMENTS, RATIOS
from .run import CONTROL_STEPS, END_STEPS, Outcome
from .statistics import anova, interval, pairs

__all__ = ["Table", "claims_table", "pairs_table", "readings_table", "sensitivity_table", "tables"]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells that are text already."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """As a page has it."""
        lines = [f"## {self.title}", ""]
        lines += [f"| {' | '.join(self.columns)} |", "|" + "---|" * len(self.columns)]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join([*lines, *(["", self.note] if self.note else [])])


def tables(outcomes: Mapping[str, Sequence[Outcome]]) -> list[Table]:
    """One for each experiment that was run, then the tests of the agents, then the claims."""
    makers = {
        "allocation": _allocation,
        "compression": _compression,
        "staleness": _staleness,
        "agents": _agents,
        "capacity": _capacity,
        "horizon": _horizon,
        "validity": _staleness,
    }
    found = [makers[name](EXPERIMENTS[name].title, outcomes[name]) for name in outcomes]
    if "agents" in outcomes:
        found.append(pairs_table(outcomes["agents"]))
    judged = claims_table(outcomes)
    return [*found, judged] if judged.rows else found


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _with_interval(outcome: Outcome) -> str:
    low, high = interval(outcome)
    return f"{outcome.scores.mean():.3f} [{low:.3f}, {high:.3f}]"


def _allocation(title: str, outcomes: Sequence[Outcome]) -> Table:
    rows = tuple(
        (
            outcome.condition.name,
            " / ".join(f"{share:.2f}" for share in outcome.condition.shares.values()),
            _with_interval(outcome),
            _number(published.ALLOCATION.get(outcome.condition.name)),
            _number(float(outcome.evicted.mean()), 2),
        )
        for outcome in outcomes
    )
    return Table(title, ("allocation", "ep. / sem. / proc.", "quality [95 %]", "paper", "evicted"), rows)


def _compression(title: str, outcomes: Sequence[Outcome]) -> Table:
    curves = by_strategy(outcomes)
    kept = {name: [o for o in outcomes if o.condition.compression == name] for name in curves}
    rows = tuple(
        (
            name,
            *(_number(value) for value in values),
            _number(float(np.mean(values))),
            _number(published.COMPRESSION.get(name)),
            _number(float(np.mean([outcome.fidelity.mean() for outcome in kept[name]]))),
            _number(float(np.mean([outcome.stored.mean() for outcome in kept[name]]))),
        )
        for name, values in curves.items()
    )
    columns = ("strategy", *(f"r* = {ratio:g}" for ratio in RATIOS), "mean", "paper", "fidelity", "stored")
    return Table(title, columns, rows)


def _staleness(title: str, outcomes: Sequence[Outcome]) -> Table:
    rows = tuple(
        (
            outcome.condition.name,
            _number(float(outcome.quality[:, 0].mean())),
            _number(float(outcome.quality.mean())),
            _number(outcome.at_end),
            _number(published.STALENESS.get(outcome.condition.name)) if "figure 3" in title else "",
            _number(float(outcome.true_staleness[:, -1].mean())),
            _number(float(outcome.tracked_staleness[:, -1].mean())),
            f"{outcome.size[:, -1].mean():.0f}",
        )
        for outcome in outcomes
    )
    columns = (
        "policy",
        "first step",
        "mean",
        f"last {END_STEPS} steps",
        "paper, end",
        "true",
        "tracked",
        "memories",
    )
    return Table(title, columns, rows, "Staleness and memories are those of the last step.")


def _agents(title: str, outcomes: Sequence[Outcome]) -> Table:
    rows = tuple(
        (
            outcome.condition.name,
            _with_interval(outcome),
            _paper_agent(outcome.condition.name),
            _number(outcome.control),
            _number(published.CONTROL.get(outcome.condition.name)),
        )
        for outcome in outcomes
    )
    test = anova(outcomes)
    note = (
        f"One-way ANOVA: F = {test.f:.2f}, p = {test.p:.1e} (paper: F = {published.ANOVA_F}, p < 1e-6). "
        f"Staleness control is over the last {CONTROL_STEPS} steps."
    )
    columns = ("agent", "quality [95 %]", "paper", "staleness control", "paper")
    return Table(title, columns, rows, note)


def _paper_agent(name: str) -> str:
    if name not in published.SCORES:
        return ""
    low, high = published.INTERVALS[name]
    return f"{published.SCORES[name]:.3f} [{low:.3f}, {high:.3f}]"


def _capacity(title: str, outcomes: Sequence[Outcome]) -> Table:
    rows = tuple(
        (
            f"{outcome.capacity:,}",
            _with_interval(outcome),
            _number(published.CAPACITY.get(outcome.capacity)),
            _number(outcome.pressure, 2),
            _number(published.PRESSURE.get(outcome.capacity), 2),
            _number(float(outcome.evicted.mean()), 2),
        )
        for outcome in outcomes
    )
    return Table(title, ("slots", "quality [95 %]", "paper", "pressure", "paper", "evicted"), rows)


def _horizon(title: str, outcomes: Sequence[Outcome]) -> Table:
    rows = tuple(
        (
            f"{outcome.condition.steps:,}",
            _with_interval(outcome),
            _number(published.HORIZON.get(outcome.condition.steps)),
        )
        for outcome in outcomes
    )
    return Table(title, ("steps", "quality [95 %]", "paper"), rows)


def pairs_table(outcomes: Sequence[Outcome]) -> Table:
    """Every two agents."""
    rows = tuple(
        (
            pair.first,
            pair.second,
            f"{pair.difference:+.3f}",
            f"{pair.effect:+.1f}",
            f"{pair.p:.1e}",
            f"{pair.corrected:.1e}",
        )
        for pair in pairs(outcomes)
    )
    columns = ("agent", "and agent", "difference", "Cohen's d", "p (Welch)", "p (Holm)")
    return Table("Pairs of agents", columns, rows)


def claims_table(outcomes: Mapping[str, Sequence[Outcome]]) -> Table:
    """What the paper claims, and what we find."""
    judged = verdicts(outcomes)
    rows = tuple(
        (
            claim.section,
            claim.says,
            "size" if claim.size else "order",
            claim.paper,
            judged[claim.name].ours,
            _yes(judged[claim.name].holds),
        )
        for claim in CLAIMS
        if claim.name in judged
    )
    return Table("The paper's claims", ("section", "claim", "of", "paper", "ours", "holds"), rows)


def sensitivity_table(found: Mapping[str, Mapping[str, Verdict]]) -> Table:
    """In how many worlds a claim holds, and which change the verdict."""
    rows = []
    for claim in CLAIMS:
        worlds = found[claim.name]
        usual = next(iter(worlds.values())).holds
        held = [verdict.holds for verdict in worlds.values()]
        other = [_short(name) for name, verdict in worlds.items() if verdict.holds != usual]
        rows.append((claim.says, _yes(usual), f"{sum(held)} of {len(held)}", "; ".join(other)))
    columns = ("claim", "as chosen", "holds in", "the other verdict where")
    return Table("Which claims depend on what the paper leaves open", columns, tuple(rows))


def readings_table(
    found: Mapping[str, Mapping[str, Verdict]], outcomes: Mapping[str, Sequence[Outcome]]
) -> Table:
    """Of the claims that do not hold with our choices: every other reading in which they do, with its figures."""
    judged = verdicts(outcomes)
    rows = []
    for claim in CLAIMS:
        if claim.name not in judged or judged[claim.name].holds:
            continue
        others = dict(list(found[claim.name].items())[1:])
        rows.append((claim.says, claim.paper, "as chosen", judged[claim.name].ours, "no"))
        holding = {name: verdict for name, verdict in others.items() if verdict.holds}
        rows += [("", "", name, verdict.ours, "yes") for name, verdict in holding.items()]
        rows.append(("", "", f"the other {len(others) - len(holding)} of {len(others)} tried", "", "no"))
    columns = ("claim", "paper", "reading", "ours", "holds")
    return Table("Which readings make the other claims hold", columns, tuple(rows))


def _short(name: str) -> str:
    """Readings have a letter."""
    return name.split(":")[0]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
