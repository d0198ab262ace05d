"""The study on real conversations, on small ones of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from memspan.cli.main import cli
from memspan.embed import CallableEmbedder
from memspan.errors import FormatError, InvalidArgumentError
from memspan.index import Index
from memspan.simulate.real import REAL_EXPERIMENTS, real_study
from memspan.simulate.real.figures import draw_real
from memspan.simulate.real.keeping import kept_at_random, kept_under
from memspan.simulate.real.kinds import kind_by_rule
from memspan.simulate.real.outcome import RealOutcome
from memspan.simulate.real.salience import estimated_importance

native = pytest.mark.skipif(not hasattr(Index, "set_quotas"), reason="the native quotas are not there yet")

TOPICS = ("quince", "ferry", "beehive", "lantern", "harbour", "cider", "violin", "glacier")
MONTHS = ("January", "March", "May", "July", "September", "November")


def write_conversation(path: Path, name: str, topics: tuple[str, ...] = TOPICS) -> Path:
    """One conversation of 48 turns over a year, in LoCoMo's layout; each question is about one turn."""
    conversation: dict[str, Any] = {}
    asked = []
    for number, month in enumerate(MONTHS, 1):
        conversation[f"session_{number}_date_time"] = f"9:00 am on 4 {month}, 2022"
        conversation[f"session_{number}"] = [
            {
                "dia_id": f"D{number}:{place}",
                "speaker": ("Ilka", "Tomasz")[place % 2],
                "text": f"In {month} I saw a {topic} and told everybody about the {topic} number {number}.",
            }
            for place, topic in enumerate(topics, 1)
        ]
        asked += [
            {
                "question": f"What about the {topic} in {month}?",
                "answer": "-",
                "evidence": [f"D{number}:{place}"],
                "category": 4,
            }
            for place, topic in enumerate(topics, 1)
        ]
    path.write_text(json.dumps([{"sample_id": name, "conversation": conversation, "qa": asked}]))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_conversation(tmp_path / "conversations.json", "orchard")


def study(file: Path, tmp_path: Path, *names: str) -> Any:
    return real_study([("locomo", file)], names=names, embedder="hash:64", store_dir=tmp_path / "kept")


def by_name(found: Any, experiment: str) -> dict[str, RealOutcome]:
    return {outcome.name: outcome for outcome in found.outcomes[experiment]}


def test_staleness_over_the_conversations_own_time(file: Path, tmp_path: Path) -> None:
    found = by_name(study(file, tmp_path, "staleness"), "staleness")
    off = found["off"]
    assert off.reference
    assert np.isfinite(off.values).all()
    assert off.values.mean() > 0.9
    for policy in ("decay", "refresh", "provenance"):
        # Bounded, the first ten are the same ten; pruning takes old evidence away.
        assert (found[f"{policy}, bounded"].values == off.values).all()
        assert found[f"{policy}, pruned"].measured["evidence old"] <= off.measured["evidence old"]
    assert found["decay, pruned"].measured["evidence old"] < 0.3 < off.measured["evidence old"]
    assert found["decay, bounded"].measured["moved"] > 0
    assert not any(name.startswith("validity") for name in found)


def test_the_order_and_the_names_of_files_change_nothing(file: Path, tmp_path: Path) -> None:
    other = write_conversation(tmp_path / "other.json", "garden", TOPICS[::-1])
    renamed = write_conversation(tmp_path / "renamed.json", "meadow", TOPICS[::-1])
    found = [
        by_name(
            real_study(
                [("locomo", each) for each in files],
                names=["staleness"],
                embedder="hash:64",
                store_dir=tmp_path / "kept",
            ),
            "staleness",
        )
        for files in ((file, other), (renamed, file))
    ]
    for name, outcome in found[0].items():
        assert outcome.values.tolist() == np.roll(found[1][name].values, 48).tolist(), name
        assert outcome.measured == pytest.approx(found[1][name].measured)
        one, two = (each[name].against(each["off"], np.full(96, True)) for each in found)
        assert (one.mean, one.low, one.high) == pytest.approx((two.mean, two.low, two.high)), name


