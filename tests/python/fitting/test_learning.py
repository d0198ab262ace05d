"""Cross-fitting: what an adapter and weights may have seen when they are judged."""

from __future__ import annotations

import numpy as np
import pytest
from planted import PLANTED, make_examples

from memspan import errors
from memspan.fitting import learning as module
from memspan.fitting.adapter import Asking, EmbedderName
from memspan.fitting.cross_validation import Parts
from memspan.fitting.examples import AdapterOf, Example
from memspan.fitting.learning import Learning
from memspan.ranking import QueryAdapter

pytest.importorskip("scipy")

EMBEDDER = EmbedderName("made-up", "abc")


class Recorder:
    """Stands for the data sets: remembers which adapter each conversation was asked with, in each pass."""

    def __init__(self, examples: list[Example]) -> None:
        self.examples = examples
        self.passes: list[dict[tuple[str, str], QueryAdapter | None]] = []

    def __call__(self, adapter_of: AdapterOf) -> list[Example]:
        self.passes.append(
            {
                (each.data_set, each.conversation): adapter_of(each.data_set, each.conversation)
                for each in self.examples
            }
        )
        return self.examples


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[int, set[tuple[str, str]]]:
    """By adapter, the conversations that it was learned from."""
    known: dict[int, set[tuple[str, str]]] = {}
    kept = []

    def stub(askings: list[Asking], embedder: EmbedderName) -> QueryAdapter:
        zero = np.zeros((3, 1), np.float32)
        made = QueryAdapter(embedder=embedder.name, checksum=embedder.checksum, up=zero, down=zero)
        kept.append(made)
        known[id(made)] = {(each.data_set, each.conversation) for each in askings}
        return made

    monkeypatch.setattr(module, "fit_adapter", stub)
    return known


def made() -> tuple[list[Asking], Recorder]:
    examples = [
        *make_examples(PLANTED, count=40, data_set="one"),
        *make_examples(PLANTED, count=40, data_set="two", seed=3),
    ]
    askings = [
        Asking(
            data_set=each.data_set,
            conversation=each.conversation,
            vector=np.ones(3, np.float32),
            records=np.eye(3, dtype=np.float32),
            evidence=np.array([0]),
        )
        for each in examples
    ]
    return askings, Recorder(examples)


def test_weights_are_learned_behind_adapters_that_have_not_seen_the_conversation(
    seen: dict[int, set[tuple[str, str]]],
) -> None:
    askings, recorder = made()
    ranker = Learning(askings, EMBEDDER, recorder).ranker(["made up"])
    everything = {(each.data_set, each.conversation) for each in askings}
    assert ranker.adapter is not None
    assert seen[id(ranker.adapter)] == everything
    assert ranker.trained_on == ("made up",)
    (asked,) = recorder.passes
    assert set(asked) == everything
    for conversation, adapter in asked.items():
        assert adapter is not None
        assert conversation not in seen[id(adapter)]


@pytest.mark.parametrize("hold_out", ["conversation", "data_set"])
def test_what_is_judged_was_seen_by_nothing(hold_out, seen: dict[int, set[tuple[str, str]]]) -> None:
    askings, recorder = made()
    found = Learning(askings, EMBEDDER, recorder).cross_validate(hold_out)
    assert {name: quality.questions for name, quality in found.items()} == {"one": 40, "two": 40}
    parts = Parts.of([(each.data_set, each.conversation) for each in askings], hold_out)
    assert len(recorder.passes) == len(parts.names)
    for out, asked in zip(parts.names, recorder.passes, strict=True):
        for conversation, adapter in asked.items():
            assert adapter is not None
            learned = seen[id(adapter)]
            assert conversation not in learned
            assert all(parts(*each) != out for each in learned)  # judged by it, or learned behind it


def test_one_conversation_cannot_be_left_out() -> None:
    askings, recorder = made()
    alone = [each for each in askings if (each.data_set, each.conversation) == ("one", "c0")]
    with pytest.raises(errors.InvalidArgumentError, match="examples"):
        Learning(alone, EMBEDDER, recorder).cross_validate()
