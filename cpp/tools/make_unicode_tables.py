"""Writes cpp/src/lexical/unicode_tables.cpp from the Unicode data of the Python that runs this script.

    python cpp/tools/make_unicode_tables.py [--output FILE]

The result depends only on `unicodedata.unidata_version`, which the written file records. Five tables come
out, each a string of base-32 varints (see `encode_number` here and `VarintReader` in packed_tables.hpp):

* character classes: what the segmenter does with a code point after folding;
* search folds: case, accents and compatibility forms removed, for tokens;
* tag folds: full case folding, decomposed and without what nobody sees, for the names of tags;
* combining classes: in which order the marks of a letter stand, for the names of tags;
* compositions: what a letter and a mark make together, for the names of tags.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

# The order of CharClass in unicode.hpp.
SEPARATOR, LETTER, DIGIT, MARK, IDEOGRAPH, UNSPACED, HANGUL, EMOJI, REGIONAL = range(9)

LAST_CODE_POINT = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)


def code_points(ranges: str) -> frozenset[int]:
    """The code points of ranges in hexadecimal: "41-5A 5F"."""
    points: set[int] = set()
    for text in ranges.split():
        first, _, last = text.partition("-")
        points.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(points)


IDEOGRAPHS = code_points(
    "2E80-2FDF 3005-3007 3021-3029 3031-3035 3038-303C 3041-3096 309B-309F 30A1-30FA 30FC-30FF 3105-312F "
    "31A0-31BF 31F0-31FF 3400-4DBF 4E00-9FFF F900-FAFF 1AFF0-1B2FF 20000-3FFFD"
)
# Scripts of South-East Asia that put no space between words: Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue,
# Tai Tham, Myanmar extensions, Tai Viet.
UNSPACED_SCRIPTS = code_points("0E00-0EFF 1000-109F 1780-17FF 1950-19DF 1A20-1AAF A9E0-A9FF AA60-AADF")
HANGUL_RANGES = code_points("1100-11FF A960-A97F AC00-D7FF")
# Pictographs, with the code points that Unicode holds in reserve for more of them.
EMOJI_RANGES = code_points(
    "231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 25AA-25AB 25B6 25C0 25FB-25FE 2600-2712 2714 2716 271D "
    "2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 "
    "2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E "
    "1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F6FF 1F774-1F77F "
    "1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1FAFF 1FC00-1FFFD"
)
REGIONAL_INDICATORS = code_points("1F1E6-1F1FF")

# What people leave out when they type: accents of Latin, Greek and Cyrillic, vowel points of Hebrew, Arabic
# and Syriac, enclosing marks, variation selectors, fillers. The marks of other scripts spell vowels and stay.
DROPPED = code_points(
    "0300-036F 0483-0489 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 0640 064B-065F 0670 06D6-06DC "
    "06DF-06E4 06E7-06E8 06EA-06ED 0711 0730-074A 08CA-08FF 115F-1160 180B-180F 1AB0-1AFF 1DC0-1DFF "
    "20D0-20FF FE00-FE0F FE20-FE2F E0100-E01EF"
)
# Format characters that stay: the joiner and the tags spell emoji; fold_for_search() decides by context.
KEPT_FORMATS = code_points("200D E0020-E007F")

SPECIAL_FOLDS = {
    0x200B: " ",  # zero width space: a place where a line may break
    0x00B4: "'", 0x02B9: "'", 0x02BB: "'", 0x02BC: "'", 0x02BD: "'", 0x05F3: "'", 0x2018: "'", 0x2019: "'",
    0x201B: "'", 0x2032: "'", 0xFF40: "'",
    0x2010: "-", 0x2011: "-", 0x2212: "-",
    0x2116: " no ", 0x2120: " ", 0x2122: " ",
}  # fmt: skip
# Letters that people without the keyboard replace, though Unicode gives them no decomposition.
LETTER_FOLDS = {
    "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ŋ": "n", "ı": "i", "ȷ": "j", "ĸ": "k", "ſ": "s",
    "−": "-", "⁄": "/",
}  # fmt: skip
# Persian and Arabic keyboards have these letters from different places.
LETTER_FOLDS |= {"\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643"}  # yeh, kaf
KANA_MARKS = frozenset("\u3099\u309a")
# What tags do without, as nobody sees it: Default_Ignorable_Code_Point, which unicodedata does not have, and the marks
# of interlinear annotations. Not the joiners and the tags of flags, which normalize_tag() looks at in their context,
# nor the two that count as blanks.
UNSEEN = code_points(
    "AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200E-200F 202A-202E 2060-206F 3164 FE00-FE0F FFA0 FFF0-FFFB "
    "1BCA0-1BCA3 1D173-1D17A E0000-E001F E0080-E0FFF"
)
IOTA_BELOW = "\u0345"  # a mark that folds to a letter: only once the marks are in order
LATIN_VARIANT = re.compile(r"LATIN SMALL LETTER ([A-Z]) WITH ")


def char_class(code_point: int) -> int:
    """The class of a code point in folded text; what folding always replaces counts as a separator."""
    if search_fold(code_point) is not None:
        return SEPARATOR
    char = chr(code_point)
    category = unicodedata.category(char)
    if code_point in REGIONAL_INDICATORS:
        return REGIONAL
    if code_point in EMOJI_RANGES:
        return EMOJI
    if code_point in IDEOGRAPHS:
        return IDEOGRAPH
    if code_point in HANGUL_RANGES:
        return HANGUL
    if category[0] == "M":
        return MARK
    if code_point in UNSPACED_SCRIPTS and category[0] == "L":
        return UNSPACED
    if category == "Nd":
        return DIGIT
    if category[0] == "L" or category in ("Nl", "No"):
        return LETTER
    return SEPARATOR


def fold_char(char: str) -> str:
    """One already decomposed and case-folded character without what search ignores."""
    code_point = ord(char)
    category = unicodedata.category(char)
    if code_point in DROPPED or (category == "Cf" and code_point not in KEPT_FORMATS):
        return ""
    if code_point in SPECIAL_FOLDS:
        return SPECIAL_FOLDS[code_point]
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in LETTER_FOLDS:
        return LETTER_FOLDS[char]
    variant = LATIN_VARIANT.match(unicodedata.name(char, ""))
    return variant[1].lower() if variant else char


@functools.cache
def search_fold(code_point: int) -> str | None:
    """What stands for the code point in folded text; None: itself."""
    if code_point in SURROGATES or code_point in HANGUL_SYLLABLES:
        return None
    char = chr(code_point)
    canonical = unicodedata.normalize("NFD", char)
    if len(canonical) == 1 and ord(canonical) in SPECIAL_FOLDS:
        return SPECIAL_FOLDS[ord(canonical)]
    # Accents go first: the case folding of a lone iota subscript would make a letter of it.
    bare = "".join(c for c in unicodedata.normalize("NFKD", char) if ord(c) not in DROPPED)
    folded = "".join(map(fold_char, unicodedata.normalize("NFKD", bare.casefold())))
    if "/" in folded and unicodedata.category(char) == "No":
        folded = f" {folded} "  # a fraction after a number is a word of its own: 2½
    if KANA_MARKS.intersection(folded):
        folded = unicodedata.normalize("NFC", folded)  # all other scripts stay decomposed
    return None if folded == char else folded


def tag_fold(code_point: int) -> str | None:
    """What stands for the code point in a tag whose marks are put in order and composed afterwards; None: itself."""
    if code_point in SURROGATES or code_point in HANGUL_SYLLABLES:
        return None
    if code_point in UNSEEN:
        return ""
    char = chr(code_point)
    apart = unicodedata.normalize("NFD", char)
    folded = "".join(c if c == IOTA_BELOW else unicodedata.normalize("NFD", c.casefold()) for c in apart)
    return None if folded == char else folded


def encode_number(value: int) -> str:
    """Five bits a character, lowest first; bit 5 says that more follow. '~' stands for the backslash."""
    out = []
    while True:
        value, low = value >> 5, value & 31
        out.append(chr(ord("#") + low + (32 if value else 0)))
        if not value:
            return "".join(out).replace("\\", "~")


def zigzag(value: int) -> int:
    return value * 2 if value >= 0 else -value * 2 - 1


def encode_classes() -> str:
    """For every run of one class: the gap before it, then (length - 1) * 16 + class. Gaps are separators."""
    out = []
    run_start, run_class, previous_end = 0, SEPARATOR, 0
    for code_point in range(LAST_CODE_POINT + 2):
        this = char_class(code_point) if code_point <= LAST_CODE_POINT else SEPARATOR
        if this == run_class:
            continue
        if run_class != SEPARATOR:
            out.append(encode_number(run_start - previous_end))
            out.append(encode_number((code_point - run_start - 1) * 16 + run_class))
            previous_end = code_point
        run_start, run_class = code_point, this
    return "".join(out)


def longest_run(targets: dict[int, int], first: int) -> tuple[int, int, int]:
    """(length, stride, step): code points first, first + stride, ... map to targets that grow by step."""
    best = (1, 1, 0)
    for stride in (1, 2):
        for step in (0, stride):
            length = 1
            while targets.get(first + length * stride) == targets[first] + length * step:
                length += 1
            if length > best[0]:
                best = (length, stride, step)
    return best


def encode_folds(fold: Callable[[int], str | None]) -> str:
    """For every entry the gap from the first code point of the one before, a head and a body.

    String: head = length * 2 + 1; body = each code point less the source, zigzag.
    Run: head = (length - 1) * 8 + (grows) * 4 + (stride 2) * 2; body = first target less the source, zigzag.
    Target 0 means deletion. Runs of stride 2 may cross other runs; they agree wherever they meet.
    """
    strings: dict[int, str] = {}
    targets: dict[int, int] = {}
    for code_point in range(LAST_CODE_POINT + 1):
        folded = fold(code_point)
        if folded is None:
            continue
        if len(folded) <= 1:
            targets[code_point] = ord(folded) if folded else 0
        else:
            strings[code_point] = folded
    out = []
    previous = 0
    done: set[int] = set()
    for code_point in sorted([*strings, *targets]):
        if code_point in done:
            continue
        if code_point in strings:
            body = [zigzag(ord(char) - code_point) for char in strings[code_point]]
            numbers = [len(body) * 2 + 1, *body]
        else:
            length, stride, step = longest_run(targets, code_point)
            done.update(range(code_point, code_point + length * stride, stride))
            head = (length - 1) * 8 + (4 if step else 0) + (2 if stride == 2 else 0)
            numbers = [head, zigzag(targets[code_point] - code_point)]
        out.append(encode_number(code_point - previous))
        out.extend(map(encode_number, numbers))
        previous = code_point
    return "".join(out)


def encode_combining_classes() -> str:
    """For every run of one class that is not 0: the gap before it, its length - 1, the class."""
    out = []
    run_start, run_class, previous_end = 0, 0, 0
    for code_point in range(LAST_CODE_POINT + 2):
        this = unicodedata.combining(chr(code_point)) if code_point <= LAST_CODE_POINT else 0
        if this == run_class:
            continue
        if run_class:
            out.extend(map(encode_number, (run_start - previous_end, code_point - run_start - 1, run_class)))
            previous_end = code_point
        run_start, run_class = code_point, this
    return "".join(out)


def encode_compositions() -> str:
    """For every code point that two compose to: the gap from the one before, and the two less it, zigzag."""
    out = []
    previous = 0
    for code_point in range(LAST_CODE_POINT + 1):
        parts = unicodedata.decomposition(chr(code_point)).split()
        if (
            len(parts) != 2
            or parts[0].startswith("<")
            or unicodedata.normalize("NFC", chr(code_point)) != chr(code_point)
        ):
            continue
        out.append(encode_number(code_point - previous))
        out.extend(encode_number(zigzag(int(part, 16) - code_point)) for part in parts)
        previous = code_point
    return "".join(out)


def literal(text: str, width: int = 150) -> Iterator[str]:
    for start in range(0, len(text), width):
        yield f'    "{text[start : start + width]}"'


def render() -> Iterable[str]:
    yield "// Generated by cpp/tools/make_unicode_tables.py; do not edit."
    yield '#include "lexical/unicode_tables.hpp"'
    yield ""
    yield "namespace memspan {"
    yield ""
    yield f'const std::string_view kUnicodeVersion = "{unicodedata.unidata_version}";'
    for name, text in (
        ("kClassRuns", encode_classes()),
        ("kSearchFolds", encode_folds(search_fold)),
        ("kTagFolds", encode_folds(tag_fold)),
        ("kCombiningClasses", encode_combining_classes()),
        ("kCompositions", encode_compositions()),
    ):
        lines = list(literal(text))
        yield ""
        yield f"const std::string_view {name} ="
        yield from lines[:-1]
        yield lines[-1] + ";"
    yield ""
    yield "}  // namespace memspan"


def main() -> int:
    default = Path(__file__).resolve().parents[1] / "src" / "lexical" / "unicode_tables.cpp"
    parser = argparse.ArgumentParser(description="Write unicode_tables.cpp.")
    parser.add_argument("--output", type=Path, default=default, help="default: the source tree")
    output: Path = parser.parse_args().output
    output.write_text("\n".join(render()) + "\n", encoding="ascii")
    print(f"{output}: Unicode {unicodedata.unidata_version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
