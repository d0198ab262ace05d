"""Every command explains itself, and the entry points start."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

import memspan
from memspan.cli.main import cli


def _commands(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))


COMMANDS = list(_commands())
everyone = pytest.mark.parametrize(
    ("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS]
)


def test_the_commands_are_those_of_the_documents():
    names = "demo ingest process jobs consolidate search ask latest tags stats verify export load forget "
    names += "hold release audit vault resources models recipes eval fit simulate procedures "
    names += "reembed compress runs undo quotas evicted restore pin history retire"
    assert set(cli.commands) == set(names.split())


def test_the_list_of_commands_cuts_no_sentence_short(run):
    output = run("--help").output.partition("Begin:")[2]
    assert "..." not in output
    for name in cli.commands:
        assert f"\n  {name} " in output, "in one of the sections"


@pytest.mark.parametrize(
    "group", [name for name, command in cli.commands.items() if isinstance(command, click.Group)]
)
def test_no_group_cuts_a_sentence_short(group, run):
    listed = run(group, "--help").output.partition("Commands:")[2].partition("Examples:")[0]
    assert listed
    assert "..." not in listed


@everyone
def test_every_example_names_the_store_that_it_needs(path, command, run):
    needs = any("--store" in parameter.opts and parameter.required for parameter in command.params)
    for example in run(*path, "--help").output.partition("Examples:")[2].splitlines():
        if needs and f"memspan {' '.join(path)} " in example:
            assert " --store " in example, example


def test_an_example_of_another_command_names_its_store(run):
    examples = run("fit", "--help").output.partition("Examples:")[2]
    assert "memspan search 'when did she move?' --store chat.memspan" in examples


@everyone
def test_help_has_a_sentence_and_examples(path, command, run):
    output = run(*path, "--help").output
    assert "Examples:" in output
    assert f"memspan {' '.join(path)}" in output.split("Examples:")[1]
    assert command.help
    assert command.help.splitlines()[0].endswith(".")


@everyone
def test_every_option_is_explained(path, command):
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, (path, parameter.name)


@everyone
def test_every_command_that_does_something_speaks_json(path, command):
    if not isinstance(command, click.Group):
        assert "--json" in [name for parameter in command.params for name in parameter.opts]


def test_version(run):
    assert run("--version").output == f"memspan, version {memspan.__version__}\n"


def test_without_a_command_it_shows_help_and_says_that_this_is_wrong_usage(run):
    assert "Questions:" in run(code=2).output


def test_exit_codes_are_documented(run):
    assert "130 interrupted" in " ".join(run("--help").output.split())


def test_module_entry_point(spawn):
    done = spawn("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("memspan")


@everyone
def test_only_what_can_make_a_store_says_what_a_new_one_gets(path, command, run):
    makes = path in {("ingest",), ("load",), ("demo",)}
    assert makes == ("for a new store" in " ".join(run(*path, "--help").output.split()))


def test_a_command_reads_its_own_file_alone():
    program = (
        "import sys\n"
        "from memspan.cli.main import cli\n"
        "cli(['latest', '--help'], standalone_mode=False)\n"
        "read = [name for name in cli.commands if f'memspan.cli.commands.{name}' in sys.modules]\n"
        "assert read == ['latest'], read\n"
        "assert 'rich.progress' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_command_that_there_is_not(run):
    result = run("serch", code=2)
    assert "No such command 'serch'. Did you mean 'search'?" in result.stderr


@pytest.mark.parametrize(
    ("name", "argument"),
    [("search", "k"), ("latest", "k"), ("evicted", "k"), ("audit", "limit"), ("forget_matching", "k")],
)
def test_as_many_come_back_as_from_the_call(name: str, argument: str):
    (count,) = (each for each in cli.commands[name.partition("_")[0]].params if "-k" in each.opts)
    assert count.default == inspect.signature(getattr(memspan.Memory, name)).parameters[argument].default


def test_help_without_docstrings():
    program = (
        "import json\n"
        "from inspect import cleandoc\n"
        "from memspan.cli.main import cli\n"
        "commands = [('memspan', cli), *cli.commands.items(), *cli.commands['vault'].commands.items()]\n"
        "print(json.dumps([(name, cleandoc(each.help), each.get_short_help_str(80)) for name, each in commands]))\n"
    )
    plain, without = (
        subprocess.run([sys.executable, *more, "-c", program], capture_output=True, text=True, check=True)
        for more in ([], ["-OO"])
    )
    assert without.stdout == plain.stdout