def test_what_no_question_tells_is_left_out_of_json(file: Path, tmp_path: Path) -> None:
    samples = json.loads(file.read_text())
    del samples[0]["qa"][1:]
    file.write_text(json.dumps(samples))
    document = study(file, tmp_path, "staleness").to_dict()
    json.dumps(document, allow_nan=False)
    assert "evidence old" not in document["experiments"]["staleness"][0]["measured"]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A chat in BEAM's layout: a number is said, is replaced, and then many other things are said."""
    said = ["The ferry to Texel leaves at seven.", "The ferry to Texel leaves at nine now."]
    said += [f"On day {day} I saw a {topic}." for day in range(6) for topic in TOPICS]
    turns = [
        [{"id": number, "role": "user", "content": text, "time_anchor": None, "index": None}]
        for number, text in enumerate(said)
    ]
    directory = tmp_path / "100K" / "3"
    (directory / "probing_questions").mkdir(parents=True)
    (directory / "chat.json").write_text(
        json.dumps(
            [
                {"batch_number": number + 1, "time_anchor": f"{month}-01-2024", "turns": turns[start:end]}
                for number, (month, start, end) in enumerate(
                    [("January", 0, 1), ("March", 1, 10), ("July", 10, len(turns))]
                )
            ]
        )
    )
    asked = {
        "knowledge_update": [
            {
                "question": "When does the ferry to Texel leave?",
                "source_chat_ids": {"original_info": [0], "updated_info": [1]},
            }
        ],
        "information_extraction": [{"question": "What about the glacier?", "source_chat_ids": [9]}],
    }
    (directory / "probing_questions" / "probing_questions.json").write_text(json.dumps(asked))
    return directory / "chat.json"


def test_validity_takes_away_what_was_replaced_and_nothing_else(
    file: Path, chat: Path, tmp_path: Path
) -> None:
    files = [("locomo", file), ("beam", chat)]
    done = real_study(files, names=["staleness"], embedder="hash:64", store_dir=tmp_path / "kept")
    found = by_name(done, "staleness")
    off, pruned = found["off"], found["validity, pruned"]
    assert (off.measured["stands"], off.measured["outdated"]) == (1, 1)
    assert (pruned.measured["stands"], pruned.measured["outdated"]) == (1, 0)
    assert found["validity, multiplied"].measured["stands first"] == 1
    assert found["validity, bounded"].measured["outdated"] == 1
    # Of the evidence of the update half is gone; the other question keeps its own; where no label says what was
    # replaced nobody is asked.
    assert pruned.values[-2:].tolist() == [0.5, off.values[-1]]
    assert np.isnan(pruned.values[:-2]).all()
    table = done.tables()[1]
    assert next(row for row in table.rows if row[0] == "validity, pruned")[1] == ""
    document = json.loads(json.dumps(done.to_dict()))["experiments"]["staleness"]
    shown = {each["condition"]: each for each in document}["validity, pruned"]
    assert list(shown["recall@10"]) == list(shown["difference"]) == ["beam"]
    pytest.importorskip("matplotlib")
    draw_real(done, tmp_path)


def test_evidence_without_a_time_is_none(chat: Path, tmp_path: Path) -> None:
    batches = json.loads(chat.read_text())
    undated = {"batch_number": 0, "turns": [[{"id": 999, "role": "user", "content": "My kiln is red."}]]}
    chat.write_text(json.dumps([undated, *batches]))
    questions = chat.parent / "probing_questions" / "probing_questions.json"
    asked = json.loads(questions.read_text())
    count = sum(map(len, asked.values()))
    asked["information_extraction"].append({"question": "Which kiln?", "source_chat_ids": [999]})
    questions.write_text(json.dumps(asked))
    found = real_study(
        [("beam", chat)], names=("staleness",), embedder="hash:64", store_dir=tmp_path / "kept"
    )
    assert sum(len(one.questions) for one in found.conversations) == count


