"""`memspan ingest`."""

from __future__ import annotations

import json

import memspan
from memspan.errors import EmbedderError


def turn(number, **fields):
    return {
        "id": f"t{number}",
        "user": "ana",
        "text": f"turn number {number}",
        "at": f"2024-01-01T00:00:{number:02d}Z",
        **fields,
    }


def test_reports_users_counts_time_rate_and_size(run_json, store, conversation_file):
    report = run_json("ingest", conversation_file, "--store", store)
    lines = conversation_file.read_text(encoding="utf-8").splitlines()
    assert report["users"] == {"demo": len(lines)}
    assert report["turns"] == len(lines)
    assert report["seconds"] > 0
    assert report["turns_per_second"] > 0
    assert report["bytes"] > len("".join(json.loads(line)["text"] for line in lines))
    assert report["error"] is None


def test_text_report_names_users_and_store(run, store, conversation_file):
    result = run("ingest", conversation_file, "--store", store)
    assert "demo: 169 turns" in result.stdout
    assert str(store) in result.stdout
    assert result.stderr == ""


def test_the_first_file_of_a_store_is_told_how_to_search_it(run, store, write_lines):
    lines = write_lines(turn(1, user="Ana Lee"))
    said = run("ingest", lines, "--store", store).stdout
    assert said.endswith(f"Next: memspan search \"...\" --store {store} --user 'Ana Lee'\n")
    assert "Next" not in run("ingest", lines, "--store", store).stdout


def test_twice_changes_nothing(run, run_json, filled, conversation_file):
    before = run("export", "-", "--store", filled, "--user", "demo").stdout
    run("ingest", conversation_file, "--store", filled, "--batch", 7)
    after = run("export", "-", "--store", filled, "--user", "demo").stdout
    ids = [json.loads(line).get("id") for line in before.splitlines()]
    assert sorted(ids, key=str) == sorted(
        (json.loads(line).get("id") for line in after.splitlines()), key=str
    )
    assert len(run_json("latest", "--store", filled, "--user", "demo", "-k", 1000)["records"]) == 169


def test_standard_input(run_json, store):
    lines = "".join(json.dumps(turn(number)) + "\n" for number in range(3))
    assert run_json("ingest", "-", "--store", store, stdin=lines)["users"] == {"ana": 3}


def test_half_an_emoji_is_taken_as_from_a_program(run, run_json, store, write_lines):
    halves = turn(1, text="half \ud83d ferry", metadata={"a": "\ud83d"})
    assert run_json("ingest", write_lines(halves), "--store", store)["turns"] == 1
    (record,) = run_json("latest", "--store", store, "--user", "ana")["records"]
    assert record["text"] == "half \N{REPLACEMENT CHARACTER} ferry"


def test_a_turn_without_a_time_happens_now_whatever_stands_before_it(run_json, store, write_lines):
    file = write_lines(turn(1, at="9999-12-31T23:59:59.999999Z"), {"user": "ana", "text": "and then"})
    assert run_json("ingest", file, "--store", store)["turns"] == 2
    first, second = run_json("latest", "--store", store, "--user", "ana")["records"]
    assert first["at"].startswith("9999-")
    assert not second["at"].startswith("9999-")


def test_a_value_that_only_the_memory_refuses_keeps_what_was_before_it(run, run_json, store, write_lines):
    file = write_lines(turn(1), turn(2), turn(3, metadata={"n": 1 << 64}), turn(4))
    stderr = run("ingest", file, "--store", store, code=3).stderr
    assert stderr.startswith(f"Error: {file}:3: ")
    assert "kept: 2 turns before it" in stderr
    kept = run_json("latest", "--store", store, "--user", "ana")["records"]
    assert [record["id"] for record in kept] == ["t2", "t1"]


