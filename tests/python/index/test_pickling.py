"""What is native cannot be pickled, and says so; what never changes is a copy of itself."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own: one that gets this wrong is at its end.
CODE = """
import copy, pickle, sys
import memspan
from memspan.ranking import default_ranker

index = memspan.Index(4)
index.add(user="ana", id="a", at=1, text="tent")
hits = index.search(user="ana", text="tent")
ranker = default_ranker()
protocols = range(pickle.HIGHEST_PROTOCOL + 1)
for value in index, hits, hits[0], memspan.Query(user="ana"), ranker.ranking(), ranker:
    attempts = [lambda value, number=number: pickle.dumps(value, number) for number in protocols]
    if value is index:
        attempts.append(copy.deepcopy)
    else:
        assert isinstance(copy.deepcopy(copy.copy(value)), type(value))
    for native in value, getattr(value, "_native", value):
        if type(native).__module__ == "memspan._core":
            assert native is value or native is index._native or copy.copy(native) is copy.deepcopy(native) is native
            attempts += [lambda value: native.__reduce__(), lambda value: native.__reduce_ex__(4)]
    for attempt in attempts:
        try:
            attempt(value)
        except TypeError as error:
            assert "pickle" in str(error), error
        else:
            raise AssertionError(value)
print(len(copy.copy(index)))
"""


def test_native_objects_are_refused_in_every_protocol() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\n"
