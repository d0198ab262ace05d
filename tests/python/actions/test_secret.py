"""What counts as a secret, and what only sounds like one."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.actions.secret import is_secret, without_secrets


@pytest.mark.parametrize(
    "name",
    [
        "password", "dbPassword", "user_passwd", "pwd", "passcode", "smtp_pass", "clientSecret", "credentials",
        "token", "github_token", "api_token", "apiToken", "X-Auth-Token", "id_token", "authtoken", "tokens", "bearer",
        "api_key", "X-API-Key", "apikey", "access_key", "accessKeyId", "AWSSecretKey", "signing_key", "encryption_key",
        "ssh_key", "private-key", "license_key", "api_keys", "headers.Authorization", "headers.Cookie", "Set-Cookie",
        "credentials.user",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name, "x")
    assert not is_secret(name, None)
    assert not is_secret(name, True)


@pytest.mark.parametrize(
    "name",
    [
        "key", "keys", "primary_key", "foreignKey", "sort_key", "public_key", "key_path", "keyboard", "monkey",
        "max_tokens", "stop_tokens", "token_type", "token_count", "tokenizer", "page_token", "nextPageToken",
        "sync_token", "passenger", "compass", "bypass", "passwordless", "secretary", "cookie_policy", "pin", "spin",
        "author", "session_id", "",
    ],
)  # fmt: skip
def test_names_of_other_things(name: str) -> None:
    assert not is_secret(name, "x")


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("tokens", 512, False),
        ("tokens", "512", False),
        ("tokens", ["t1"], True),
        ("token", 512, True),
        ("pass", 2, False),
        ("pin", 17, False),
        ("pin", "0017", True),
        ("otp", 123_456, True),
        ("password", 1234, True),
    ],
)
def test_numbers(name: str, value: Any, secret: bool) -> None:
    assert is_secret(name, value) is secret


def test_a_number_of_thousands_of_digits() -> None:
    assert is_secret("pin", 10**5000)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"password":"hunter2', '{"password":"***'),
        (r'{"body": "{\"pwd\": \"hunter2\", \"a\": 1}"}', r'{"body": "{\"pwd\": \"***\", \"a\": 1}"}'),
        (r'{"secret": "hun\"ter2", "a": 1}', '{"secret": "***", "a": 1}'),
        ("{'api_key': 'hunter2', 'max_tokens': 5}", "{'api_key': '***', 'max_tokens': 5}"),
        ('tokens=["t1", "t2"], n=1', "tokens=***, n=1"),
        ("mysql --password hunter2 -u root", "mysql --password *** -u root"),
        ("mysql --password=hunter2 -u root", "mysql --password=*** -u root"),
        ("export GITHUB_TOKEN=hunter2; ls", "export GITHUB_TOKEN=***; ls"),
        ("os.environ['API_KEY'] = 'hunter2'", "os.environ['API_KEY'] = '***'"),
        ("user: ana\npassword: hunter2\n", "user: ana\npassword: ***\n"),
        ("curl -H 'Authorization: Basic aGk=' x", "curl -H 'Authorization: ***' x"),
        ("Cookie: sid=9; theme=dark\nHost: a", "Cookie: ***\nHost: a"),
        ("they said Bearer abcdefgh.ijkl", "they said Bearer ***"),
        ("body: password=hunter2", "body: password=***"),
        ("class S:\n    password: str = 'hunter2'", "class S:\n    password: str = '***'"),
        ('let token: &str = "hunter2"; n', 'let token: &str = "***"; n'),
        ('api_key: Optional[str] = \\"hunter2\\"', 'api_key: Optional[str] = \\"***\\"'),
        ('password = """hunter2\nand more"""\nport = 1', 'password = """***"""\nport = 1'),
        ("password: |\n  hunter2\n\n  and more\nport: 1\n", "password: |\n  ***\nport: 1\n"),
        (
            "db:\n  - api_key: >-  # ours\n      hunter2\n    port: 1",
            "db:\n  - api_key: >-  # ours\n      ***\n    port: 1",
        ),
        ('  "token": |2\r\n     hunter2\r\n  n: 1', '  "token": |2\r\n     ***\r\n  n: 1'),
        (
            "env:\n- name: DB_PASSWORD\n  value: hunter2\n- name: PORT",
            "env:\n- name: DB_PASSWORD\n  value: ***\n- name: PORT",
        ),
        (
            '<add key="Api-Key" value="hunter2" /><add key="a" value="1"/>',
            '<add key="Api-Key" value="***" /><add key="a" value="1"/>',
        ),
        ("name: API_KEY\nvalue: |\n  hunter2\nport: 1", "name: API_KEY\nvalue: |\n  ***\nport: 1"),
        ("secrets:\n  db: hunter2\n  mail: hunter3\nport: 1", "secrets:\n  ***\nport: 1"),
        ("if token:\n    login()\n    go()", "if token:\n    ***()\n    go()"),
        ("setenv DB_PASSWORD hunter2; ls", "setenv DB_PASSWORD ***; ls"),
        ('setx API_KEY "hunter2"', 'setx API_KEY "***"'),
        ("set -gx API_KEY hunter2", "set -gx API_KEY ***"),
        ("FROM a\nENV API_KEY hunter2\nENV PORT 1", "FROM a\nENV API_KEY ***\nENV PORT 1"),
        ("https://ana:hunter2@host:80/x", "https://***@host:80/x"),
        ("postgres://u:p@ss@db/x", "postgres://***@db/x"),
        ("https://host/?key=hunter2&z=1", "https://host/?key=***&z=1"),
        ("git clone https://ghp_abc@github.com/a/b", "git clone https://***@github.com/a/b"),
        ("it is AKIAABCDEFGHIJKLMNOP", "it is ***"),
        ("it is sk-abcdefghijklmnop", "it is ***"),
        ("it is eyJhbGciOi.eyJzdWIi.abc", "it is ***"),
        ("curl -s -u ana:hunter2 https://host:80/x", "curl -s -u ana:*** https://host:80/x"),
        ("curl --user 'ana:hunter2' x", "curl --user 'ana:***' x"),
        ("CREATE USER ana WITH PASSWORD 'hunter2';", "CREATE USER ana WITH PASSWORD '***';"),
        ('alter user ana identified by "hunter2"', 'alter user ana identified by "***"'),
        ("<db:adminPassword>hunter2</db:adminPassword>", "<db:adminPassword>***</db:adminPassword>"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "***\nx"),
    ],
)
def test_secrets_in_a_text(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "the keyboard: red; monkey: blue; primary_key: id; key: a; tokenizer: bpe",
        "mail ana@example.com about https://example.com/@ana?by=a@b.c",
        "password=true, token: null, max_tokens=5, tokens: 12",
        "password: str = ''",
        "--token",
        "password:",
        "password: |\nport: 1",
        "- name: DB_PASSWORD\n  valueFrom:\n    configMapKeyRef:\n      name: db",
        "- name: PORT\n  value: 80\n- name: token_type\n  value: bearer",
        "the ENV password is unset; setenv PORT 80; set password",
        "risk-management-of-large-projects",
        "the bearer of good news",
        "docker run -u 1000:1000 image; date -u +%H:%M",
        "curl -u ana https://host:80/x",
        "<p>the password is not here</p> <tokens>5</tokens>",
        "no password 'was said",
        "2 + 2 = 4",
    ],
)
def test_texts_without_a_secret(text: str) -> None:
    assert without_secrets(text) == text


def test_what_could_be_the_beginning_of_many_web_tokens_is_read_once() -> None:
    text = "-eyJabcd" * 20_000
    started = time.thread_time()
    assert without_secrets(text) == text
    assert without_secrets(f"{text}.e30.x") == "-***"
    assert time.thread_time() - started < 5


@PROFILE
@given(st.text(alphabet="ab token=:'\"\\-{[]}/@&?\n", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    assert "hunter2" not in without_secrets(f"{text}\npassword=hunter2")
