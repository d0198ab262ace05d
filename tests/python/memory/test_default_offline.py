"""The real default `Memory`, where there is no network and no package of a language model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

from memspan.embed import DEFAULT_MODEL, find_model

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_model(DEFAULT_MODEL) is None,
        reason=f"model {DEFAULT_MODEL} is not on this machine: memspan models pull {DEFAULT_MODEL}",
    ),
]

# In a process of its own, so that nothing is imported or connected before the door is shut. What is refused is noted,
# too: a call that swallows the error must not pass.
_PROGRAM = """
import json, socket, sys
refused = []

def refuse(*arguments, **options):
    refused.append("a socket")
    raise OSError("refused")

for name in ("connect", "connect_ex", "sendto", "bind"):
    setattr(socket.socket, name, refuse)
for name in ("create_connection", "getaddrinfo", "gethostbyname"):
    setattr(socket, name, refuse)

class Door:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("openai", "httpx", "tenacity", "pydantic", "json_repair", "requests"):
            refused.append(name)
            raise ImportError(name)
        return None

sys.meta_path.insert(0, Door())

from memspan import Memory

with Memory(sys.argv[1]) as memory:
    memory.add(json.loads(sys.argv[2]), user="ana")
    found = memory.search("Where does Ana live now?", user="ana", k=3)
    context = memory.context("Where does Ana live now?", user="ana", tokens=40)
    print(json.dumps({
        "first": found[0].id,
        "planned": found.plan is not None,
        "context": context.text,
        "embedder": memory._engine.embedder.identity.name,
        "tokens": memory._engine.tokens is not None,
        "refused": refused,
        "clients": sorted({"memspan.llm.client", "memspan.embed.endpoint"} & {*sys.modules}),
    }))
"""

_TURNS = [
    {
        "id": "move",
        "text": "I moved to Bergen in March, the flat has a view of the harbour.",
        "speaker": "Ana",
    },
    {"id": "dog", "text": "The dog has to see the vet again on Tuesday.", "speaker": "Bo"},
    {"id": "bread", "text": "We baked bread with rye and it took all day.", "speaker": "Ana"},
    {"id": "bill", "text": "The bill was 640 euros, far too much for a tooth.", "speaker": "Bo"},
]


def test_the_default_needs_no_network_and_no_language_model(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path / "offline.memspan"), json.dumps(_TURNS)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["embedder"] == DEFAULT_MODEL
    assert told["tokens"]
    assert told["planned"]
    assert told["first"] == "move"
    assert "Bergen" in told["context"]
    assert told["refused"] == []
    assert told["clients"] == []
