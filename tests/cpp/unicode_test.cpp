#include "lexical/unicode.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>

#include "lexical/utf8.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(unicode)

std::string fold(std::string_view text) {
  std::string out;
  fold_for_search(text, out);
  return out;
}

using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

void check_folds(Pairs pairs) {
  for (const auto& [text, folded] : pairs) BOOST_TEST(fold(text) == folded);
}

BOOST_AUTO_TEST_CASE(code_points_have_classes) {
  const CharClasses& classes = CharClasses::get();
  const std::pair<char32_t, CharClass> expected[] = {
      {U'a', CharClass::letter},      {U'7', CharClass::digit},        {U' ', CharClass::separator},
      {U'_', CharClass::separator},   {U'\u03B1', CharClass::letter},  {U'\u0434', CharClass::letter},
      {U'\u05D0', CharClass::letter}, {U'\u0905', CharClass::letter},  {U'\u093F', CharClass::mark},
      {U'\u4E00', CharClass::ideograph}, {U'\u3042', CharClass::ideograph}, {U'\u30AB', CharClass::ideograph},
      {U'\U00020000', CharClass::ideograph}, {U'\u0E01', CharClass::unspaced}, {U'\u0E34', CharClass::mark},
      {U'\uAC00', CharClass::hangul}, {U'\U0001F600', CharClass::emoji}, {U'\u2764', CharClass::emoji},
      {U'\U0001F1EB', CharClass::regional}, {U'\u3002', CharClass::separator}, {U'\u2014', CharClass::separator},
      {U'\U0010FFFF', CharClass::separator}, {static_cast<char32_t>(0x110000), CharClass::separator},
      {kBadByte, CharClass::separator},
  };
  for (const auto& [code_point, char_class] : expected) {
    BOOST_TEST((classes.of(code_point) == char_class), "U+" << std::hex << static_cast<uint32_t>(code_point));
  }
}

BOOST_AUTO_TEST_CASE(case_and_accents_fold) {
  check_folds({{"Hello WORLD", "hello world"},
               {"Café cafe\u0301", "cafe cafe"},
               {"STRASSE straße", "strasse strasse"},
               {"ΣΊΣΥΦΟΣ Σίσυφος", "σισυφοσ σισυφοσ"},
               {"Ёлка ЙОД", "елка иод"},
               {"İstanbul Iğdır", "istanbul igdir"},
               {"Łódź Øre Æsir Þór đ", "lodz ore aesir thor d"},
               {"Ὀδυσσεύς", "οδυσσευσ"},
               {"\u0645\u064F\u062D\u064E\u0645\u0651\u064E\u062F", "\u0645\u062D\u0645\u062F"},
               {"\u05E9\u05B8\u05C1\u05DC\u05D5\u05B9\u05DD", "\u05E9\u05DC\u05D5\u05DD"}});
}

BOOST_AUTO_TEST_CASE(compatibility_forms_fold) {
  check_folds({{"ＡＢＣ１２３", "abc123"}, {"ﬁne ﬄuent", "fine ffluent"}, {"①⑫", "112"},
               {"Ⅷ", "viii"},             {"m²", "m2"},                 {"2½", "2 1/2 "},
               {"\u0663\u0664", "34"},     {"\u096A", "4"},              {"№5", " no 5"},
               {"Brand™", "brand "},       {"\uFB20", "\u05E2"},         {"㎏", "kg"}});
}

BOOST_AUTO_TEST_CASE(yeh_and_kaf_are_one_whatever_the_keyboard) {
  check_folds({{"\u06A9\u062A\u0627\u0628 \u06CC\u06A9", "\u0643\u062A\u0627\u0628 \u064A\u0643"},
               {"\u0639\u0644\u0649", "\u0639\u0644\u064A"},
               {"\uFBFC\uFB8E", "\u064A\u0643"},
               {"\u06D2", "\u06D2"}});
}

BOOST_AUTO_TEST_CASE(punctuation_of_typesetters_becomes_ascii) {
  check_folds({{"don’t donʼt don＇t don´t", "don't don't don't don't"},
               {"well‐known well‑known", "well-known well-known"},
               {"soft\u00ADhyphen zero\u200Bwidth \uFEFFbom", "softhyphen zero width bom"}});
}

BOOST_AUTO_TEST_CASE(hangul_and_kana_compose) {
  check_folds({{"\u1112\u1161\u11AB\u1100\u116E\u11A8", "한국"},
               {"한국", "한국"},
               {"ｶﾞｷﾞﾊﾟｳﾞ", "ガギパヴ"},
               {"か\u3099は\u309Aう\u3099", "がぱゔ"},
               {"a\u3099", "a\u3099"},
               {"ワ\u3099ヲ\u3099ゝ\u3099", "\u30F7\u30FAゞ"}});
}

BOOST_AUTO_TEST_CASE(emoji_keep_what_tells_them_apart) {
  check_folds({{"👍🏿👍", "👍👍"},
               {"❤\uFE0F", "❤"},
               {"👩🏽\u200D🚀", "👩\u200D🚀"},
               {"🏴\U000E0067\U000E0062\U000E007F", "🏴\U000E0067\U000E0062\U000E007F"},
               {"a\u200Db\U000E0067", "ab"},
               {"🏿", "🏿"}});
}

BOOST_AUTO_TEST_CASE(bad_bytes_become_spaces) {
  check_folds({{"a\xFF" "b", "a b"}, {"\xC3", " "}, {"x\xED\xA0\x80y", "x   y"}, {"", ""}});
}

// Every assigned code point, alone: what comes out is valid, folds to itself, and has a class the segmenter knows.
BOOST_AUTO_TEST_CASE(folding_is_idempotent_for_every_code_point) {
  std::string once;
  std::string twice;
  std::string text;
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    text.clear();
    once.clear();
    twice.clear();
    append_utf8(code_point, text);
    fold_for_search(text, once);
    fold_for_search(once, twice);
    if (once != twice) BOOST_ERROR("U+" << std::hex << static_cast<uint32_t>(code_point));
    for (size_t i = 0; i < once.size();) {
      const DecodedChar decoded = decode_utf8(once.data() + i, once.data() + once.size());
      if (decoded.code_point == kBadByte) BOOST_ERROR("U+" << std::hex << static_cast<uint32_t>(code_point));
      i += decoded.size;
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
