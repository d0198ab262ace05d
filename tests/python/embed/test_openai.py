from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

pytest.importorskip("httpx")
pytest.importorskip("tenacity")

from memspan.embed import OpenAIEmbedder
from memspan.embed.cutting import cut
from memspan.errors import InvalidArgumentError

SECRET = "sk-very-secret"


def make(server: Any, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", **{"base_url": server.url, "api_key": SECRET, **options})


def test_vectors_come_back_in_the_order_of_the_texts(server: Any) -> None:
    with make(server) as embedder:
        texts = ["alpha", "be", "gamma!"]
        vectors = embedder.embed_documents(texts)
        assert vectors.dtype == np.float32
        assert np.array_equal(vectors, [server.vector(text) for text in texts])
        assert np.array_equal(embedder.embed_query("q"), server.vector("q"))
    probe, request, query = server.requests
    assert probe.payload["input"] == ["dimension"]
    assert request.payload == {"model": "tiny", "input": texts}
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert query.payload["input"] == ["q"]


def test_the_server_is_that_of_the_environment_unless_it_is_named(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for language models: a key for a server of one's own goes nowhere else, nor do the texts."""
    monkeypatch.setenv("OPENAI_BASE_URL", f" {server.url}/ ")
    with OpenAIEmbedder("tiny", dim=4, api_key=SECRET) as embedder:
        embedder.embed_query("x")
    assert len(server.requests) == 1
    with pytest.raises(InvalidArgumentError, match="base_url"):
        OpenAIEmbedder("tiny", base_url="")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with OpenAIEmbedder("tiny", dim=4, api_key=SECRET) as embedder:
        assert "https://api.openai.com/v1/embeddings" in repr(embedder)


def test_a_known_dimension_spares_the_probe(server: Any) -> None:
    with make(server, dim=4) as embedder:
        assert embedder.dim == 4
        assert embedder.embed_documents([]).shape == (0, 4)
        assert server.requests == []
        embedder.embed_query("x")
    assert [request.payload for request in server.requests] == [{"model": "tiny", "input": ["x"]}]


@pytest.mark.parametrize("dimensions", [7, np.int64(7)])
def test_dimensions_are_asked_for(server: Any, dimensions: Any) -> None:
    with make(server, dimensions=dimensions) as embedder:
        assert embedder.dim == 7
        assert embedder.embed_query("x").shape == (7,)
    assert server.requests[0].payload["dimensions"] == 7


def test_base64_is_understood(server: Any) -> None:
    with make(server, encoding="base64", dim=4) as embedder:
        assert np.array_equal(embedder.embed_query("abc"), server.vector("abc"))
    assert server.requests[0].payload["encoding_format"] == "base64"


def test_prefixes_cutting_and_empty_texts(server: Any) -> None:
    with make(server, dim=4, query_prefix="Q: ", document_prefix="D: ", max_chars=6) as embedder:
        embedder.embed_query("question")
        embedder.embed_documents(["document", ""])
    with make(server, dim=4) as embedder:
        embedder.embed_documents([""])
    assert [request.payload["input"] for request in server.requests] == [["Q: que"], ["D: doc", "D: "], [" "]]


def test_batches_are_limited_in_texts_and_characters(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.openai._BATCH_CHARS", 20)
    texts = ["a", "b", "c", "d" * 15, "e" * 15, "f" * 5, "g" * 30, "h"]
    with make(server, dim=4, batch=2) as embedder:
        vectors = embedder.embed_documents(texts)
    assert [request.payload["input"] for request in server.requests] == [
        texts[:2],
        texts[2:4],
        texts[4:6],
        texts[6:7],
        texts[7:],
    ]
    assert np.array_equal(vectors, [server.vector(text) for text in texts])


def test_replies_without_an_index_keep_their_order(server: Any) -> None:
    server.queue(server.data([{"embedding": [1, 2]}, {"embedding": [3, 4]}]))
    with make(server, dim=2) as embedder:
        assert embedder.embed_documents(["a", "b"]).tolist() == [[1, 2], [3, 4]]


def test_the_key_comes_from_the_environment_and_may_be_absent(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make(server, dim=4, api_key=None) as embedder:
        embedder.embed_query("x")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env\n")
    with make(server, dim=4, api_key=None, headers={"X-Team": "blue"}) as embedder:
        embedder.embed_query("x")
    first, second = server.requests
    assert "authorization" not in first.headers
    assert second.headers["authorization"] == "Bearer sk-env"
    assert second.headers["x-team"] == "blue"


def test_openais_own_endpoint_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InvalidArgumentError, match=r"api_key.*OPENAI_API_KEY"):
        OpenAIEmbedder("text-embedding-3-small")


def test_identity_is_the_model_and_what_is_sent(server: Any) -> None:
    variants: list[dict[str, Any]] = [{}, {"dimensions": 4}, {"query_prefix": "q"}, {"document_prefix": "d"}]
    checksums = set()
    for variant in variants:
        with make(server, **variant) as embedder, make(server, batch=1, dim=4, **variant) as other:
            assert embedder.name == "tiny"
            assert embedder.checksum == other.checksum
            checksums.add(embedder.checksum)
    assert len(checksums) == len(variants)
    assert server.requests == []


def test_threads_share_one_embedder(server: Any) -> None:
    results: dict[int, np.ndarray] = {}
    with make(server) as embedder:

        def run(number: int) -> None:
            results[number] = embedder.embed_documents([f"text {number}"])[0]

        threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(np.array_equal(results[number], server.vector(f"text {number}")) for number in range(6))
    assert sum(request.payload["input"] == ["dimension"] for request in server.requests) == 1


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"model": ""}, "model"),
        ({"model": 3}, "model"),
        ({"base_url": "ftp://127.0.0.1/v1"}, "base_url"),
        ({"base_url": "http://127.0.0.1/v1/embeddings"}, "base_url"),
        ({"base_url": "127.0.0.1:80"}, "base_url"),
        ({"base_url": "http://"}, "base_url"),
        ({"base_url": "http://127.0.0.1/v1?key=1"}, "base_url"),
        ({"base_url": "http://127.0.0.1:99999"}, "base_url"),
        ({"base_url": 5}, "base_url"),
        ({"dim": 0}, "dim"),
        ({"dimensions": 9000}, "dimensions"),
        ({"dim": 4, "dimensions": 5}, "dim"),
        ({"encoding": "json"}, "encoding"),
        ({"max_chars": 0}, "max_chars"),
        ({"batch": 0}, "batch"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "30"}, "timeout"),
        ({"longest_pause": float("nan")}, "longest_pause"),
        ({"retries": -1}, "retries"),
        ({"query_prefix": None}, "query_prefix"),
    ],
)
def test_bad_arguments_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{named}: got"):
        OpenAIEmbedder(**{"model": "m", "base_url": "http://127.0.0.1:9/v1", **options})


