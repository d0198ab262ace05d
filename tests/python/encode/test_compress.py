"""Compression never empties a turn, never cuts what must stay, and keeps to its rate; each scorer and fallback."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan import Index, InvalidArgumentError
from memspan.encode.compression.compress import Compress, retained
from memspan.encode.compression.corpus import Frequencies, frequencies_in, index_frequencies
from memspan.encode.compression.cross_entropy import CrossEntropy
from memspan.encode.compression.pieces import join_pieces, split_pieces
from memspan.encode.compression.protected import name_words, protected_pieces
from memspan.encode.compression.scorers import SelfInformation, share_out
from memspan.encode.values import Turn, Window, Work
from memspan.errors import LLMError
from memspan.llm.logprobs import TokenLogProb
from memspan.recall.context import estimate_tokens

AT = datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc)


class Job:
    """Tools that keep what was made once, and what was noted."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}
        self.notes: list[tuple[str, dict[str, Any]]] = []

    async def once(self, key: str, make: Any) -> Any:
        if key not in self.kept:
            self.kept[key] = await make()
        return self.kept[key]

    def note(self, event: str, **details: Any) -> None:
        self.notes.append((event, details))


class JobWithCorpus(Job):
    def __init__(self, counts: dict[str, int], documents: int) -> None:
        super().__init__()
        self.counts, self.documents = counts, documents

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        return Frequencies(self.documents, [self.counts.get(word, 0) for word in words])


def work(*texts: str, speaker: str | None = "Ana") -> Work:
    turns = tuple(Turn(id=f"t{i}", text=text, at=AT, speaker=speaker) for i, text in enumerate(texts))
    return Work(user="u", turns=turns)


def compressed(given: Work, job: Job | None = None, **fields: Any) -> list[str]:
    done = asyncio.run(Compress(**fields).run(given, job or Job()))
    assert [turn.id for turn in done.turns] == [turn.id for turn in given.turns]
    assert [replace(turn, text="") for turn in done.turns] == [replace(turn, text="") for turn in given.turns]
    return [turn.text for turn in done.turns]


_SENTENCES = (
    "the of a we went really very camping trip tent lake beautiful and then it was so nice. Oh! well, you know? "
    "Melanie Oslo NASA iPhone 3 17:45 $5 2nd two yesterday May Friday not never don't no 猫 咪 不 😀 ... — "
    "café Zoë's anna@example.com #camp C++ «hm» nicht jamais"
)
WORDS = st.sampled_from(_SENTENCES.split())
TURNS = st.lists(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=5)


@PROFILE
@given(TURNS, st.floats(0.01, 1.0))
def test_no_turn_is_emptied_and_nothing_protected_is_cut(texts: list[str], rate: float) -> None:
    given = work(*texts)
    for turn, text in zip(given.turns, compressed(given, rate=rate), strict=True):
        pieces = split_pieces(turn.text)
        protected = protected_pieces(turn.text, pieces, AT, name_words(["Ana"]))
        left = text.split()
        assert text.strip()
        # What is kept stands in its order, and white space is all that is ever added.
        characters = iter(turn.text)
        assert all(sign in characters for sign in text if not sign.isspace())
        if all(len(piece.text) > 1 or piece.text.isascii() for piece in pieces):
            wanted = iter(left)
            for place in sorted(protected):
                assert any(word.rstrip(".?!") == pieces[place].text.rstrip(".?!") for word in wanted)
        assert len(split_pieces(text)) <= max(math.ceil(rate * len(pieces)), len(protected)) + sum(
            map(text.count, ".?!")
        )


@PROFILE
@given(TURNS)
def test_a_higher_rate_keeps_no_less(texts: list[str]) -> None:
    sizes = [[len(text) for text in compressed(work(*texts), rate=rate)] for rate in (0.2, 0.5, 0.8, 1.0)]
    assert all(a <= b for less, more in pairwise(sizes) for a, b in zip(less, more, strict=True))
    assert compressed(work(*texts), rate=1.0) == texts


