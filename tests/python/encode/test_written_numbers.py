"""Which turns and memories a text names by number."""

from __future__ import annotations

import pytest

from memspan.encode.written_numbers import written_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3", [3]),
        ("turn 3", [3]),
        ("t3", [3]),
        ("1, 2 and 4", [1, 2, 4]),
        ("[#4], [#7]", [4, 7]),
        ("[#4][#7] 9", [4, 7, 9]),
        ("4; 7\n9", [4, 7, 9]),
        ("turns 3 5", [3, 5]),
        ("Turn 3 turn 5", [3, 5]),
        ("3 (2024-05-01)", [3]),
        ("[3] (turn 9, of 5 May), 4", [3, 4]),
        ("(3)", [3]),
        ("3 2024-05-01T10:30:00Z", [3]),
        ("3 on 01.05.2024 at 10:30", [3]),
        ("2024-05-01", []),
        ("3: she bought 2 saws, 5 - I moved in 2019", [3, 5]),
        ("1-4", [1, 2, 3, 4]),
        ("turns 1 to 3, and 7", [1, 2, 3, 7]),
        ("#2 – #4 of it", [2, 3, 4]),
        ("[1]-[3]", [1, 2, 3]),
        ("4-1", [4, 1]),
        ("1-999999999", [1, 999999999]),
        ("4.0", [4]),
        ("9" * 30, [999999999]),
        ("none", []),
        ("", []),
    ],
)
def test_numbers_that_name_something(text: str, numbers: list[int]) -> None:
    assert written_numbers(text) == numbers


def test_ranges_do_not_take_all_of_the_memory() -> None:
    assert len(written_numbers("1-200," * 100_000)) < 300_000
