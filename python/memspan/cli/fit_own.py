"""`memspan fit --questions`: a ranker from questions about one's own store, and whether it is better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from memspan.cli.environment import Environment
from memspan.cli.fit_report import flaws_as_json, note_flaws, quality_as_json, quality_table, save
from memspan.cli.opening import open_memory
from memspan.cli.tables import counted, plain_table, print_figures
from memspan.cli.tracking import bar
from memspan.evaluate import Estimate
from memspan.fitting.examples import embedder_of
from memspan.fitting.labelled_store import OwnQuestions, collect_own
from memspan.fitting.own_ranker import OwnRanker, fit_own
from memspan.fitting.verdict import FEWEST_TOLD, Difference
from memspan.ranking import default_ranker

__all__ = ["fit_questions"]

_STEPS: Final = 6
_MANY: Final = 350
_FEW: Final = f"a difference of 5 points shows with about 60 questions, one of 2 with {_MANY}"
"""Where weights move at all, the MRR of a question left out changes by 19 points (standard deviation; LoCoMo, with
weights from other data sets)."""
_COMPARED: Final = (
    "compared are whole searches, without the reranker; what tokens say counts by its rank with weights of your own, "
    "and by learned weights, where there are any, with the package's"
)


def fit_questions(
    env: Environment, store: Path, questions: Path, out: Path | None, *, as_json: bool, **options: Any
) -> None:
    """Learn, judge, report and write; `options` are those of `fit_own`."""
    with open_memory(store) as memory:
        start = default_ranker(*embedder_of(memory))
        own = collect_own(memory, questions)
        own.require_some(questions)
        notes = [*start.trained_on, f"own: {questions.name}"]
        with bar(env, "learning", _STEPS) as advance:
            found = fit_own(memory, own.questions, start, advance, trained_on=notes, **options)
    if as_json:
        env.write_json(_document(own, found))
    else:
        _report(env, own, found)
    save(env, found.ranker, out, as_json=as_json)


def _document(own: OwnQuestions, found: OwnRanker) -> dict[str, Any]:
    verdict = found.differences.get("package")
    return {
        "weights": found.ranker.weights,
        "net": found.ranker.net is not None,
        "trained_on": list(found.ranker.trained_on),
        "anew": found.way.anew,
        "penalty": found.way.penalty,
        "special_penalty": found.way.special_penalty,
        "left_out_by": found.together,
        "questions": {"read": own.read, "judged": len(own.questions), "flaws": flaws_as_json(own.flaws)},
        "quality": {way: {"own": quality_as_json(each)} for way, each in found.quality.items()},
        "differences": {
            name: {
                "questions": each.questions,
                "finding": each.finding,
                "figures": {
                    figure: {"mean": told.mean, "low": told.low, "high": told.high}
                    for figure, told in each.figures.items()
                },
            }
            for name, each in found.differences.items()
        },
        "verdict": None if verdict is None else verdict.finding,
    }


def _report(env: Environment, own: OwnQuestions, found: OwnRanker) -> None:
    note_flaws(env, own.read, own.flaws)
    titles = {
        "package": "the package's weights",
        "rrf": "rrf, without weights",
        "left_out": f"yours, left out by {found.together}",
    }
    named = {titles[name]: each for name, each in found.quality.items()}
    print_figures(env.out, quality_table("questions of your own", named))
    if found.differences:
        print_figures(env.out, _differences(found.differences))
    env.say(_COMPARED)
    env.say(_how(found))
    env.say(_verdict(found.differences.get("package")))


def _how(found: OwnRanker) -> str:
    if found.way.anew:
        return "learned anew: moving the package's weights did worse on left-out questions"
    return f"the package's weights, moved under a penalty of {found.way.penalty:g} (more moves them less)"


def _verdict(told: Difference | None) -> str:
    if told is None:
        return "verdict: none, for no questions were left out to judge by"
    figure = told.figures["MRR"]
    seen = (
        f"MRR {100 * figure.mean:+.1f} points ({100 * figure.low:+.1f} to {100 * figure.high:+.1f}) "
        f"on {counted(told.questions, 'left-out question')}"
    )
    if told.finding == "too few questions to tell":
        return f"verdict: too few questions to tell, {FEWEST_TOLD} are the fewest that can: {seen}; {_FEW}"
    if told.finding == "better":
        return f"verdict: better than the package's weights: {seen}"
    if told.finding == "worse":
        return f"verdict: worse than the package's weights, keep those: {seen}"
    few = "; " + _FEW if told.questions < _MANY else ""
    return f"verdict: no difference that can be shown from the package's weights: {seen}{few}"


def _differences(differences: dict[str, Difference]) -> Table:
    table = plain_table("yours less another, in points, with 95 % intervals")
    first = next(iter(differences.values()))
    for name in ("less", *first.figures):
        table.add_column(name, justify="left" if name == "less" else "right")
    for name, each in differences.items():
        table.add_row("the package's" if name == "package" else name, *_cells(list(each.figures.values())))
    return table


def _cells(estimates: Sequence[Estimate]) -> list[str]:
    return [f"{100 * each.mean:+.1f}\n{100 * each.low:+.1f}..{100 * each.high:+.1f}" for each in estimates]
