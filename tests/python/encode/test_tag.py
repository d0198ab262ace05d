"""Tagging as a whole, on made-up conversations."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memspan import _core
from memspan.embed.hashing import HashEmbedder
from memspan.encode.tags.relations import MOST_DEPTH
from memspan.encode.tags.tag import MOST_TAGS, Tagging, Turns, tag_turns
from memspan.recall.words import word_set

_EMBEDDER = HashEmbedder(16)


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    return _EMBEDDER.embed_documents(texts)


def tagged(texts: Sequence[str], sessions: Sequence[str | None]) -> Tagging:
    rows = embed([text or "." for text in texts]) if texts else np.zeros((0, 16), np.float32)
    return tag_turns(Turns(texts, ["Ana"] * len(texts), sessions, rows), embed)


def depth_of(edges: Sequence[tuple[str, str]]) -> int:
    """Edges of the longest path; recursion without end when there is a cycle."""
    children: dict[str, list[str]] = {}
    for parent, child in edges:
        children.setdefault(parent, []).append(child)

    def below(tag: str, path: tuple[str, ...]) -> int:
        assert tag not in path, "a cycle"
        return max((1 + below(child, (*path, tag)) for child in children.get(tag, ())), default=0)

    return max((below(tag, ()) for tag in children), default=0)


_WORDS = sorted(
    word_set(
        "the a my of with boat boats harbour harbours storm lamp lamp's Oslo Bergen oak tree trees café 苹果 派 кот "
        "painting paint very went I we . , 🎉 ``` 7 2024"
    )
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 60))
def test_whatever_the_texts(seed: int, count: int) -> None:
    chance = random.Random(seed)
    texts = [" ".join(chance.choices(_WORDS, k=chance.randrange(0, 25))) for _ in range(count)]
    sessions = [chance.choice([None, "a", "b"]) for _ in range(count)]
    found = tagged(texts, sessions)
    assert len(found.tags) == count
    used = {tag for tags in found.tags for tag in tags}
    for tags in found.tags:
        assert len(tags) <= MOST_TAGS
        assert len(set(tags)) == len(tags)
        assert all(_core.normalize_tag(tag) == tag for tag in tags)
    assert {tag for edge in found.edges for tag in edge[:2]} <= used
    assert len({edge[:2] for edge in found.edges}) == len(found.edges)
    assert depth_of([edge[:2] for edge in found.edges]) <= MOST_DEPTH
    assert tagged(texts, sessions) == found, "the same turns get the same tags"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=12))
def test_any_unicode(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    assert len(tagged(texts * 2, [None] * len(texts) * 2).tags) == 2 * len(texts)


def test_a_conversation_gets_a_sensible_hierarchy() -> None:
    subjects = {
        "pottery": ["my pottery class", "the pottery class", "a bowl of pottery", "the pottery"],
        "harbour": ["the harbour festival", "a boat in the harbour", "the boat near the harbour", "my boat"],
    }
    texts, sessions = [], []
    for turn in range(48):
        subject = "pottery" if turn // 12 % 2 else "harbour"
        texts.append(f"I was there with {subjects[subject][turn % 4]}")
        sessions.append(f"s{turn // 12}")
    found = tagged(texts, sessions)
    assert ("pottery", "pottery_class") in {edge[:2] for edge in found.edges}
    assert "boat" in found.tags[2]
    assert depth_of([edge[:2] for edge in found.edges]) >= 1


def test_words_keep_their_vowels() -> None:
    texts = ["बगीचा सुंदर है", "चाचा बगीचा देखते हैं", "चाची घर आई", "टमाटर लाल है", "टमाटर पक गए", "घर दूर है"]
    assert tagged(texts, ["s"] * 6).tags == [("बगीचा",), ("बगीचा",), (), ("टमाटर",), ("टमाटर",), ()]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            [
                "Der Zahnarzt sagt, ich brauche eine Krone.",
                "Am Montag bin ich wieder beim Zahnarzt.",
                "Ich habe die Tomaten gegossen und Sie nicht.",
                "Die Tomaten sind jetzt reif, ich habe Sie gefragt.",
            ],
            {"zahnarzt", "krone", "tomaten"},
        ),
        (
            [
                "Le jardin est plein de tomates",
                "Les tomates du jardin sont mûres",
                "C'est pas vrai",
                "C'est pas moi",
            ],
            {"jardin", "tomates"},
        ),
        (
            ["porque no quiero paella", "porque no me gusta la paella", "Villa del Sol", "en Villa del Sol"],
            {"paella", "villa_del_sol"},
        ),
        (["Он говорит, что сад большой", "Я думаю, что сад красивый"], {"сад"}),
        (["I was in the garden", "the garden was in bloom"], {"garden"}),
        (["pls help me, idk", "pls call, idk", "brb pizza", "brb with pizza"], {"pizza"}),
    ],
)
def test_words_about_nothing_are_no_tags(texts: list[str], expected: set[str]) -> None:
    assert {tag for tags in tagged(texts, ["s"] * len(texts)).tags for tag in tags} == expected
