"""How likely it is that something follows something else by chance."""

from __future__ import annotations

from math import comb, exp, lgamma, log, log1p

__all__ = ["binomial_tail", "chance_within"]

_EXACT = 60


def binomial_tail(found: int, tried: int, chance: float) -> float:
    """P(X >= found) for X binomial of `tried` trials with `chance`: exact for few trials, else by logarithms;
    O(tried)."""
    if found <= 0:
        return 1.0
    if found > tried or chance <= 0.0:
        return 0.0
    if chance >= 1.0:
        return 1.0
    if tried <= _EXACT:
        return min(
            1.0,
            sum(comb(tried, i) * chance**i * (1 - chance) ** (tried - i) for i in range(found, tried + 1)),
        )
    whole, yes, no = lgamma(tried + 1), log(chance), log1p(-chance)
    terms = (
        exp(whole - lgamma(i + 1) - lgamma(tried - i + 1) + i * yes + (tried - i) * no)
        for i in range(found, tried + 1)
    )
    return min(1.0, sum(terms))


def chance_within(count: int, total: int, places: int) -> float:
    """That one of `places` positions holds an item which `count` of `total` positions hold."""
    return 1.0 - (1.0 - count / total) ** places if total else 0.0
