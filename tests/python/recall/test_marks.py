"""Normal forms of texts, whatever marks stand in them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan.encode.tags.words import WordReader
from memspan.recall import Vocabulary, marks, plan_by_rules
from memspan.recall.marks import normalized
from memspan.recall.negations import negations_in
from memspan.recall.said_words import said_words

WORDS = st.sampled_from(
    [
        "Zoë",
        "Bjo\u0308rn ",
        "か\u3099",
        "ｶﾞ",
        "한국",
        "\u1112\u1161\u11ab",
        "नहीं ",
        "\u0e19\u0e49\u0e33",
        "東京",
        "ﬁ, ",
        "1\n",
    ]
)


@settings(deadline=None, derandomize=True, database=None, max_examples=100)
@given(st.lists(WORDS, min_size=1, max_size=40), st.integers(1, 40), st.sampled_from(["NFC", "NFKD"]))
def test_as_the_standard_library_has_it(words: list[str], times: int, form: str) -> None:
    text = " ".join(["".join(words)] * times)
    assert normalized(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def test_marks_without_end_are_put_in_order_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0

    def normalize(form: str, text: str) -> str:
        nonlocal longest
        longest = max(longest, len(text))
        return unicodedata.normalize(form, text)  # type: ignore[arg-type]

    monkeypatch.setattr(marks, "normalize", normalize)
    text = "What did I say of a" + "\u0301\u0327" * 1000
    for use in (
        lambda: plan_by_rules(text, now="2023-06-15T14:30Z", vocabulary=Vocabulary()),
        lambda: negations_in(text),
        lambda: said_words(text),
        lambda: WordReader().read(text),
    ):
        longest = 0
        use()
        assert 0 < longest <= 256
