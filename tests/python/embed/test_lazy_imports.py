from __future__ import annotations

import subprocess
import sys

import pytest

import memspan.embed

OPTIONAL = ("onnxruntime", "tokenizers", "httpx", "tenacity", "onnx", "pip")


def test_importing_loads_no_optional_dependency() -> None:
    program = (
        "import sys, memspan.embed as e\n"
        "e.resolve_embedder('hash').embed_query('x')\n"
        "e.find_model(e.DEFAULT_MODEL)\n"
        f"print([name for name in {OPTIONAL!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_exported_name_exists() -> None:
    pytest.importorskip("httpx")
    pytest.importorskip("tenacity")
    for name in memspan.embed.__all__:
        assert getattr(memspan.embed, name) is not None
    assert set(memspan.embed.__all__) <= set(dir(memspan.embed))
    with pytest.raises(AttributeError, match="NoSuchEmbedder"):
        memspan.embed.NoSuchEmbedder  # noqa: B018


@pytest.mark.parametrize("package", ["httpx", "tenacity"])
def test_a_missing_package_names_the_extra(package: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import memspan.embed, memspan.errors\n"
        "try: memspan.embed.OpenAIEmbedder\n"
        "except memspan.errors.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert package in done.stdout
    assert 'pip install "memspan[llm]"' in done.stdout
