"""`memspan compress`."""

from __future__ import annotations


def test_a_dry_run_says_what_would_be_done(run, filled):
    output = run("compress", "--store", filled, "--user", "demo", "--dry-run").output
    assert "would compress" in output
    assert "of the names" in output


def test_it_compresses(run_json, filled):
    asked = ("compress", "--store", filled, "--user", "demo", "--strategy", "uniform", "--ratio", 0.6)
    document = run_json(*asked, "--discard-originals")
    assert document["compressed"] > 0
    assert document["words_after"] < document["words_before"]
    assert document["measured"]["numbers"] == 1
    assert run_json(*asked, "--discard-originals")["records"] < document["records"]


def test_only_kinds_that_can_be_compressed_are_offered(run, filled):
    asked = ("compress", "--store", filled, "--user", "demo", "--dry-run", "--kind")
    assert "would compress 0 of 0" in run(*asked, "procedural").output
    for kind in ("vault", "resource"):
        assert "is not one of 'episodic', 'semantic', 'procedural'" in run(*asked, kind, code=2).output


def test_a_ratio_outside_0_to_1_is_wrong_usage(run, filled):
    run("compress", "--store", filled, "--user", "demo", "--ratio", 0, code=2)
    run("compress", "--store", filled, "--user", "demo", "--ratio", 1.1, code=2)
