"""The package's ranker behind tuned questions belongs to the default embedder, and to no other."""

from __future__ import annotations

import pytest

from memspan.embed import OnnxEmbedder, resolve_embedder
from memspan.embed.registry import DEFAULT_MODEL
from memspan.errors import MissingExtraError, ModelNotFoundError
from memspan.ranking import default_ranker, has_tuned_questions


def test_other_embedders_have_the_general_one() -> None:
    general = default_ranker()
    assert default_ranker("hash", "") is general
    assert default_ranker(DEFAULT_MODEL, "another checksum") is general
    assert not has_tuned_questions(DEFAULT_MODEL, "another checksum")
    assert not has_tuned_questions(None, None)


@pytest.mark.model
def test_the_default_embedder_has_its_own() -> None:
    try:
        embedder = resolve_embedder(None)
    except (MissingExtraError, ModelNotFoundError) as error:
        pytest.skip(str(error))
    assert isinstance(embedder, OnnxEmbedder)
    assert has_tuned_questions(embedder.name, embedder.checksum)
    tuned = default_ranker(embedder.name, embedder.checksum)
    assert tuned is not default_ranker()
    assert tuned.adapter is None
    assert tuned.net is not None
