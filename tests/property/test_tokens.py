"""`estimate_tokens` against the same rule in plain Python."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from oracle_tokens import count_tokens

from memspan import estimate_tokens

SIGNS = "aZé_'’.,-ſ0٣²Ⅷ五ㅎ한ไ天🎉½\u0301\u200d\ud800\x00\x1c\t\r\n \u00a0\u2028\u3000"
RUNS = ["  ", "\n\n", "'s", "'T", "'re", "'VE", "'ll", "'m", "'d", "ſ'ſ"]
WORDS = ["responsibilities", "żółć", "привет", "2023", "...", "?!"]
PIECES = st.sampled_from([*SIGNS, *RUNS, *WORDS])


@given(st.lists(PIECES, max_size=40).map("".join) | st.text())
@example("it's")
@example("'s a's'd _'s 9'll a'sh a're_")
@example("\n\na \n\nb\n\n\nc.\n\n")
def test_counts_as_the_rule_does(text: str) -> None:
    assert estimate_tokens(text) == count_tokens(text)


def test_every_character_by_itself_and_between_others() -> None:
    """What is a letter, a digit or a space is what Python says, in all of Unicode."""
    for first in range(0, 0x110000, 0x1000):
        block = list(map(chr, range(first, first + 0x1000)))
        for text in ("".join(block), "a".join(block), "7 ".join(block), "'s\n".join(block)):
            assert estimate_tokens(text) == count_tokens(text), hex(first)
