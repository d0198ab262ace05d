"""A vocabulary that follows another one is the same as one that is made anew, and reads new names alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memspan.memory import Memory
from memspan.recall import vocabulary as module
from memspan.recall.vocabulary import Vocabulary

SPEAKERS = ["Ana", "ana", "J. R. Smith", "Anne-Marie", "田中一郎", "José", "?!", "Grace", "red car"]
TAGS = [
    "red_car",
    "ana",
    "Ana",
    "jr smith",
    "annemarie",
    "camping",
    "grace",
    "bike",
    "bike_tour",
    "田中",
    "!",
]


def parts(vocabulary: Vocabulary) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in Vocabulary.__slots__:
        value = getattr(vocabulary, name)
        if name == "_unspaced":
            value = (value._words, value._longest)
        found[name] = list(value.items()) if isinstance(value, dict) else value
    del found["_near"]  # native; made of the keys of `_by_word`
    return found


@pytest.mark.parametrize("seed", range(20))
def test_one_that_follows_is_the_same(seed: int) -> None:
    chance = random.Random(seed)
    before = None
    for _ in range(10):
        speakers, names, tags = (
            chance.sample(among, chance.randrange(len(among) + 1)) for among in (SPEAKERS, SPEAKERS, TAGS)
        )
        before = Vocabulary(speakers=speakers, names=names, tags=tags, before=before)
        anew = Vocabulary(speakers=speakers, names=names, tags=tags)
        assert parts(before) == parts(anew)
        assert before.near("camqing") == anew.near("camqing")


def test_a_question_after_a_new_tag_reads_that_tag_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    fold = module._folded_words

    def counted(text: str) -> tuple[str, ...]:
        read.append(text)
        return fold(text)

    monkeypatch.setattr(module, "_folded_words", counted)
    with Memory(tmp_path / "agent.memspan", "hash:32") as memory:
        for number in range(50):
            memory.add("We were out", user="ana", tags=[f"tour {number}"])
        memory.search("what about the tour?", user="ana")
        assert len(read) == 50
        memory.add({"speaker": "Ben", "text": "We came home"}, user="ana", tags=["home"])
        memory.search("what about the tour?", user="ana")
    assert sorted(read[50:]) == ["Ben", "home"]


def test_names_are_the_same_on_persian_and_arabic_keyboards(tmp_path: Path) -> None:
    with Memory(tmp_path / "agent.memspan", "hash:32") as memory:
        memory.add({"text": "سلام", "speaker": "علی کریمی", "session": "s"}, user="ana")
        plan = memory.search("علي كريمي چه گفت؟", user="ana").plan
    assert plan is not None
    assert list(plan.names) == ["علی کریمی"]