def test_standard_input_is_utf8_whatever_the_locale(spawn, store):
    done = spawn(
        "ingest",
        "-",
        "--store",
        store,
        input=json.dumps(turn(1, text="Tórshavn ⛴"), ensure_ascii=False),
        env={"LC_ALL": "C"},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(spawn("latest", "--store", store, "--user", "ana", "--json").stdout)
    assert found["records"][0]["text"] == "Tórshavn ⛴"


def test_a_chat_needs_a_user(run, run_json, store, write_lines):
    file = write_lines(
        {"role": "user", "content": "hello there"}, {"role": "assistant", "content": "hello to you"}
    )
    assert "--user" in run("ingest", file, "--store", store, code=3).stderr
    assert run_json("ingest", file, "--store", store, "--user", "ana")["users"] == {"ana": 2}


def test_a_broken_line_keeps_what_was_before_it(run, run_json, store, write_lines):
    file = write_lines(turn(1), turn(2), '{"text": "half', turn(4))
    result = run("ingest", file, "--store", store, "--batch", 100, code=3)
    assert result.stderr.startswith(f"Error: {file}:3: ")
    assert "kept: 2 turns before it" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    kept = run_json("latest", "--store", store, "--user", "ana")["records"]
    assert [record["id"] for record in kept] == ["t2", "t1"]


def test_a_broken_line_is_in_the_json_as_well(run_json, store, write_lines):
    file = write_lines(turn(1), {"id": "t2", "user": "ana"})
    report = run_json("ingest", file, "--store", store, code=3)
    assert report["turns"] == 1
    assert f"{file}:2" in report["error"]


def test_a_server_that_fails_half_way_keeps_what_was_before_it(run_json, store, write_lines, monkeypatch):
    """Turns without an id would be there twice if all were read again."""
    add, calls = memspan.Memory.add, []

    def failing(*arguments, **options):
        calls.append(1)
        if len(calls) > 2:
            raise EmbedderError("http://127.0.0.1/v1: gave up after 6 attempts")
        return add(*arguments, **options)

    monkeypatch.setattr(memspan.Memory, "add", failing)
    path = write_lines(*(turn(number) for number in range(6)))
    answer = run_json("ingest", path, "--store", store, "--batch", 1, code=1)
    assert answer["turns"] == 2
    assert "gave up" in answer["error"]


def test_a_bad_value_names_the_line(run, store, write_lines):
    file = write_lines(turn(1), turn(2, at="the day after tomorrow"))
    assert f"{file}:2: at" in run("ingest", file, "--store", store, code=3).stderr


def test_a_file_that_is_no_conversation(run, store, tmp_path):
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    stderr = run("ingest", file, "--store", store, code=3).stderr
    assert str(file) in stderr
    assert "Traceback" not in stderr
    assert list(tmp_path.iterdir()) == [file]


def test_a_repeated_id_replaces_the_earlier_turn_in_and_across_batches(run_json, store, write_lines):
    file = write_lines(turn(1), turn(2), turn(1, text="said better"), turn(3))
    for batch in (1, 2, 100):
        run_json("ingest", file, "--store", store, "--batch", batch)
        kept = run_json("latest", "--store", store, "--user", "ana")["records"]
        assert {record["id"]: record["text"] for record in kept}["t1"] == "said better"
        assert len(kept) == 3


def test_several_users_stay_apart(run_json, store, write_lines):
    file = write_lines(turn(1), turn(1, user="bo", text="a secret of bo"), turn(2))
    assert run_json("ingest", file, "--store", store)["users"] == {"ana": 2, "bo": 1}
    hits = run_json("search", "secret", "--store", store, "--user", "ana")["hits"]
    assert {hit["text"] for hit in hits} == {"turn number 1", "turn number 2"}


def test_unknown_format_lists_those_that_exist(run, store, conversation_file):
    stderr = run("ingest", conversation_file, "--store", store, "--format", "word", code=2).stderr
    assert "locomo" in stderr


def test_wrong_format_is_refused(run, store, conversation_file):
    run("ingest", conversation_file, "--store", store, "--format", "locomo", code=3)


def test_missing_file_is_wrong_usage(run, store):
    assert "nothing.json" in run("ingest", "nothing.json", "--store", store, code=2).stderr
    assert not store.exists()


def test_an_empty_file_is_refused(run, store, write_lines):
    assert "empty" in run("ingest", write_lines(), "--store", store, code=3).stderr


def test_a_broken_file_for_a_folder_in_place_of_a_store_is_refused(run, write_lines):
    result = run("ingest", write_lines("{broken"), "--store", ".", code=3)
    assert "not JSON" in result.stderr
