"""Pointers to files and pages: what is missing or changed is told, and no server is asked unasked."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.resources import looking

Open = Callable[..., Memory]


class Pages(ThreadingHTTPServer):
    """Pages by path, and what was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, bytes] = {"/a": b"one"}
        self.asked: list[str] = []
        self.no_head = False
        self.ending = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the tests."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    server: Pages

    def _answer(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        if self.command == "HEAD" and self.server.no_head:
            self.send_error(405)
            return
        if self.path == "/drip":
            self.send_response(200)
            self.flush_headers()
            for byte in b"X-A: b\r\n" * 150:
                self.wfile.write(bytes([byte]))
                if self.server.ending.wait(0.005):
                    return
        if self.path == "/slow":
            self.server.ending.wait(10)
        if self.path in ("/loop", "/moved"):
            self.send_response(302)
            self.send_header("Location", "/loop" if self.path == "/loop" else "/a")
            self.end_headers()
            return
        if self.path == "/broken":
            self.send_error(500)
            return
        content = self.server.pages.get(self.path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(10**19 if self.path == "/vast" else len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_GET = do_HEAD = _answer  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def pages() -> Iterator[Pages]:
    pytest.importorskip("httpx")
    server = Pages()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.ending.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    path = folder / "räport 1.txt"
    path.write_text("what it says")
    return path


def test_a_file_is_found_by_its_description(memory: Memory, file: Path) -> None:
    id_ = memory.add_resource(file, user="ana", description="the yearly report", tags=["work"])
    (found,) = memory.search("yearly report", user="ana")
    assert (found.id, found.record.kind, found.record.tags) == (id_, "resource", ("work",))
    assert found.record.metadata == {"uri": file.as_uri()}
    (known,) = memory.resources(user="ana")
    assert known.checksum == hashlib.sha256(b"what it says").hexdigest()
    assert (known.id, known.size, known.state, known.uri) == (id_, 12, "present", file.as_uri())
    assert known.seen_at is not None
    assert memory.resources(user="ben") == []
    named = memory.add_resource(str(file), user="ana")
    record = memory.get(user="ana", id=named)
    assert record is not None
    assert record.text == "räport 1.txt"
    assert memory.get(user="ana", id=memory.add_resource(file.as_uri(), user="ana")) is not None
    assert memory.verify() == []


def test_what_is_missing_or_changed_is_told(memory: Memory, file: Path) -> None:
    other = file.with_name("other")
    other.write_text("stays")
    memory.add_resource(file, user="ana", id="r1")
    memory.add_resource(other, user="ben", id="r2")
    assert memory.check_resources() == (2, (), (), (), 0)
    file.write_text("something else")
    report = memory.check_resources()
    assert (report.present, [each.id for each in report.changed]) == (1, ["r1"])
    before = memory.resources(state="changed")[0]
    file.unlink()
    report = memory.check_resources(user="ana")
    assert (report.present, [each.id for each in report.missing]) == (0, ["r1"])
    (missing,) = memory.resources(state="missing")
    assert missing.seen_at == before.seen_at, "when it was last there"
    file.write_text("what it says")
    assert memory.check_resources().present == 2, "it came back as it was"
    assert [each.state for each in memory.resources()] == ["present", "present"]
    file.write_text("new")
    memory.add_resource(file, user="ana", id="r1")
    assert memory.check_resources().present == 2, "pointing anew makes this what it should be"


def test_odd_files(memory: Memory, file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file)
    memory.add_resource(link, user="ana", id="link")
    file.unlink()
    assert [each.id for each in memory.check_resources().missing] == ["link"]
    link.unlink()
    os.mkfifo(link)
    assert [each.id for each in memory.check_resources().missing] == ["link"], "a pipe has no end"
    link.unlink()
    link.mkdir()
    assert [each.id for each in memory.check_resources().missing] == ["link"]


def test_a_name_that_is_no_utf8(memory: Memory, file: Path) -> None:
    named = Path(os.fsdecode(os.fsencode(file.parent) + b"/caf\xe9"))
    try:
        named.write_text("what it says")
    except OSError:
        pytest.skip("no file of this file system has such a name")
    memory.add_resource(named, user="ana", id="r1")
    memory.add_resource(named.as_uri(), user="ana", id="r2")
    assert [each.uri for each in memory.resources()] == [named.as_uri()] * 2
    assert memory.check_resources().present == 2
    named.unlink()
    assert len(memory.check_resources().missing) == 2


def test_a_file_that_cannot_be_read(memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add_resource(file, user="ana", id="r1")

    def refuse(self: Path, *arguments: object) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(Path, "open", refuse)
    assert [each.id for each in memory.check_resources().unreachable] == ["r1"]


def test_what_is_forgotten_meanwhile_does_not_come_back(memory: Memory, file: Path) -> None:
    memory.add_resource(file, user="ana", id="r1")
    with memory._engine.store.reading() as reader:
        known = reader.resources.all()
    memory.forget(user="ana", source=file.as_uri())
    with memory._engine.store.writing() as writer:
        writer.resources.settle(known)
    assert memory.resources() == []
    memory.add([{"id": "r1", "text": "not a resource"}], user="ana")
    assert memory.resources() == []


def test_pages_are_only_asked_for_when_that_is_wanted(memory: Memory, pages: Pages) -> None:
    memory.add_resource(pages.url("/a"), user="ana", id="r1")
    assert memory.resources()[0].state == "unchecked"
    assert memory.check_resources().skipped == 1
    assert pages.asked == []
    assert memory.check_resources(fetch=True).present == 1
    assert pages.asked == ["HEAD /a", "GET /a"]
    (known,) = memory.resources()
    assert known.checksum == hashlib.sha256(b"one").hexdigest(), "the first look says what it should be"
    pages.pages["/a"] = b"two"
    assert [each.id for each in memory.check_resources(fetch=True).changed] == ["r1"]
    del pages.pages["/a"]
    assert [each.id for each in memory.check_resources(fetch=True).missing] == ["r1"]


def test_what_servers_do(memory: Memory, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "MAX_PAGE_BYTES", 1000)
    pages.pages["/long"] = b"x" * 5000
    for name in ("/a", "/moved", "/loop", "/broken", "/slow", "/long"):
        memory.add_resource(pages.url(name), user="ana", id=name)
    memory.add_resource("http://127.0.0.1:9/closed", user="ana", id="/closed")
    report = memory.check_resources(fetch=True, seconds=0.5)
    assert report.present == 3
    assert [each.id for each in report.unreachable] == ["/broken", "/closed", "/loop", "/slow"]
    known = {each.id: each for each in memory.resources()}
    assert (known["/long"].checksum, known["/long"].size) == (None, 5000)
    assert "GET /long" not in pages.asked
    pages.no_head = True
    memory.forget(user="ana", id="/slow")
    pages.asked.clear()
    assert memory.check_resources(fetch=True, seconds=0.5).present == 3
    assert "GET /long" in pages.asked
    with pytest.raises(errors.InvalidArgumentError, match="a target that is there"):
        memory.add_resource(pages.url("/gone"), user="ana", fetch=True)


def test_headers_that_never_end(memory: Memory, pages: Pages) -> None:
    pages.pages["/drip"] = b"one"
    memory.add_resource(pages.url("/drip"), user="ana", id="/drip")

    assert [each.id for each in memory.check_resources(fetch=True, seconds=1).unreachable] == ["/drip"]
    assert pages.asked == ["HEAD /drip"]


def test_a_length_that_no_page_has(memory: Memory, pages: Pages) -> None:
    pages.pages["/vast"] = b"one"
    memory.add_resource(pages.url("/vast"), user="ana", id="/vast")
    memory.add_resource(pages.url("/a"), user="ana", id="/a")
    report = memory.check_resources(fetch=True)
    assert (report.present, [each.id for each in report.unreachable]) == (1, ["/vast"])
    assert {each.id: each.size for each in memory.resources()} == {"/a": 3, "/vast": None}


@pytest.mark.parametrize(
    "target",
    [
        "",
        None,
        5,
        "no such file",
        "/",
        "bad\0name",
        "file://elsewhere/etc/passwd",
        "http://",
        "http://user:secret@example.com/",
        "https://user@example.com/",
        "http://example.com/a b",
        "http://example.com:99999999/",
        "http://[broken/",
        "http://example.com/" + "x" * 5000,
        "ftp://example.com/a",
    ],
)
def test_bad_targets(memory: Memory, target: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="^target: got .*; accepted: ") as caught:
        memory.add_resource(target, user="ana")  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)
    assert memory.users() == []


def test_bad_arguments(memory: Memory, file: Path) -> None:
    for arguments, named in (
        ({"user": ""}, "user"),
        ({"description": " "}, "description"),
        ({"description": 5}, "description"),
        ({"tags": "work"}, "tags"),
        ({"tags": None}, "tags"),
        ({"tags": [5]}, r"tags\[0\]"),
        ({"id": ""}, "id"),
        ({"fetch": "yes"}, "fetch"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
    ):
        with pytest.raises(errors.InvalidArgumentError, match=f"^{named}: got"):
            memory.add_resource(file, **{"user": "ana", **arguments})  # type: ignore[arg-type]
    for arguments, named in (({"state": "gone"}, "state"), ({"user": ""}, "user")):
        with pytest.raises(errors.InvalidArgumentError, match=f"^{named}: got"):
            memory.resources(**arguments)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="^seconds"):
        memory.check_resources(seconds=-1)
    assert memory.users() == []


def test_without_httpx(memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    memory.add_resource(file, user="ana")
    memory.add_resource("http://127.0.0.1:9/", user="ana")
    assert memory.check_resources().skipped == 1
    with pytest.raises(errors.MissingExtraError, match=r"memspan\[llm\]"):
        memory.check_resources(fetch=True)


def test_certificates_that_are_not_there(
    memory: Memory, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add_resource(pages.url("/a"), user="ana")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    refused = pytest.raises(errors.InvalidArgumentError, match="certificates .* cannot be read")
    with refused:
        memory.add_resource(pages.url("/a"), user="ana", fetch=True)
    with refused:
        memory.check_resources(fetch=True)


def test_the_bound_and_the_asynchronous_forms(memory: Memory, file: Path) -> None:
    ana = memory.user("ana")
    id_ = asyncio.run(ana.aadd_resource(file))
    assert [each.id for each in ana.resources()] == [id_]
    assert asyncio.run(ana.acheck_resources()).present == 1
    assert memory.user("ben").resources() == []
