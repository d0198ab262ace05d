"""The estimate of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan import estimate_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" ", 0),
        ("hello", 1),
        ("hello world", 2),
        ("Hello, world!", 4),
        ("responsibilities", 3),  # 9 letters, then 4 a token
        ("I'm here", 3),  # a contraction is one
        ("it's Ana's", 4),
        ("2023", 2),
        ("in 2023", 4),  # the space before a number counts
        ("1234567", 3),
        ("...", 1),
        ("!?", 1),
        ("({[", 2),
        ("a\n", 2),  # a break after a word; after a sign it belongs to that
        ("a.\n", 2),
        ("\n", 1),
        ("a  b", 3),
        ("a_b", 3),
        ("żółć", 2),
        ("привет", 3),
        ("天气很冷", 4),
        ("“so”", 3),
        ("🎉", 2),
    ],
)
def test_counts(text: str, expected: int) -> None:
    assert estimate_tokens(text) == expected


LINES = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)


@given(LINES)
def test_lines_add_up(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    assert estimate_tokens(text) == sum(estimate_tokens(f"{line}\n") for line in lines)


@given(st.text())
def test_never_negative_and_bounded_by_characters(text: str) -> None:
    assert 0 <= estimate_tokens(text) <= 2 * len(text)
