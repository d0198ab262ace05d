"""Which arguments of a call are secrets, by their names, and what looks like a secret inside a text."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["HIDDEN", "is_secret", "without_secrets"]

HIDDEN: Final = "***"

_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD: Final = re.compile(r"[^a-z0-9]+")

_ANYWHERE: Final = re.compile(
    r"(?:^|[^a-z])(?:"
    r"[a-z]*(?:password|passwd)s?|passphrases?|passcodes?|pwd|secrets?|credentials?|authorization|"
    r"(?:access|account|admin|api|app|application|auth|client|consumer|crypto|deploy|encryption|hmac|licen[cs]e|"
    r"master|pass|private|recovery|secret|security|service|session|shared|signing|ssh|storage|subscription|webhook)"
    r"[-_]?keys?|"
    r"(?:access|api|auth|bearer|id|refresh|session)[-_]?tokens?"
    r")(?:$|[^a-z])"
)
"""Speaks of a secret wherever it stands in a name, unlike `primary_key`, `sort_key` or the `key` of an entry."""

_LAST: Final = frozenset({"bearer", "cookie", "cookies", "jwt", "otp", "pass", "pin", "token", "tokens"})
"""Speaks of a secret as the last word: `github_token`, but not `token_type`."""
_COUNTED: Final = frozenset({"cookies", "pass", "tokens"})
"""A number of that name counts something."""
_DIGITS: Final = frozenset({"otp", "pin"})
"""A secret when it is four digits or more; else it is a place on a map or a board."""
_HARMLESS_TOKEN: Final = frozenset({
    "continuation", "cursor", "next", "page", "pagination", "prev", "previous", "resume", "start", "sync",
    "bos", "cls", "completion", "eos", "input", "limit", "mask", "max", "min", "n", "new", "num", "output",
    "pad", "prompt", "reasoning", "sep", "special", "stop", "total", "unk", "used",
})  # fmt: skip
"""Before `token`: a place in a listing, or a piece of text."""

_STEMS: Final = ("pass", "pwd", "secret", "credential", "authorization", "key", *sorted(_LAST))
"""No name is a secret's without one of these."""
_NAME: Final = re.compile(
    r"(?<![\w.-])(?:--(?P<option>[A-Za-z][\w-]{0,80})[ \t]+"
    r"|(?:setenv|setx|set(?:[ \t]+-{1,2}[a-z]{1,16}){1,4}|(?<![^\n])ENV)[ \t]+"
    r"(?P<variable>[A-Za-z_]\w{0,80})[ \t]+(?!=)"
    r"|(?:header|key|name|variable)[\"']?[ \t]*[:=][ \t]*[\"']?(?P<told>[A-Za-z_][\w.-]{0,80})[\"']?[,;]?\s+"
    r"[\"']?value[\"']?[ \t]*[:=][ \t]*"
    r"|-{0,2}(?P<name>[A-Za-z_][\w.-]{0,80})[\\\"'\]]*\s*"
    r"(?::[ \t]*&?[A-Za-z_][\w.<>?\[\]|]{0,60}[ \t]*=[ \t]*(?=\\*[\"'])|:=|=>|!?={1,3}|:)\s*)"
)
"""A name and what stands between it and its value, in code, JSON, YAML, headers, queries, options of commands, and what
sets variables of the environment; in code that may be a type, too (`password: str = "…"`), in YAML and XML another
field (`name: DB_PASSWORD`, `value: …`)."""
_BLOCK: Final = re.compile(r"[ \t]*(?:[|>][-+0-9]{0,2}[ \t]*)?(?:#[^\n]*)?\r?\n")
"""How what stands on lines of its own begins in YAML: these are indented more than its name, which begins a line."""
_INDENT: Final = re.compile(r"[ -]*[\"']?")
_OPENING: Final = re.compile(r"(\\*[\"'])(?:\1\1)?")
"""One quote, or three as around a text of several lines."""
_BARE: Final = re.compile(
    r"[\[{][^\]}]*[\]}]?|(?:(?:bearer|basic|digest|token)\s+)?[^\s\"'&;,<>()\]}\\|]+", re.I
)
_LINE: Final = re.compile(r"[^\r\n\"'\\]+")
_TO_THE_END: Final = frozenset({"authorization", "cookie"})
"""Headers whose values have several parts."""
_PROBES: Final = ("x", "0000")
_HARMLESS: Final = re.compile(r"true|false|null|none|nil", re.I)