@pytest.mark.parametrize(
    "kept",
    [
        "Melanie", "NASA", "iPhone", "McDonald's", "O'Brien", "ana", "17", "$3,500.20", "5km", "3rd", "two", "second",
        "½", "Ⅳ", "٣", "May", "last Friday", "yesterday", "two weeks ago", "2019", "8 May 2023", "17:45", "not",
        "never", "don't", "can’t", "cannot", "without", "nicht", "jamais", "нет", "ana@example.com", "#camping",
        "/etc/hosts", "v1.2", "https://example.com/a?b",
    ],
)  # fmt: skip
def test_names_numbers_dates_and_negations_stay(kept: str) -> None:
    text = f"so we really went there and then {kept} they were quite nice about all of it"
    (short,) = compressed(work(text), rate=0.01)
    assert kept in short
    assert len(short) < len(text) / 2


def test_a_sentence_starts_with_a_name_or_with_an_everyday_word() -> None:
    text = "Melanie went home. We were there! Then Will came. Pottery is nice."
    pieces = split_pieces(text)
    protected = {pieces[place].text for place in protected_pieces(text, pieces, AT)}
    assert protected == {"Melanie", "Will", "Pottery"}  # a noun that may be a name stays


@pytest.mark.parametrize(
    "text",
    [
        "我昨天没有去公园因为下雨了",
        "ذهبت أمس إلى السوق مع ليلى",
        "मैं कल सीता के साथ बाज़ार गया",
        "เมื่อวานนี้ฉันไปตลาดกับลูกที่นั่น",
        "ມື້ວານນີ້ຂ້ອຍໄປຕະຫຼາດ",
        "ម្សិលមិញខ្ញុំបានទៅផ្សារ",
        "မနေ့က ကျွန်တော် ဈေးကို သွားခဲ့တယ်",
        normalize("NFD", "がんばってパーティーに行きました"),
    ],
)
def test_where_letters_have_no_case_names_cannot_be_told_and_nothing_is_cut(text: str) -> None:
    assert compressed(work(text), rate=0.01) == [text]


def test_dates_are_found_in_texts_longer_than_the_parser_reads() -> None:
    text = "so it goes and goes " * 700 + "until the day after tomorrow " + "and on and on " * 50
    (short,) = compressed(work(text), rate=0.01, limit=1 << 20)
    assert "the day after tomorrow" in short


def test_rare_words_stay_and_common_ones_go() -> None:
    job = JobWithCorpus({"camping": 3, "trip": 50, "great": 90, "was": 100, "the": 100}, 100)
    given = work("the camping trip was great", speaker=None)
    assert compressed(given, job, rate=0.6) == ["camping trip great"]
    job.kept.clear()
    assert compressed(given, job, rate=0.2) == ["camping"]


def test_without_a_corpus_the_texts_of_the_job_are_the_statistics() -> None:
    texts = ("we saw pottery there", "we saw more there", "there we saw them")
    assert compressed(work(*texts), rate=0.25)[0] == "pottery"


def test_marks_of_sentences_survive_and_lines_stay_apart() -> None:
    text = "Is it so? We made pottery!\nIt was the best thing."
    pieces = split_pieces(text)
    assert join_pieces(text, pieces, {0, 5, len(pieces) - 1}) == "Is? pottery!\nthing."
    assert join_pieces(text, pieces, {0}) == "Is?"
    assert join_pieces(text, pieces, set(range(len(pieces)))) == text


def test_equal_scores_keep_the_earlier_words() -> None:
    text = "lovely green pale soft"
    turn = Turn(id="t", text=text, at=AT)
    assert retained(turn, text, split_pieces(text), np.zeros(4), 0.5) == "lovely green"


def test_turns_of_nothing_but_marks_or_blanks_stay() -> None:
    assert compressed(work("...", "  ", "😀"), rate=0.1) == ["...", "  ", "😀"]


def test_long_turns_are_compressed_again_until_they_fit() -> None:
    words = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(600))
    (text,) = compressed(work(words), rate=0.9, limit=100)
    assert 40 < estimate_tokens(text) <= 100


