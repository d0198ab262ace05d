"""The line of sources is found at the end of an answer, however it comes in pieces."""

from __future__ import annotations

from time import process_time

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
    ("Sources: 3\nand more talk 9", "and more talk 9", (3,), False),
    ("On Monday.\nSources: 4\n\nLet me know.\n", "On Monday.\n\nLet me know.", (4,), False),
    ("It lists its Sources: 12 books.\nSources: 4", "It lists its Sources: 12 books.", (4,), False),
    ("It has Sources: 12\nSources: 4", "It has Sources: 12", (4,), False),
    ("It has\n- Pages: 80\n- Sources: 12\n\nSources: 4", "It has\n- Pages: 80\n- Sources: 12", (4,), False),
    ("Source: 2 letters from Ana.\n\nSources: 1, 2", "Source: 2 letters from Ana.", (1, 2), False),
    ("Source: none of her files is lost.\nSources: 3", "Source: none of her files is lost.", (3,), False),
    ("Sources: none, she says", "Sources: none, she says", (), False),
    ("Sources: 1\nSources: none", "Sources: 1", (), True),
    ("Oslo.\nSources: memories 4 and 7, summary 2.", "Oslo.", (4, 7, 2), False),
    ("Oslo.\nSources: 4-6", "Oslo.", (4, 5, 6), False),
    ("Oslo.\nSources:\n", "Oslo.\nSources:", (), False),
    ("Oslo.\nSources: " + "4 " * 2_000, "Oslo.\nSources:" + " 4" * 2_000, (), False),
    ("Le 21 juin.\nSources : 4, 7", "Le 21 juin.", (4, 7), False),
    ("Le 21 juin. Sources\u00a0: 4", "Le 21 juin.", (4,), False),
    ("**Sources** : none", "", (), True),
    ("六月。\nSources：4、7", "六月。", (4, 7), False),
    ("Oslo.\nSOURCES: 4", "Oslo.", (4,), False),
    ("Oslo.\nsource: none", "Oslo.", (), True),
    ("Am 21. Juni.\nQuellen: 4, 7", "Am 21. Juni.", (4, 7), False),
    ("Am 21. Juni.\n**Quellen:** Erinnerungen 4 und 7", "Am 21. Juni.", (4, 7), False),
    ("El 21.\nFuentes: 4 y 7", "El 21.", (4, 7), False),
    ("Fuentes: ninguna", "", (), True),
    ("Il 21.\nFonti: 4 e 7", "Il 21.", (4, 7), False),
    ("Le 21.\nSources : souvenirs 4, 5 et 7", "Le 21.", (4, 5, 7), False),
    ("21-го.\nИсточники: 4 и 7", "21-го.", (4, 7), False),
    ("六月。\n来源：记忆4和7", "六月。", (4, 7), False),
    ("出典：なし", "", (), True),
    ("Quellen: Keine.", "", (), True),
    ("Rechtsquellen.\nQuellen: 4 Bücher", "Rechtsquellen.\nQuellen: 4 Bücher", (), False),
    ("Bronnen: 4 boeken, geen", "Bronnen: 4 boeken, geen", (), False),
    ("He says so : 4", "He says so : 4", (), False),
    ("MySources: 4", "MySources: 4", (), False),
    ("a\n\n\nb   c\nSources: 1", "a\n\n\nb   c", (1,), False),
    ("Oslo.\n(Sources: 4, 7)", "Oslo.", (4, 7), False),
    ("Oslo. [Source: #4]", "Oslo.", (4,), False),
    ("Oslo. (Sources: none)", "Oslo.", (), True),
    ("六月。（来源：4）", "六月。（来源：4）", (), False),
    ("Oslo.\nSources: memory 4 (Ana, 2 May), [#7] (Bo)", "Oslo.", (4, 7), False),
    ("Oslo.\nSources: 4 (of them", "Oslo.", (4,), False),
    ("Oslo.\nSources: 4 (thick) books", "Oslo.\nSources: 4 (thick) books", (), False),
    ("Two things (Sources: 4 books", "Two things (Sources: 4 books", (), False),
    ("Sources: " + "9" * 30, "", (999999999,), False),
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
    st.lists(
        st.sampled_from(
            [
                "Sources",
                "sources",
                ":",
                "：",
                "\u00a0",
                " ",
                "\n",
                "S",
                "4",
                "**",
                "word",
                "none",
                "Source: 3",
                "(",
                ")",
                "Quellen",
                "und",
                ".",
                "and",
            ]
        )
    ),
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


def test_what_only_looks_like_the_line_waits_for_no_more_than_is_needed() -> None:
    reply = TextReply()

    assert reply.feed("Yes.\nSources: 12") == "Yes."
    assert reply.feed(" b") == ""
    assert reply.feed("ooks") == ""
    assert reply.feed(" of") == "\nSources: 12 books of"
    assert reply.feed("\nSources: 4\nMore") == ""
    assert reply.feed("\nSources: 5") == ""
    assert reply.feed("\n") == "\nSources: 4\nMore"
    assert reply.end() == ("", (5,), False)


def test_white_space_without_end_costs_no_more_than_words() -> None:
    """Some models write line ends until they are cut off."""

    def seconds(piece: str) -> float:
        reply, start = TextReply(), process_time()
        reply.feed("Yes.")
        for _ in range(10_000):
            reply.feed(piece)
        assert reply.end().rest == ""
        return process_time() - start

    assert seconds("\n") < 20 * seconds("word") + 0.5