def test_compression_on_real_text(file: Path, tmp_path: Path) -> None:
    found = by_name(study(file, tmp_path, "compression"), "compression")
    assert found["none"].reference
    for strategy in ("uniform", "adaptive", "hierarchical"):
        ratios = [found[f"{strategy}, r* = {target:g}"].measured["ratio"] for target in (0.8, 0.6, 0.4, 0.2)]
        assert ratios == sorted(ratios, reverse=True)
        assert found[f"{strategy}, r* = 0.2"].measured["numbers"] == 1
    assert found["uniform, r* = 0.4"].measured["nominal"] == pytest.approx(0.76)


@native
def test_capacity_and_allocation(file: Path, tmp_path: Path) -> None:
    done = study(file, tmp_path, "capacity", "allocation")
    found = by_name(done, "capacity")
    everything = found["all turns"].values.mean()
    for order in ("oldest", "value", "random"):
        kept = [found[f"{share:.0%}, {order}"].measured["kept"] for share in (0.75, 0.5, 0.25, 0.1)]
        assert kept == sorted(kept, reverse=True)
        assert found[f"10%, {order}"].values.mean() < everything
    shared = by_name(done, "allocation")
    assert len(shared) == 16
    assert all(outcome.measured["kept"] <= 0.51 for outcome in shared.values())


@native
def test_the_quotas_keep_as_many_as_they_may(file: Path, tmp_path: Path) -> None:
    (conversation,) = study(file, tmp_path).conversations
    newest = kept_under(conversation, {"episodic": 8, "semantic": 8, "procedural": 8}, "oldest")
    assert 8 <= len(newest) <= 24
    assert kept_at_random(conversation, 10) == kept_at_random(conversation, 10)
    assert len(kept_at_random(conversation, 1000)) == 48


def test_tables_json_and_figures(file: Path, tmp_path: Path) -> None:
    found = study(file, tmp_path, "staleness")
    tables = found.tables()
    assert [len(table.columns) for table in tables] == [len(table.rows[0]) for table in tables]
    assert "'off'" in tables[1].note
    document = json.loads(json.dumps(found.to_dict()))
    assert document["experiments"]["staleness"][0]["recall@10"]["locomo"] > 0.9
    assert sum(document["kinds"]["locomo"].values()) == pytest.approx(2)
    pytest.importorskip("matplotlib")
    (path,) = draw_real(found, tmp_path)
    assert path.name == "real_staleness.png"


def test_other_ratios(file: Path, tmp_path: Path) -> None:
    found = real_study(
        [("locomo", file)], names=["compression"], embedder="hash:64", store_dir=tmp_path, ratios=[0.5]
    )
    assert len(found.outcomes["compression"]) == 4


def test_progress_is_told(file: Path, tmp_path: Path) -> None:
    told: list[str] = []
    real_study(
        [("locomo", file)],
        names=["staleness"],
        embedder="hash:64",
        store_dir=tmp_path,
        advance=lambda what, count: told.append(what),
    )
    assert told == ["embedding", "staleness"]


def test_bad_arguments_are_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="names"):
        study(file, tmp_path, "horizon")
    with pytest.raises(InvalidArgumentError, match="ratios"):
        real_study([("locomo", file)], embedder="hash:64", store_dir=tmp_path, ratios=[0])
    with pytest.raises(InvalidArgumentError, match="files"):
        real_study([], embedder="hash:64", store_dir=tmp_path)
    with pytest.raises(InvalidArgumentError, match="embedder"):
        real_study(
            [("locomo", file)],
            embedder=CallableEmbedder(lambda texts: np.ones((len(texts), 4))),
            store_dir=tmp_path,
        )


