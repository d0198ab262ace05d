"""What each kind of question changes in a plan: a table."""

from __future__ import annotations

from typing import Final, NamedTuple

from .kind_rules import KindName

__all__ = ["SETTINGS", "Setting"]


class Setting(NamedTuple):
    """The depth and the shape of a retrieval. Weights by kind were learned (memspan.ranking).

    No depth is below 10, though SimpleMem's go from 3 to 20 (section 3.1): there a unit of memory is a statement that
    stands for many turns, and 3 of them answer nearly as well as 10 (table 6). Of turns, 3 hold 77 % of the evidence
    of LoCoMo's lookups and 10 hold 89 %; for "when" it is 90 and 94 %. Plans by a model do go down to 3
    (`memspan.recall.plan_by_model`), in recipes that make such units.
    """

    k: int
    sessions: int
    distinct: bool
    reason: str


# Measured on LoCoMo, REALTALK and BEAM with weights from other conversations. One session in four hits changes no
# recall of listings by a point; more sessions, or sessions for other kinds, cost some. Likeness was worth nothing for
# any kind, so that no rule sets `diversity`; time apart for the steps of an order (BEAM's recall@10 of them 27.9 to
# 32.3 %, with the data set left out 16.4 to 19.5), not for listings. What happened twice in the same words counts twice
# where a question counts, and has two dates.
SETTINGS: Final[dict[KindName, Setting]] = {
    "lookup": Setting(10, 1, True, "one place, and what stands beside it"),
    "when": Setting(10, 1, False, "the turn that dates it"),
    "yes_no": Setting(10, 1, True, "what speaks for it and what against it"),
    "update": Setting(10, 1, False, "earlier and later states"),
    "assistant": Setting(10, 1, True, "one earlier answer"),
    "preference": Setting(20, 1, True, "stated preferences rarely share words with it"),
    "list": Setting(30, 8, False, "every mention, from many sessions"),
    "order": Setting(30, 1, False, "every step"),
    "summary": Setting(40, 1, True, "all of it"),
}
