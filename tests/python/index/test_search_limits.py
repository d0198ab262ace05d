"""How many values the arguments of a search take is what their description says."""

from __future__ import annotations

import re
from typing import Any

import pytest

import memspan

MANY = [str(number) for number in range(100_001)]
TOO_MUCH: dict[str, Any] = {
    "exclude": MANY,
    "require_tags": MANY,
    "tags": MANY,
    "between": [(2 * number, 2 * number + 1) for number in range(2_000)],
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_the_limits_are_told(name: str) -> None:
    index = memspan.Index(dim=4)
    index.add(user="ana", id="m1", at=1, text="green tea")
    with pytest.raises(memspan.InvalidArgumentError, match=f"^{name}: ") as refused:
        index.search(user="ana", text="tea", **{name: TOO_MUCH[name]})
    accepted = str(refused.value).partition("accepted: ")[2]
    most = max(int(number) for number in re.findall(r"\d+", accepted))
    for described in (memspan.Index.search, *([memspan.Memory.search] if name != "tags" else [])):
        assert re.search(rf"\b{name}\b.*:.* {most:,} ?", described.__doc__ or ""), described
