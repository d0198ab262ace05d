"""The picture of an evaluation."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memspan.evaluate import evaluate
from memspan.evaluate.chart import draw, focus
from memspan.evaluate.scores import recall_curve

Labelled = Callable[..., Path]


def test_without_matplotlib_it_says_how_to_get_it(labelled: Labelled, stores: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import memspan.errors, memspan.evaluate.chart as chart\n"
        "try: chart.require_matplotlib()\n"
        "except memspan.errors.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "a chart needs the package 'matplotlib': pip install \"memspan[bench]\"\n"


def test_importing_the_package_loads_no_matplotlib() -> None:
    program = "import sys, memspan.evaluate, memspan.cli.commands.eval; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("name", "ks"), [("locomo", [1, 5, 10]), ("halumem", [1]), ("longmemeval", [3])])
def test_draws_a_picture(labelled: Labelled, stores: Path, tmp_path: Path, name: str, ks: list[int]) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not here: pip install 'memspan[bench]'")
    result = evaluate(name, labelled(name), ks=ks, embedder="hash:64", store_dir=stores)
    path = tmp_path / "chart"
    draw(result, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "chart.png").exists()


@pytest.mark.parametrize(("ks", "expected"), [((1, 5, 10, 50), 10), ((1, 9), 9), ((20, 50), 20), ((3,), 3)])
def test_one_depth_stands_for_all(ks: tuple[int, ...], expected: int) -> None:
    assert focus(ks) == expected


def test_the_curve_is_recall_at_every_depth(labelled: Labelled, stores: Path) -> None:
    result = evaluate("locomo", labelled("locomo"), ks=[1, 2, 3], embedder="hash:64", store_dir=stores)
    scores = result.groups()[0].scores
    curve = recall_curve(result.questions, 3)
    assert curve == pytest.approx([scores[f"recall@{k}"].mean for k in (1, 2, 3)])
    assert recall_curve([], 3) == []