def test_a_long_turn_of_numbers_ends_as_it_is() -> None:
    numbers = " ".join(map(str, range(1000)))
    assert compressed(work(numbers), rate=0.5, limit=100) == [numbers]


def test_a_second_run_takes_what_the_first_one_made() -> None:
    job = Job()
    given = work("we really went to the lake for camping")
    first = compressed(given, job, rate=0.5)
    assert compressed(given, job, rate=0.1) == first
    assert compressed(work("but other turns are others"), job, rate=0.1) != first
    assert job.notes[0][0] == "compressed"
    assert job.notes[0][1]["before"] > job.notes[0][1]["after"] > 0


def test_windows_hold_the_shorter_turns() -> None:
    given = work("we really went to the lake", "it was so very nice there")
    given = replace(given, windows=(Window(turns=given.turns[:1]), Window(turns=given.turns[1:])))
    done = asyncio.run(Compress(rate=0.4).run(given, Job()))
    assert tuple(turn for window in done.windows for turn in window.turns) == done.turns
    assert done.turns[0].text != given.turns[0].text


class Broken:
    name = "broken"

    async def score(self, texts: Any, pieces: Any, tools: Any) -> Any:
        raise LLMError("the server is away")


def test_without_its_model_self_information_decides() -> None:
    job = Job()
    given = work("we really went to the lake for camping with the kids")
    assert compressed(given, job, rate=0.5, scorer=Broken()) == compressed(given, Job(), rate=0.5)
    assert job.notes[0] == ("scorer failed", {"scorer": "broken", "reason": "the server is away"})


class Expecting:
    """Words are tokens with the blank before them, which are the more likely the shorter they are."""

    async def alogprobs(self, text: str) -> list[TokenLogProb]:
        tokens, place = [], 0
        for word in text.split(" "):
            end = place + len(word) + (place > 0)
            tokens.append(TokenLogProb(place, end, -float(len(word)) if place else None))
            place = end
        return tokens


def test_what_a_model_does_not_expect_stays() -> None:
    scorer = CrossEntropy(model=Expecting())
    given = work("it is an extraordinary pottery thing", "a", "")
    assert compressed(given, rate=0.5, scorer=scorer) == ["it extraordinary pottery", "a", ""]


def test_tokens_share_out_over_pieces() -> None:
    pieces = split_pieces("ab cd ef gh")
    spans = [(0, 0), (0, 1), (1, 2), (2, 5), (5, 8)]
    assert share_out(pieces, spans, [9, 1, 2, 4, 8], mean=False).tolist() == [3, 4, 8, 8]
    assert share_out(pieces, spans, [9, 1, 2, 4, 8], mean=True).tolist() == [1.5, 4, 8, 8]
    assert share_out(pieces, [], [], mean=True).tolist() == [0, 0, 0, 0]


def test_the_index_counts_as_the_texts_do() -> None:
    texts = ["camping at the lake", "Camping trips are well-known", "nothing else", "..."]
    words = ["camping", "camped", "trip", "the", "well-known", "lake", "unheard", "...", ""]
    index = Index(4, auto_consolidate=False)
    for i, text in enumerate(texts):
        index.add(user="u", id=str(i), at=AT, text=text)
    counted = index_frequencies(index, "u", words)
    assert counted == frequencies_in(texts, words)
    assert counted == Frequencies(3, [2, 2, 1, 3, 1, 1, 0, 3, 3])
    index.remove(user="u", ids=["1"])
    assert index_frequencies(index, "u", ["camping", "trip"]) == Frequencies(2, [1, 0])
    assert index_frequencies(index, "nobody", ["camping"]) == Frequencies(0, [0])


def test_words_of_an_unknown_user_say_all_the_same() -> None:
    text = "lovely green pale soft"
    (scores,) = asyncio.run(SelfInformation().score([text], [split_pieces(text)], JobWithCorpus({}, 0)))
    assert scores.tolist() == [0.0] * 4


@pytest.mark.parametrize("fields", [{"rate": 0}, {"rate": 1.1}, {"limit": 3}, {"rate": "x"}])
def test_bad_settings_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Compress(**fields)
