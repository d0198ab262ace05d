"""Tests of a study, its tables and figures, and the command."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from plain_keeper import PlainKeeper

from memspan.cli.main import cli
from memspan.errors import MissingExtraError
from memspan.simulate import CLAIMS, EXPERIMENTS, Verdict, simulate, verdicts
from memspan.simulate.figures import draw
from memspan.simulate.run import Outcome
from memspan.simulate.statistics import _holm, anova, interval, pairs
from memspan.simulate.tables import readings_table, sensitivity_table, tables

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


def test_the_table_of_other_worlds() -> None:
    verdicts = {"as chosen": Verdict(True, ""), "A: never prunes": Verdict(False, "")}
    table = sensitivity_table(dict.fromkeys((claim.name for claim in CLAIMS), verdicts))
    assert table.rows[0][1:] == ("yes", "1 of 2", "A")


def test_the_table_of_readings_has_the_claims_that_fail_only(outcomes: Outcomes) -> None:
    tried = {
        "as chosen": Verdict(False, "0"),
        "r* = .2": Verdict(True, "7 points"),
        "r* = .8": Verdict(False, "8 points"),
    }
    found = dict.fromkeys((claim.name for claim in CLAIMS), tried)
    failing = [claim for claim in CLAIMS if not verdicts(outcomes)[claim.name].holds]
    assert failing
    rows = readings_table(found, outcomes).rows
    assert [row[0] for row in rows if row[0]] == [claim.says for claim in failing]
    assert rows[1][2:] == ("r* = .2", "7 points", "yes")
    assert rows[2][2:] == ("the other 1 of 2 tried", "", "no")


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
    import memspan.cli.commands.simulate as command

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
def test_a_terminal_of_eighty_columns_breaks_no_name_of_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(cli, ["simulate", "--experiment", "staleness", "--trials", "2"])
    assert done.exit_code == 0, done.output
    for name in ("last 20 steps", "paper, end", "provenance ", "memories"):
        assert name in done.output
    assert max(map(len, done.output.split("The paper's claims")[1].splitlines()[:9])) <= 80


@pytest.mark.usefixtures("_plain")
def test_the_command_speaks_json() -> None:
    import json

    done = CliRunner().invoke(cli, ["simulate", "--experiment", "agents", "--trials", "2", "--json"])
    document = json.loads(done.stdout)
    assert document["trials"] == 2
    assert len(document["experiments"]["agents"]) == 6
    assert document["anova"]["f"] > 0
    assert {claim["section"] for claim in document["claims"]} == {"4.4", "5"}


@pytest.mark.usefixtures("_plain")
def test_the_command_says_which_extra_is_missing_before_it_simulates(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import memspan.cli.commands.simulate as command

    def never(*args: Any, **kwargs: Any) -> Outcomes:
        raise AssertionError("simulated")

    monkeypatch.setattr(command, "simulate", never)
    for module, options in (("scipy.stats", []), ("matplotlib.figure", ["--out", str(tmp_path / "out")])):
        with monkeypatch.context() as missing:
            missing.setitem(sys.modules, module, None)  # type: ignore[arg-type]
            done = CliRunner().invoke(cli, ["simulate", *options])
        assert done.exit_code == 1
        assert "memspan[simulate]" in str(done.exception) + done.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--experiment", "everything"], "everything"),
        (["--trials", "1"], "2<=x<=1000"),
        (["--trials", "many"], "many"),
        (["--seed", "-1"], "-1"),
        (["--steps", "0"], "No such option"),
        (["--ratio", "0.5"], "--real"),
        (["--store-dir", "x"], "--real"),
        (["--real", "locomo", "missing.json"], "does not exist"),
        (["--real", "novel", "missing.json"], "novel"),
        (["--real", "locomo", "here.json", "--trials", "3"], "--trials does not go with --real"),
        (["--real", "locomo", "here.json", "--sensitivity"], "--sensitivity does not go with --real"),
        (["--real", "locomo", "here.json", "--ratio", "0"], "0<x<=1"),
        (
            ["--real", "locomo", "here.json", "--ratio", "0.5", "--experiment", "staleness"],
            "--ratio goes with --experiment compression",
        ),
        (["--out", "here.json"], "is a file"),
        (["--out", "here.json/out"], "--out"),
        # A folder in which nobody can write, whoever runs this.
        pytest.param(
            ["--out", "/proc/self"],
            "--out /proc/self",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="no /proc"),
        ),
    ],
)
def test_bad_options_are_usage_errors(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", ModuleType("matplotlib.figure"))
    Path("here.json").write_text("[]")
    done = CliRunner().invoke(cli, ["simulate", *options])
    assert done.exit_code == 2, done.output
    assert said in done.output


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_simulated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import memspan.cli.commands.simulate as command

    def refused(**kwargs: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    def never(*args: Any, **kwargs: Any) -> Outcomes:
        raise AssertionError("simulated")

    monkeypatch.setitem(sys.modules, "matplotlib.figure", ModuleType("matplotlib.figure"))
    # For root every folder can be written to.
    monkeypatch.setattr(command, "TemporaryFile", refused)
    monkeypatch.setattr(command, "simulate", never)
    done = CliRunner().invoke(cli, ["simulate", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "Permission denied" in done.output


@pytest.mark.usefixtures("_plain")
def test_tables_are_there_even_if_a_figure_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "agents.png").mkdir()
    done = CliRunner().invoke(
        cli, ["simulate", "--experiment", "agents", "--trials", "2", "--out", str(tmp_path)]
    )
    assert done.exit_code == 1
    assert "| agent |" in (tmp_path / "tables.md").read_text()


def test_an_experiment_that_is_named_twice_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import memspan.cli.commands.simulate as command

    asked: list[tuple[str, ...]] = []

    def noting(names: tuple[str, ...], **kwargs: Any) -> Outcomes:
        asked.append(names)
        return simulate(names, **{**kwargs, "keeper": PlainKeeper})

    monkeypatch.setattr(command, "simulate", noting)
    twice = ["--experiment", "horizon"] * 2
    assert CliRunner().invoke(cli, ["simulate", *twice, "--trials", "2"]).exit_code == 0
    assert asked == [("horizon",)]


def test_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text("[]")
    done = CliRunner().invoke(
        cli,
        ["simulate", "--real", "locomo", str(path), "--embedder", "hash:64", "--store-dir", str(tmp_path)],
    )
    assert done.exit_code == 3
    assert "holds no turns" in done.output
