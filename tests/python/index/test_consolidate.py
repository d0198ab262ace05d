"""`Index.consolidate` and the layout map from Python; what they do is tested in the core."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

import memspan

DIM = 16


def filled(records: int, *, automatic: bool = False) -> memspan.Index:
    random = np.random.default_rng(1)
    topics = random.standard_normal((12, DIM))
    topic = random.integers(0, 12, records)
    index = memspan.Index(DIM, analyzer="simple", auto_consolidate=automatic)
    index.add_many(
        user="ana",
        ids=[str(number) for number in range(records)],
        ats=np.arange(records),
        embeddings=topics[topic] + 0.5 * random.standard_normal((records, DIM)),
        tags=[[f"topic {t}", f"detail {t} {number % 3}"] for number, t in enumerate(topic)],
    )
    return index


def test_a_report_says_what_was_done() -> None:
    index = filled(2000)
    report = index.consolidate(user="ana")
    assert isinstance(report, memspan.ConsolidationReport)
    assert (report.users, report.skipped, report.records, report.clustered_by_tags) == (1, 0, 2000, 1)
    assert report.fragmentation_before == 1.0
    assert report.fragmentation_after == 0.0
    assert report.cohesion_after > report.cohesion_before
    assert report.estimated_gain > 1
    assert report.clustered_anew == 1
    assert index.consolidate().skipped == 1
    assert index.consolidate(force=True).skipped == 0


def test_a_skipped_user_is_told_of_as_well() -> None:
    index = filled(2000)
    done = index.consolidate(user="ana")
    index.add(user="ana", id="new", at=1, embedding=np.ones(DIM), tags=["topic 0"])
    skipped = index.consolidate(user="ana")
    assert (skipped.users, skipped.skipped, skipped.records, skipped.bytes_moved) == (1, 1, 0, 0)
    assert skipped.blocks_before == skipped.blocks_after == done.blocks_after
    assert skipped.cohesion_before == skipped.cohesion_after == pytest.approx(done.cohesion_after, abs=0.02)
    assert skipped.fragmentation_before == skipped.fragmentation_after == pytest.approx(1 / 2001)
    assert 0.9 < skipped.estimated_gain < 1.15
    assert skipped.measured_gain == 1.0
    everybody = index.consolidate()
    assert everybody.cohesion_before == pytest.approx(skipped.cohesion_before)


def test_a_consolidated_user_is_measured() -> None:
    """Records that came one by one lie in no cluster; how much faster searches become is measured, not assumed."""
    source = np.random.default_rng(5)
    topics = source.standard_normal((12, DIM))
    index = memspan.Index(DIM, analyzer="simple", auto_consolidate=False)

    def add(first: int, last: int) -> None:
        for number in range(first, last):
            topic = number % 12
            embedding = topics[topic] + 0.5 * source.standard_normal(DIM)
            index.add(user="ana", id=str(number), at=number, embedding=embedding, tags=[f"topic {topic}"])

    add(0, 2200)
    first = index.consolidate(user="ana")
    assert (first.skipped, first.records, first.clustered_anew) == (0, 2200, 1)
    add(2200, 3000)
    assert index.remove(user="ana", ids=[str(number) for number in range(100)]) == 100
    second = index.consolidate(user="ana", force=True)
    assert (second.skipped, second.records) == (0, 2900)
    for report, fragmented in ((first, 1.0), (second, 900 / 3000)):
        assert math.isfinite(report.measured_gain)
        assert report.measured_gain > 0
        assert (
            report.measured_gain != 1.0
        )  # what a user who is skipped has; two times are not equal to the nanosecond
        assert report.estimated_gain > 1
        assert report.fragmentation_before == pytest.approx(fragmented)
        assert report.fragmentation_after == 0.0
        assert 0 < report.cohesion_before < report.cohesion_after <= 1
        # Codes of a row or a centroid, whole lines of 64 bytes, and 16 bytes beside them.
        assert report.bytes_moved == (report.records + report.blocks_after) * (64 + 16)
        assert report.clusters <= report.blocks_after
    assert second.blocks_before == first.blocks_after
    skipped = index.consolidate(user="ana")
    assert (skipped.skipped, skipped.measured_gain, skipped.bytes_moved) == (1, 1.0, 0)
    assert skipped.fragmentation_before == second.fragmentation_after
    assert skipped.cohesion_before == pytest.approx(second.cohesion_after, abs=0.02)


def test_the_layout_map_names_every_tag() -> None:
    index = filled(1000)
    assert index.layout_map(user="ana") == []
    index.consolidate(user="ana", force=True)
    spans = index.layout_map(user="ana")
    assert [span.tag for span in spans] == [tag.name for tag in index.tags(user="ana")]
    assert all(0 <= span.start < span.end <= 1000 and span.records > 0 for span in spans)


def test_the_layout_is_that_of_one_thread_on_any_number() -> None:
    maps = []
    for threads in (0, 1, 2):
        index = filled(5000)
        index.consolidate(user="ana", threads=threads)
        maps.append(index.layout_map(user="ana"))
    assert maps[0] == maps[1] == maps[2]
    with pytest.raises(ValueError, match="threads"):
        index.consolidate(threads=-1)


def test_a_search_reads_less_and_says_so() -> None:
    index = filled(3000)
    query = np.ones(DIM)
    index.consolidate(user="ana")
    explanation = index.search(user="ana", embedding=query, explain=True).explanation
    assert explanation is not None
    assert explanation["scan"] == "probe"
    assert 0 < explanation["blocks_probed"] < explanation["blocks"]
    assert explanation["rows_read"] < 3000
    exact = index.search(user="ana", embedding=query, exact=True)
    assert set(index.search(user="ana", embedding=query, recall=1.0).ids) == set(exact.ids)


def test_bad_arguments_are_refused() -> None:
    index = filled(10)
    with pytest.raises(memspan.InvalidArgumentError, match="user"):
        index.consolidate(user=3)  # type: ignore[arg-type]
    with pytest.raises(memspan.InvalidArgumentError, match="force"):
        index.consolidate(force="yes")  # type: ignore[arg-type]
    assert index.consolidate(user="nobody").users == 0


def settled(index: memspan.Index) -> memspan.AutoConsolidations:
    while (state := index.auto_consolidations()).waiting:
        time.sleep(0.001)
    return state


def test_an_index_consolidates_by_itself_unless_it_is_told_not_to(tmp_path: Path) -> None:
    index = filled(3000, automatic=True)
    state = settled(index)
    assert (state.done, state.failed, len(state.reports)) == (1, 0, 1)
    assert state.reports[0].records == 3000
    assert index.consolidate(user="ana").skipped == 1
    index.save(tmp_path / "index")
    never = filled(3000)
    assert never.auto_consolidations() == (0, 0, 0, [])
    assert never.consolidate(user="ana").skipped == 0
    for automatic in (True, False):
        loaded = memspan.Index.load(tmp_path / "index", auto_consolidate=automatic)
        loaded.remove(user="ana", ids=[str(i) for i in range(0, 3000, 2)])
        assert settled(loaded).done == automatic


def test_the_switch_is_a_boolean(tmp_path: Path) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="auto_consolidate: got 1"):
        memspan.Index(DIM, auto_consolidate=1)  # type: ignore[arg-type]
    with pytest.raises(memspan.InvalidArgumentError, match="auto_consolidate: got None"):
        memspan.Index.load(tmp_path / "index", auto_consolidate=None)  # type: ignore[arg-type]