def test_bad_texts_send_nothing(server: Any) -> None:
    with make(server, dim=4) as embedder:
        for bad in (None, 1, "\ud800"):
            with pytest.raises(InvalidArgumentError, match=r"texts\[1\]"):
                embedder.embed_documents(["a", bad])  # type: ignore[list-item]
            with pytest.raises(InvalidArgumentError, match="text"):
                embedder.embed_query(bad)  # type: ignore[arg-type]
    assert server.requests == []


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("word " * 4000, 16_000),
        ("слово " * 4000, 16_000),
        ("記憶" * 8000, 5_333),
        ("כתב" * 8000, 8_000),
        ("\U0001f600" * 8000, 2_666),
        ("a" * 10_000 + "記" * 10_000, 12_000),
    ],
)
def test_texts_are_cut_to_what_fits_into_8192_tokens(server: Any, text: str, sent: int) -> None:
    """Of Chinese and Japanese a sign takes a token or more."""
    with make(server, dim=4) as embedder:
        embedder.embed_documents([text[: len(text) // 4], text])
    short, long = server.requests[0].payload["input"]
    assert short == text[: min(len(text) // 4, sent)]
    assert long == text[:sent]


def test_half_a_sign_is_cut_as_well() -> None:
    assert cut("\ud800" * 8000, 16_000) == "\ud800" * 5_333


def test_characters_are_characters_where_somebody_counts_them(server: Any) -> None:
    with make(server, dim=4, max_chars=500) as embedder:
        embedder.embed_query("記" * 600)
    assert server.requests[0].payload["input"] == ["記" * 500]
