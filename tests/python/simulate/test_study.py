"""Tests of a study, its tables and figures, and the command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from plain_keeper import PlainKeeper

from memspan.cli.main import cli
from memspan.errors import MissingExtraError
from memspan.simulate import CLAIMS, EXPERIMENTS, simulate
from memspan.simulate.figures import draw
from memspan.simulate.run import Outcome
from memspan.simulate.statistics import _holm, anova, interval, pairs
from memspan.simulate.tables import sensitivity_table, tables

Outcomes = dict[str, list[Outcome]]


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    return simulate(trials=3, keeper=PlainKeeper)


def test_anova_and_pairs(outcomes: Outcomes) -> None:
    agents = outcomes["agents"]
    assert anova(agents).p < 1e-3
    found = pairs(agents)
    assert len(found) == 15
    assert all(0 <= pair.p <= pair.corrected <= 1 for pair in found)
    first = found[0]
    assert first.difference == pytest.approx(agents[0].scores.mean() - agents[1].scores.mean())
    assert np.sign(first.effect) == np.sign(first.difference)


def test_holm_is_the_correction_of_the_textbook() -> None:
    assert _holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert _holm([0.9, 0.8]) == [1.0, 1.0]
    assert _holm([]) == []


def test_an_interval_holds_its_mean(outcomes: Outcomes) -> None:
    for outcome in outcomes["allocation"]:
        low, high = interval(outcome)
        assert low < outcome.scores.mean() < high


def test_there_is_a_table_for_each_experiment_with_the_papers_figures(outcomes: Outcomes) -> None:
    found = tables(outcomes)
    titles = [table.title for table in found]
    assert all(experiment.title in titles for experiment in EXPERIMENTS.values())
    assert all(len(row) == len(table.columns) for table in found for row in table.rows)
    text = "\n".join(table.markdown() for table in found)
    for figure in ("0.594", "0.665", "0.626", "0.605", "191.77", "0.83", "0.638"):
        assert figure in text
    assert len(found[-1].rows) == len(CLAIMS)


def test_the_table_of_other_worlds(outcomes: Outcomes) -> None:
    found = {claim.name: {"as chosen": True, "never prunes": False} for claim in CLAIMS}
    table = sensitivity_table(found)
    assert table.rows[0][1:] == ("yes", "1 of 2", "never prunes")


def test_figures_are_written(outcomes: Outcomes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = draw(outcomes, tmp_path)
    assert [path.stem for path in paths] == list(EXPERIMENTS)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_a_missing_extra_is_named(
    outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("scipy.stats", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)  # type: ignore[arg-type]
    with pytest.raises(MissingExtraError, match=r"scipy.*memspan\[simulate\]"):
        anova(outcomes["agents"])
    with pytest.raises(MissingExtraError, match=r"matplotlib.*memspan\[simulate\]"):
        draw({"agents": outcomes["agents"]}, tmp_path)


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    import memspan.cli.simulate as command

    def plain(*args: Any, **kwargs: Any) -> Outcomes:
        return simulate(*args, keeper=PlainKeeper, **kwargs)

    monkeypatch.setattr(command, "simulate", plain)


@pytest.mark.usefixtures("_plain")
def test_the_command_prints_tables_and_writes_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "study"
    done = CliRunner().invoke(cli, ["simulate", "--experiment", "agents", "--trials", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "Baseline" in done.output
    assert "One-way ANOVA" in done.output
    assert (out / "agents.png").exists()
    assert "| agent |" in (out / "tables.md").read_text()


@pytest.mark.usefixtures("_plain")
def test_the_command_speaks_json() -> None:
    import json

    done = CliRunner().invoke(cli, ["simulate", "--experiment", "agents", "--trials", "2", "--json"])
    document = json.loads(done.stdout)
    assert document["trials"] == 2
    assert len(document["experiments"]["agents"]) == 6
    assert document["anova"]["f"] > 0
    assert {claim["section"] for claim in document["claims"]} == {"4.4"}
