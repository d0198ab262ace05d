"""Whatever a secret is, it opens under its key as its record's, and under nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.errors import VaultError, VaultKeyError
from memspan.vault.keys import KeyRing
from memspan.vault.sealing import opened, sealed

pytest.importorskip("cryptography")

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
keys = st.binary(min_size=32, max_size=32)
secrets = st.one_of(st.binary(min_size=1, max_size=200), names)


@given(keys, keys, names, names, names, secrets, st.data())
@settings(PROFILE, max_examples=200)
def test_sealing(
    key: bytes, other: bytes, user: str, record: str, elsewhere: str, secret: str | bytes, data: st.DataObject
) -> None:
    ring = KeyRing(key, None)
    kept = sealed(ring.current([]), user, record, secret)
    assert opened(ring, user, kept) == secret
    assert type(opened(ring, user, kept)) is type(secret)
    plain = secret.encode() if isinstance(secret, str) else secret
    assert len(plain) < 4 or plain not in kept.ciphertext
    assert len(kept.ciphertext) % 32 == 16, "full blocks and the tag"
    if other != key:
        with pytest.raises(VaultKeyError):
            opened(KeyRing(other, None), user, kept)
    if elsewhere != record:
        with pytest.raises(VaultError):
            opened(ring, user, kept._replace(record=elsewhere))
    if elsewhere != user:
        with pytest.raises(VaultError):
            opened(ring, elsewhere, kept)
    for field in ("nonce", "ciphertext"):
        content = bytearray(getattr(kept, field))
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= 1 << data.draw(st.integers(0, 7))
        with pytest.raises(VaultError):
            opened(ring, user, kept._replace(**{field: bytes(content)}))
