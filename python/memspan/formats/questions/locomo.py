"""Questions of LoCoMo: `qa` of each sample.

Categories are those of the data: 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial. Other
projects number them differently, so names and counts belong beside every figure. An adversarial question asks
for what was never said; its `evidence` is the turn that misleads, so it is kept as unanswerable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..fields import as_name, each_object, required
from ..format import Request
from ..source import Item
from .labelled import DataSet, LabelledQuestion, Turns
from .qa import read_qa

__all__ = ["LOCOMO"]

_CATEGORIES = ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")


def _read(items: Iterable[Item], request: Request, turns: Turns) -> Iterator[LabelledQuestion]:
    for place, sample in each_object(items):
        user = required(sample, "sample_id", place, as_name)
        yield from read_qa(
            sample,
            place,
            user=user,
            turns=turns.get(user, {}),
            categories=_CATEGORIES,
            unanswerable="adversarial",
        )


LOCOMO = DataSet("locomo", "turn", _CATEGORIES, _read)