_SHAPES: Final = tuple(
    (hint, re.compile(pattern))
    for hint, pattern in (
        ("://", r"(://)[^\s/?#\"'<>]+(?=@)"),  # user and password
        ("=", r"([?&](?:key|sig|signature)=)[^\s&#\"'<>]+"),
        ("earer ", r"(\b[Bb]earer )[\w.~+/=-]{8,}"),
        ("asic ", r"(\b[Bb]asic )[\w+/=-]{8,}"),
        ("AKIA", r"()\bAKIA[0-9A-Z]{16}\b"),
        ("AIza", r"()\bAIza[\w-]{30,}"),
        ("github_pat_", r"()\bgithub_pat_\w{12,}"),
        ("_", r"()\b(?:gh[opsru]|hf)_\w{12,}"),
        ("-", r"()\b(?:glpat|sk|xox[abeoprs])-[\w-]{12,}"),
        ("curl", r"(\bcurl\b[^\n|;&]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,128}:)[^\s\"']+"),
        ("assword", r"(\bpassword\s+[\"'])[^\"']+(?=[\"'])"),  # of a user in SQL
        ("ASSWORD", r"(\bPASSWORD\s+[\"'])[^\"']+(?=[\"'])"),
        ("IDENTIFIED BY", r"(\bIDENTIFIED BY\s+[\"'])[^\"']+(?=[\"'])"),
        ("identified by", r"(\bidentified by\s+[\"'])[^\"']+(?=[\"'])"),
        (
            "</",
            r"(<(?:\w{1,40}:)?\w{0,40}(?:[Pp]assword|[Pp]asswd|[Ss]ecret|[Aa]pi_?[Kk]ey|[Tt]oken)>)[^<]+(?=</)",
        ),
        ("-----BEGIN", r"()-----BEGIN[A-Z ]*PRIVATE KEY-----[^-]*(?:-----END[A-Z ]*-----)?"),
    )
)
"""What is known by its look, whatever it is called, and a piece of it that is quick to look for."""

_WEB_TOKEN: Final = re.compile(r"\beyJ[\w-]{4,}(\.[\w-]+(?:\.[\w-]*)?)?")
"""A JSON web token, or with no group what could be one's beginning: none starts inside of it, and looking for one
there again and again would take time that grows with the square of the text."""


def is_secret(name: str, value: Any = "") -> bool:
    """Whether an argument of that (dotted) name is a password, key or token. Flags and missing values are none."""
    if value is None or isinstance(value, bool):
        return False
    name = _WORD_START.sub("_", name).lower()
    return _ANYWHERE.search(name) is not None or any(_ends_secret(part, value) for part in name.split("."))


def _ends_secret(name: str, value: Any) -> bool:
    words = _NOT_WORD.sub(" ", name).split()
    if not words or words[-1] not in _LAST:
        return False
    last = words[-1]
    digits = isinstance(value, str) and value.isdecimal()
    if last in _DIGITS:
        return len(value) >= 4 if digits else isinstance(value, int) and value >= 1000
    if last in _COUNTED and (digits or isinstance(value, (int, float))):
        return False
    return last not in ("token", "tokens") or _HARMLESS_TOKEN.isdisjoint(words)


def without_secrets(text: str) -> str:
    """The text with `***` for passwords in URLs, for values of secret names (`password=…`, `"apiKey": "…"`,
    `--token …`, `Cookie: …`, `PASSWORD '…'` in SQL, elements of XML) and for what looks like a key. O(length)."""
    lower = text.lower()
    if any(stem in lower for stem in _STEMS):
        text = _without_named(text)
    if "eyJ" in text:
        text = _WEB_TOKEN.sub(lambda found: HIDDEN if found[1] else found[0], text)
    for hint, shape in _SHAPES:
        if hint in text:
            text = shape.sub(rf"\1{HIDDEN}", text)
    return text


def _without_named(text: str) -> str:
    shown: list[str] = []
    done = 0
    for found in _NAME.finditer(text):
        name = found["option"] or found["variable"] or found["told"] or found["name"]
        if found.start() < done or not any(is_secret(name, value) for value in _PROBES):
            continue
        start, end = _block(text, found) or _value(text, found.end(), name)
        value = text[start:end]
        if value and not _HARMLESS.fullmatch(value) and is_secret(name, value):
            shown += (text[done:start], HIDDEN)
        else:
            shown.append(text[done:end])
        done = end
    return "".join(shown) + text[done:]


def _block(text: str, found: re.Match[str]) -> tuple[int, int] | None:
    """Where the lines lie that are the value in YAML, if any are."""
    named = found.start() + len(found[0].rstrip())
    begins = _BLOCK.match(text, named)
    if begins is None or text[named - 1] != ":":
        return None
    line = text.rfind("\n", 0, found.start()) + 1
    if not _INDENT.fullmatch(text, line, found.start()):
        return None
    indent = len(text[line : found.start()].rstrip("\"'"))
    lines = re.compile(rf"(?: {{{indent + 1},}}[^\n]*\n?|[ \t]*\r?\n)*").match(text, begins.end())
    value = lines[0] if lines is not None else ""
    start = begins.end() + len(value) - len(value.lstrip())
    return (start, begins.end() + len(value.rstrip())) if value.strip() else None


def _value(text: str, start: int, name: str) -> tuple[int, int]:
    """Where the value lies that begins there; in quotes to the end of the text if these are not closed."""
    if opening := _OPENING.match(text, start):
        closing = re.compile(rf"(?<!\\){re.escape(opening[0])}").search(text, opening.end())
        return opening.end(), closing.start() if closing else len(text)
    several = _NOT_WORD.split(name.lower())[-1] in _TO_THE_END
    bare = (_LINE if several else _BARE).match(text, start)
    return start, bare.end() if bare else start
