"""Calling `memspan.Index` with the oracle's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from oracle import Oracle
from oracle_views import Rec

import memspan


def fields(rec: Rec) -> dict[str, Any]:
    """The keyword arguments of `Index.add` for a record, without the user."""
    return {
        "id": rec.id,
        "at": rec.at,
        "text": rec.text,
        "embedding": None if rec.embedding is None else np.array(rec.embedding, np.float32),
        "tags": rec.tags,
        "kind": rec.kind,
        "until": rec.until,
        "recorded_at": rec.recorded_at,
        "session": rec.session,
        "speaker": rec.speaker,
        "metadata": dict(rec.metadata),
        "retired_at": rec.retired_at,
        "expires_at": rec.expires_at,
    }


def columns(batch: Sequence[tuple[str, Rec]], dim: int) -> dict[str, Any]:
    """The keyword arguments of `Index.add_many`; all records of a batch have an embedding, or none has."""
    recs = [rec for _, rec in batch]
    result: dict[str, Any] = {
        "users": [user for user, _ in batch],
        "ids": [rec.id for rec in recs],
        "ats": [rec.at for rec in recs],
        "texts": [rec.text for rec in recs],
        "tags": [rec.tags for rec in recs],
        "kinds": [rec.kind for rec in recs],
        "untils": [rec.until for rec in recs],
        "recorded_ats": [rec.recorded_at for rec in recs],
        "sessions": [rec.session for rec in recs],
        "speakers": [rec.speaker for rec in recs],
        "metadatas": [dict(rec.metadata) for rec in recs],
        "retired_ats": [rec.retired_at for rec in recs],
        "expires_ats": [rec.expires_at for rec in recs],
    }
    if recs and recs[0].embedding is not None:
        result["embeddings"] = np.array([rec.embedding for rec in recs], np.float32).reshape(len(recs), dim)
    return result


def arguments(query: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of `Index.search` for a query of the oracle."""
    result = dict(query)
    if result.get("embedding") is not None:
        result["embedding"] = np.array(result["embedding"], np.float32)
    return result


def oracle_arguments(query: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if name != "exact"}


def assert_same_contents(index: memspan.Index, oracle: Oracle, users: Sequence[str]) -> None:
    """Require what an index lists and counts to be what the oracle holds."""
    assert len(index) == sum(len(oracle.user(user).records) for user in users)
    assert set(index.users()) == {
        user for user in users if oracle.user(user).records or oracle.user(user).tags()
    }
    for user in users:
        model = oracle.user(user)
        assert sorted(index.ids(user=user)) == sorted(model.records)
        assert index.stats(user=user)["records"] == len(model.records)
        infos = {info.name: info for info in index.tags(user=user, retired=True)}
        assert {name: info.records for name, info in infos.items()} == model.tags()
        today = {info.name: info.records for info in index.tags(user=user)}
        assert today == model.tags(retired=False)
        assert index.names(user=user) == (model.speakers(retired=False), list(today))
        assert index.names(user=user, retired=True) == (model.speakers(), list(infos))
        for name, info in infos.items():
            assert sorted(info.children) == sorted(child for parent, child in model.edges if parent == name)
            assert sorted(info.parents) == sorted(parent for parent, child in model.edges if child == name)
        for parent, child in model.edges:
            assert infos[parent].specificity < infos[child].specificity