def test_files_that_cannot_be_read_are_told_before_any_is_embedded(file: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text(file.read_text()[:500])
    told: list[str] = []
    with pytest.raises(FormatError, match=r"cut\.json"):
        real_study(
            [("locomo", file), ("locomo", tmp_path / "cut.json")],
            embedder="hash:64",
            store_dir=tmp_path,
            advance=lambda what, count: told.append(what),
        )
    assert told == []


def test_a_conversation_that_comes_twice_is_refused(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    copy.write_text(file.read_text())
    with pytest.raises(InvalidArgumentError, match=r"'locomo copy\.json'.*orchard comes twice"):
        real_study([("locomo", file), ("locomo", copy)], embedder="hash:64", store_dir=tmp_path)


def test_files_without_labelled_evidence_are_named(file: Path, tmp_path: Path) -> None:
    (one,) = json.loads(file.read_text())
    file.write_text(json.dumps([{**one, "qa": [{**each, "evidence": []} for each in one["qa"]]}]))
    with pytest.raises(InvalidArgumentError, match=r"locomo conversations\.json'; accepted"):
        real_study([("locomo", file)], embedder="hash:64", store_dir=tmp_path)


def test_the_command(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMSPAN_EMBEDDER", raising=False)
    asked = ["simulate", "--real", "locomo", str(file), "--embedder", "hash:64", "--store-dir", str(tmp_path)]
    done = CliRunner().invoke(cli, [*asked, "--experiment", "staleness"])
    assert done.exit_code == 0, done.output
    assert "decay, pruned" in done.output
    document = json.loads(CliRunner().invoke(cli, [*asked, "--experiment", "staleness", "--json"]).stdout)
    assert set(document["experiments"]) == {"staleness"}
    for wrong in ([*asked, "--experiment", "horizon"], ["simulate", "--store-dir", str(tmp_path)]):
        assert CliRunner().invoke(cli, wrong).exit_code == 2


def test_importance_is_how_much_a_turn_says_among_those_so_far() -> None:
    texts = [
        "Hello there!",
        "We bought a quince, a lantern and a violin in Lisbon.",
        "Hello!",
        "Hello again.",
    ]
    found = estimated_importance(texts)
    assert ((found > 0) & (found < 1)).all()
    assert found[1] > found[2]
    # No looking ahead: what comes later changes nothing.
    assert (estimated_importance(texts[:2]) == found[:2]).all()
    assert estimated_importance([]).shape == (0,)


def test_importance_is_by_speaker_and_replies_count_half() -> None:
    short, long = (
        "I bought a quince.",
        "Quince trees like sun, wind, lime, chalk, water, patience, bees and luck.",
    )
    texts, speakers = [short, long] * 6, ["user", "assistant"] * 6
    found = estimated_importance(texts, speakers)
    assert found[0] == pytest.approx(2 * found[1])
    assert found[1::2].max() <= 0.5


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Yesterday we went to the lake.", "episodic"),
        ("My favourite colour is green and I love the sea.", "semantic"),
        ("You should first open the lid, then pour the water.", "procedural"),
        ("1. Open the lid\n2. Pour the water", "procedural"),
        ("```python\nprint(1)\n```", "procedural"),
        ("I was always fond of it when we lived there.", "episodic"),
        ("Wow!", "episodic"),
    ],
)
def test_kinds_by_rule(text: str, kind: str) -> None:
    assert kind_by_rule(text) == kind


def test_differences_are_between_the_same_questions() -> None:
    one = RealOutcome("x", "one", np.array([1.0, 0.0, np.nan, 1.0]))
    other = RealOutcome("x", "other", np.array([0.0, 0.0, 1.0, 1.0]), True)
    chosen = np.array([True, True, True, False])
    assert one.against(other, chosen).mean == pytest.approx(0.5)
    assert one.mean(chosen) == pytest.approx(0.5)
    assert np.isnan(RealOutcome("x", "none", np.array([np.nan])).mean(np.array([True])))


def test_the_experiments_are_those_of_the_issue() -> None:
    assert list(REAL_EXPERIMENTS) == ["capacity", "allocation", "compression", "staleness"]
