"""The line of sources is found at the end of an answer, however it comes in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.recall.answer.text_reply import TextReply

REPLIES = [
    ("On Monday.\nSources: 4, 7", "On Monday.", (4, 7), False),
    ("On Monday. Sources: 4", "On Monday.", (4,), False),
    ("\n On Monday.\n\n**Sources:** [#4], [#7]\n", "On Monday.", (4, 7), False),
    ("- Source: #12\n", "", (12,), False),
    ("Sources: none", "", (), True),
    ("They do not say.\nSources: None.", "They do not say.", (), True),
    ("On Monday.", "On Monday.", (), False),
    ("", "", (), False),
    (" \n ", "", (), False),
    ("Sources", "Sources", (), False),
    ("So it was.  \n", "So it was.", (), False),
    ("I know Sources well", "I know Sources well", (), False),
    ("Sources: the Nile and the Rhine", "Sources: the Nile and the Rhine", (), False),
    ("Rivers.\nSources: the Nile", "Rivers.\nSources: the Nile", (), False),
    ("Sources: 3\nand more talk 9", "", (3,), False),
    ("MySources: 4", "MySources: 4", (), False),
    ("a\n\n\nb   c\nSources: 1", "a\n\n\nb   c", (1,), False),
    ("Sources: " + "9" * 30, "", (999999999, 999999999, 999999999, 999), False),
]


def read(pieces: list[str]) -> tuple[str, tuple[int, ...], bool]:
    reply = TextReply()
    said = "".join(map(reply.feed, pieces))
    ending = reply.end()
    return said + ending.rest, ending.numbers, ending.none


@pytest.mark.parametrize(("text", "said", "numbers", "none"), REPLIES)
def test_whole_and_letter_by_letter(text: str, said: str, numbers: tuple[int, ...], none: bool) -> None:
    assert read([text]) == (said, numbers, none)
    assert read(list(text)) == (said, numbers, none)


@PROFILE
@given(
    st.lists(st.sampled_from(["Sources", ":", " ", "\n", "S", "4", "**", "word", "none", "Source: 3", "."])),
    st.data(),
)
def test_pieces_do_not_matter(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert read(pieces) == read([text])


def test_text_is_handed_out_as_soon_as_it_is_certain() -> None:
    reply = TextReply()

    assert reply.feed("On Mon") == "On Mon"
    assert reply.feed("day.\n") == "day."
    assert reply.feed("S") == ""
    assert reply.feed("o it is") == "\nSo it is"
    assert reply.feed("\nSour") == ""
    assert reply.feed("ces: 1, ") == ""
    assert reply.feed("2") == ""
    assert reply.end().numbers == (1, 2)
