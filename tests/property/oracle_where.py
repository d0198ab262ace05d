"""The meaning of `where`, spelled out: one function per rule, JSON types kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MISSING = object()


def matches(metadata: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether every key of `where` accepts `metadata`."""
    return all(_accepts(metadata, key, condition) for key, condition in where.items())


def same(left: Any, right: Any) -> bool:
    """JSON equality: 1 equals 1.0, true is not 1, null only null, lists and objects go item by item."""
    if left is None or right is None:
        return left is None and right is None
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return isinstance(left, str) and isinstance(right, str) and left == right


def _accepts(metadata: Mapping[str, Any], key: str, condition: Any) -> bool:
    if key == "$and":
        return all(matches(metadata, clause) for clause in condition)
    if key == "$or":
        return any(matches(metadata, clause) for clause in condition)
    if key == "$not":
        return not matches(metadata, condition)
    return _holds(_lookup(metadata, key), condition)


def _holds(value: Any, condition: Any) -> bool:
    if not isinstance(condition, dict) or not any(key.startswith("$") for key in condition):
        condition = {"$eq": condition}
    return all(_compare(operator, value, operand) for operator, operand in condition.items())


def _lookup(metadata: Mapping[str, Any], path: str) -> Any:
    value: Any = metadata
    for step in path.split("."):
        if not isinstance(value, dict) or step not in value:
            return MISSING
        value = value[step]
    return value


def _compare(operator: str, value: Any, operand: Any) -> bool:
    if operator == "$and":
        return all(_holds(value, part) for part in operand)
    if operator == "$or":
        return any(_holds(value, part) for part in operand)
    if operator == "$not":
        return not _holds(value, operand)
    present = value is not MISSING
    if operator == "$exists":
        return present is operand
    if operator == "$ne":
        return not (present and same(value, operand))
    if operator == "$nin":
        return not (present and any(same(value, item) for item in operand))
    if not present:
        return False
    if operator == "$eq":
        return same(value, operand)
    if operator == "$in":
        return any(same(value, item) for item in operand)
    if operator == "$contains":
        if isinstance(value, str):
            return isinstance(operand, str) and operand in value
        return isinstance(value, list) and any(same(item, operand) for item in value)
    return (
        _ordered(value, operand)
        and {
            "$gt": lambda: value > operand,
            "$gte": lambda: value >= operand,
            "$lt": lambda: value < operand,
            "$lte": lambda: value <= operand,
        }[operator]()
    )


def _ordered(value: Any, operand: Any) -> bool:
    """Numbers compare with numbers and strings with strings; everything else has no order."""
    if isinstance(value, bool) or isinstance(operand, bool):
        return False
    if isinstance(value, str):
        return isinstance(operand, str)
    return isinstance(value, (int, float)) and isinstance(operand, (int, float))
