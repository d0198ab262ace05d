"""Rule for `tag`: the longest words of an item, those of the vocabulary first, the first one broadest."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "tag"]

_WORD = re.compile(r"[^\W\d_]{5,}")
_MOST = 4


def tag(asked: Asked) -> dict[str, Any]:
    """At most four tags for each item."""
    known = {name: place for place, name in enumerate(asked.data["vocabulary"])}
    items = []
    for line in asked.data["items"]:
        text = line.get("statement") or " ".join(turn["text"] for turn in line["turns"])
        words = sorted(set(_WORD.findall(text.lower())))
        words.sort(key=lambda word: (known.get(word, len(known)), -len(word)))
        tags = words[:_MOST]
        relations = [{"parent": tags[0], "child": child} for child in tags[1:]]
        items.append({"n": line["n"], "tags": tags, "relations": relations})
    return {"items": items}


RULES = {"tag": tag}
