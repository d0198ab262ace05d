"""Metrics of answers against cases computed by hand."""

from __future__ import annotations

import subprocess
import sys
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan.errors import InvalidArgumentError
from memspan.evaluate.reading import bleu_1, exact_match, locomo_f1, set_f1, stemmed_f1


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("7 May 2023", "7 May 2023", 1),
        ("On May 7, 2023.", "7 May 2023", 2 * (3 / 4) * 1 / (3 / 4 + 1)),  # on may 7 2023 / 7 may 2023
        ("She was running", "runs", 2 * (1 / 3) * 1 / (1 / 3 + 1)),  # she was run / run
        ("the camping and a hike", "Camps, hiking", 1),  # camp hike / camp hike
        ("well-known", "well known", 0),  # wellknown / well known
        ("no no no", "no", 2 * (1 / 3) * 1 / (1 / 3 + 1)),
        ("no no", "no no no", 2 * 1 * (2 / 3) / (1 + 2 / 3)),
        ("1,000", "1000", 1),
        ("", "word", 0),
        ("word", "", 0),
        ("the", "a", 0),
    ],
)
def test_stemmed_f1(answer: str, gold: str, expected: float) -> None:
    assert stemmed_f1(answer, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "gold", "category", "expected"),
    [
        ("Paris, in France", "Paris", "multi-hop", 1),
        # Paris: best part is Paris, 1; Rome: best is none, 0
        ("Paris, Berlin", "Paris, Rome", "multi-hop", 1 / 2),
        # red shoes against [shoes 2/3, hats 0]; blue hats against [0, hats 2/3]
        ("shoes, hats", "red shoes, blue hats", "multi-hop", 2 / 3),
        ("Paris and Rome", "Paris, Rome", "multi-hop", 2 / 3),
        ("Likely no", "Likely no; she prefers the sea", "open-domain", 1),
        # likely no / likely no she prefers sea
        ("Likely no", "Likely no; she prefers the sea", "single-hop", 2 * 1 * (2 / 5) / (1 + 2 / 5)),
        ("May 7", "7 May", "temporal", 1),
        ("It is Not mentioned here.", "a guitar", "adversarial", 1),
        ("No information available", "", "adversarial", 1),
        ("I don't know", "a guitar", "adversarial", 0),
        ("a guitar", "a guitar", "adversarial", 0),
    ],
)
def test_the_rule_of_each_category(answer: str, gold: str, category: str, expected: float) -> None:
    assert locomo_f1(answer, gold, category) == pytest.approx(expected)


def test_other_categories_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="category"):
        locomo_f1("a", "a", "multi_hop")


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("7 May, 2023.", "7 may 2023", 1),
        ("the cat the cat", "the cat", 1),  # sets
        ("cats", "cat", 0),  # not stemmed
        ("the red cat", "a red cat", 2 * 2 / 6),
        ("Paris (France)", "Paris", 2 * 1 / 3),  # brackets stay
        ("Oh! Paris?", "paris", 2 * 1 / 3),
        ("", "word", 0),
        ("?", "", 0),
    ],
)
def test_set_f1(answer: str, gold: str, expected: float) -> None:
    assert set_f1(answer, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("the cat sat", "the cat sat", 1),
        ("the the the the", "the cat the mat", 2 / 4),
        ("The cat!", "the cat sat on it", 2 / 3 * exp(1 - 5 / 3)),  # the cat ! / the cat sat on it
        ("the cat sat on it today", "cat", 1 / 6),
        ("I don't", "do", 1 / 3),  # i do n't
        ("Ana's dog", "ana 's", 2 / 3),
        ("at 10:30 on 3.5", "10:30", 1 / 4),
        ("red,blue... well", "red, blue", 3 / 5),  # red , blue ... well
        ("dog", "cat", 0),
        ("", "cat", 0),
        ("dog", "", 0),
    ],
)
def test_bleu_1(answer: str, gold: str, expected: float) -> None:
    assert bleu_1(answer, gold) == pytest.approx(expected)


def test_exact_match() -> None:
    assert exact_match(" Paris\n", "paris") == 1
    assert exact_match("Paris.", "Paris") == 0
    assert exact_match("", "") == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_scores_are_between_0_and_1_and_1_for_the_same_words(answer: str, gold: str) -> None:
    for metric in (stemmed_f1, set_f1, bleu_1, exact_match):
        assert 0 <= metric(answer, gold) <= 1
        assert metric(gold, gold) in (0, pytest.approx(1))
    for category in ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial"):
        assert 0 <= locomo_f1(answer, gold, category) <= 1


def test_a_missing_stemmer_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['snowballstemmer'] = None\n"
        "from memspan.evaluate.reading import set_f1, stemmed_f1\n"
        "from memspan.errors import MissingExtraError\n"
        "assert set_f1('a', 'a') == 1\n"
        "try: stemmed_f1('a', 'b')\n"
        "except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 'pip install "memspan[eval]"' in done.stdout
